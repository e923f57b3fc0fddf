"""`mcp`: the library served to agents, over standard input and output or over HTTP."""

import asyncio
import gc
import os
import signal
import socket
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from readgraph.api.servers import in_address, is_loopback, open_listener
from readgraph.cli.log import end_log
from readgraph.cli.terminal.screen import run_until_stopped
from readgraph.cli.terminal.served import copy_warning, print_address
from readgraph.library.address import LibraryPlace
from readgraph.library.opening import open_library
from readgraph.library.search.catalogue import count_documents
from readgraph.models.watching import flush
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.words import format_count


def serve_agents(
    folder: LibraryPlace | None,
    allow: Sequence[Path],
    context: ReaderContext,
    *,
    address: tuple[str, int] | None,
    names: Sequence[str],
    given: Sequence[str],
) -> None:
    """Serve until the client leaves, or Ctrl-C; `address`, `names` and the `given` options are for HTTP alone."""
    if not all(map(find_spec, ("mcp", "mcp_types", "uvicorn"))):  # mcp_types: not with versions before 2
        raise BadInput("The MCP server is not installed: pip install 'readgraph[mcp]'.")
    if given and address is None:
        raise BadInput(f"{', '.join(given)} is for a server over HTTP: add --http.")
    from readgraph.doors.mcp.refusing import resolve_allowed_folders

    folders = resolve_allowed_folders([path.expanduser() for path in allow])
    listener = open_listener(*address) if address else None
    with suppress(KeyboardInterrupt):  # the usual end
        run_until_stopped(_serve_tools(folder, folders, context, listener, names))


async def _serve_tools(
    folder: LibraryPlace | None,
    folders: Sequence[Path],
    context: ReaderContext,
    listener: socket.socket | None,
    names: Sequence[str],
) -> None:
    from readgraph.doors.mcp.server import PATH, LibraryTools, library_server, serve_http

    async with open_library(folder, answers=True) as library:
        tools, stopped = LibraryTools(library, context, folders), False
        server = library_server(tools)
        gc.freeze()  # what is imported stays, and need not be gone through again at each collection
        try:
            if listener is None:
                stopped = await _until_stopped(server.run_stdio_async())
            else:
                host, port = listener.getsockname()[:2]
                at, documents = f"{in_address(host)}:{port}", await count_documents(library.pages)
                who = f"Whoever reaches {at} can read this library and use your model: there is no log-in."
                served = f"The library {library.place} ({format_count(documents, 'document')}) is served at"
                print_address(
                    f"{served} http://{at}{PATH}.", *([] if is_loopback(host) else [who]), *copy_warning(library)
                )
                await serve_http(server, listener, str(host), names)
        finally:
            await tools.jobs.close()
    if stopped:
        end_log(0)
        flush()
        os._exit(0)  # a thread of the SDK still waits for the client's next line


async def _until_stopped(serving: Coroutine[Any, Any, None]) -> bool:
    """Serve until the client leaves; True where a signal came first."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    with suppress(NotImplementedError):  # on Windows, Ctrl-C interrupts the loop itself
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(each, stop.set)
    server, stopping = asyncio.ensure_future(serving), asyncio.ensure_future(stop.wait())
    await asyncio.wait({server, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not server.done():
        return True
    await server
    return False
