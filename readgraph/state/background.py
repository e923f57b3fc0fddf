"""The one event loop in the background that runs coroutines for synchronous callers."""

import atexit
import os
from concurrent.futures import Future
from threading import Lock, Thread

import anyio
from anyio.from_thread import BlockingPortal

from readgraph.state.forks import anew_in_forked

_portal: BlockingPortal | None = None
_starting = Lock()


def background() -> BlockingPortal:
    """The portal to the background event loop; started when first used, stopped with the process."""
    global _portal
    with _starting:
        _portal = _portal or _started()
        return _portal


def _started() -> BlockingPortal:
    said: Future[BlockingPortal] = Future()

    async def serve() -> None:
        async with BlockingPortal() as portal:
            said.set_result(portal)
            await portal.sleep_until_stopped()

    def run() -> None:
        try:
            anyio.run(serve)
        except BaseException as problem:  # such as no more descriptors
            if said.done():
                raise
            said.set_exception(problem)

    def stop() -> None:
        if os.getpid() == process:  # in a child that was forked no thread runs it
            portal.call(portal.stop, True)  # what is still open, such as a library in a notebook, is not waited for
            thread.join()

    thread, process = Thread(target=run, name="readgraph", daemon=True), os.getpid()
    thread.start()
    portal = said.result()
    atexit.register(stop)
    return portal


def _begin_anew() -> None:
    global _portal, _starting
    _portal, _starting = None, Lock()


anew_in_forked(_begin_anew)
