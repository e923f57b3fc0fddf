"""`mcp`: serve the library to agents, over standard input and output or over HTTP."""

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

from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.terminal.command_log import end_log
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.models.watching.spans import flush
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.library import open_library
from readgraph.state.search.catalogue import count_documents
from readgraph.state.words import counted
from readgraph.tools.sockets import in_address, is_loopback, listening


def serve(
    folder: LibraryPlace | None,
    allow: Sequence[Path],
    context: ReaderContext,
    *,
    address: tuple[str, int] | None,
    names: Sequence[str],
    given: Sequence[str],
) -> None:
    """Serve until the client leaves, or until Ctrl-C; what was read stays in the library.

    `address`: the host and port for HTTP; `names` are further names of this host; `given`: the options for HTTP that
    were typed. Raises `BadInput` where the server isn't installed, or can't listen there.
    """
    if find_spec("mcp") is None:
        raise BadInput("The MCP server is not installed: pip install 'readgraph[mcp]'.")
    if given and address is None:
        raise BadInput(f"{', '.join(given)} is for a server over HTTP: add --http.")
    from readgraph.mcp.allowed import allowed_folders

    folders = allowed_folders([path.expanduser() for path in allow])
    listener = None
    if address:
        listener = listening(*address)
    with suppress(KeyboardInterrupt):  # the usual end
        run_until_stopped(_served(folder, folders, context, listener, names))


async def _served(
    folder: LibraryPlace | None,
    folders: Sequence[Path],
    context: ReaderContext,
    listener: socket.socket | None,
    names: Sequence[str],
) -> None:
    from readgraph.mcp.server import library_server
    from readgraph.mcp.tools import LibraryTools

    async with open_library(folder) as library:
        tools, stopped = LibraryTools(library, context, folders), False
        server = library_server(tools)
        gc.freeze()  # what is imported stays, and need not be gone through again at each collection
        try:
            if listener is None:
                stopped = await _until_stopped(server.run_stdio_async())
            else:
                from readgraph.mcp.http import serve_http

                host = _say_where(library.place, await count_documents(library.pages), listener)
                await serve_http(server, listener, host, names)
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


def _say_where(library: str, documents: int, listener: socket.socket) -> str:
    """Say on standard error what is served where, and who can reach it; returns the host."""
    from readgraph.mcp.http import PATH

    host, port = listener.getsockname()[:2]
    shown = in_address(host)
    console = Console(stderr=True, soft_wrap=True)
    console.print(
        Text(f"The library {library} ({counted(documents, 'document')}) is served at http://{shown}:{port}{PATH}.")
    )
    if not is_loopback(host):
        console.print(
            Text(f"Whoever reaches {shown}:{port} can read this library and use your model: there is no log-in."),
            style="yellow",
        )
    console.print("Press Ctrl-C to stop.")
    return str(host)
