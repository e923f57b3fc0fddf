"""`serve`: the library in the browser."""

import gc
import os
import socket
import sys
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec

import typer

from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.settings import kept_method, kept_price
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.graphs.methods import method_typed
from readgraph.models.names.prices import Price, parse_price
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.library import open_library
from readgraph.state.search.catalogue import count_documents
from readgraph.state.words import counted
from readgraph.tools.sockets import in_address, is_loopback, listening

PASSWORD = "READGRAPH_PASSWORD"
OPEN_WAY = "Whoever has the password can read it and use your model; the way there is not encrypted."
SHORTEST = 8
"""Fewest characters of a password."""


def serve_library(
    folder: LibraryPlace | None,
    context: ReaderContext,
    method: str | None,
    price: str | None,
    *,
    address: tuple[str, int],
    names: Sequence[str],
    opens: bool,
) -> None:
    """Serve until Ctrl-C. Raises `BadInput` where the server isn't installed, can't listen, or has no password."""
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise BadInput("The page is not installed: pip install 'readgraph[serve]'.")
    method = method or kept_method() or ""
    if method:
        method_typed(method)
    price = price or kept_price()
    dollars = parse_price(price) if price else None
    password = "" if is_loopback(address[0]) else _password()
    listener = listening(*address)
    with suppress(KeyboardInterrupt):  # the usual end
        run_until_stopped(_served(folder, context, method, dollars, listener, password, names, opens=opens))


def _password() -> str:
    """The password from the environment, else as it is typed."""
    password = os.environ.get(PASSWORD, "")
    if not password and sys.stdin.isatty():
        password = typer.prompt("A password for the page", hide_input=True, confirmation_prompt=True, err=True)
    if len(password) < SHORTEST:
        raise BadInput(
            f"Other machines reach this address, so the page wants a password: set {PASSWORD} to one of at least "
            f"{SHORTEST} characters, or leave --host out."
        )
    return password


async def _served(
    folder: LibraryPlace | None,
    context: ReaderContext,
    method: str,
    price: Price | None,
    listener: socket.socket,
    password: str,
    names: Sequence[str],
    *,
    opens: bool,
) -> None:
    from readgraph.serve.guard import Guard
    from readgraph.serve.room import Room
    from readgraph.serve.server import serve_room

    async with open_library(folder) as library:
        host, port = listener.getsockname()[:2]
        bound = [] if host in ("0.0.0.0", "::") else [host]
        guard = Guard(port, password, [*bound, *names])
        name = in_address(host) if bound else [*names, "localhost"][0]
        page = f"http://{name}:{port}/" + ("" if password else f"?token={guard.token}")
        warnings = [OPEN_WAY] if password else []
        if not bound and not names:
            warnings.append("Other machines can open it once --allow-host gives the name by which they reach this one.")
        _say_where(library.place, await count_documents(library.pages), page, warnings)
        if opens and sys.stderr.isatty():
            webbrowser.open(page)
        gc.freeze()  # what is imported stays, and need not be gone through again at each collection
        await serve_room(Room(library, context, method, price), guard, listener)


def _say_where(library: str, documents: int, page: str, warnings: Sequence[str]) -> None:
    console = Console(stderr=True, soft_wrap=True)
    console.print(Text(f"The library {library} ({counted(documents, 'document')}) is open at {page}"))
    for warning in warnings:
        console.print(Text(warning), style="yellow")
    console.print("Press Ctrl-C to stop.")
