"""The one event loop in the background that runs coroutines for synchronous callers."""

import atexit
from functools import cache

from anyio.from_thread import BlockingPortal, start_blocking_portal


@cache
def background() -> BlockingPortal:
    """The portal to the background event loop; started when first used, stopped with the process."""
    started = start_blocking_portal(name="readgraph")
    portal = started.__enter__()

    def stop() -> None:
        portal.call(portal.stop, True)  # what is still open, such as a library in a notebook, is not waited for
        started.__exit__(None, None, None)

    atexit.register(stop)
    return portal
