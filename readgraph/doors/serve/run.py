"""`serve`: the library in the browser, until Ctrl-C."""

import gc
import os
import socket
import sys
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

import typer

from readgraph.api.servers import in_address, is_loopback, open_listener
from readgraph.cli.settings import from_settings_file
from readgraph.cli.terminal.screen import run_until_stopped
from readgraph.cli.terminal.served import copy_warning, print_address
from readgraph.graphs.methods import method_typed
from readgraph.library.address import LibraryPlace
from readgraph.library.opening import open_library
from readgraph.library.search.catalogue import count_documents
from readgraph.models.prices import parse_price
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.wait_teller import wait_teller
from readgraph.state.words import format_count

if TYPE_CHECKING:
    from readgraph.doors.serve.guard import Guard

PASSWORD = "READGRAPH_PASSWORD"
OPEN_WAY = "Whoever has the password can read and change it, and use your model; the way there is not encrypted."
SHORTEST = 8


def serve_library(
    folder: LibraryPlace | None,
    context: ReaderContext,
    method: str | None,
    price: str | None,
    *,
    address: tuple[str, int],
    names: Sequence[str],
    opens: bool,
    page: str = "",
) -> None:
    """Serve until Ctrl-C; `page` is the path of the page whose address is printed.

    Raises `BadInput` where the server isn't installed, can't listen, or has no password.
    """
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise BadInput("The page is not installed: pip install 'readgraph[serve]'.")
    method = method or from_settings_file("method") or ""
    if method:
        method_typed(method)
    price = price or from_settings_file("price")
    dollars = parse_price(price) if price else None
    password = "" if is_loopback(address[0]) else _password()
    listener = open_listener(*address)
    from readgraph.doors.serve.app import serve_room
    from readgraph.doors.serve.room import Room

    guard, address_shown, warnings = _guard(listener, password, names, page)

    async def run_room() -> None:
        async with open_library(folder, answers=True) as library:
            documents = format_count(await count_documents(library.pages), "document")
            warnings.extend(copy_warning(library))
            print_address(f"The library {library.place} ({documents}) is open at {address_shown}", *warnings)
            if opens and sys.stderr.isatty():
                webbrowser.open(address_shown)
            gc.freeze()  # what is imported stays, and need not be gone through again at each collection
            await serve_room(Room(library, context, method, dollars), guard, listener)

    wait_teller.start()
    with suppress(KeyboardInterrupt):  # the usual end
        run_until_stopped(run_room())


def _guard(listener: socket.socket, password: str, names: Sequence[str], page: str) -> "tuple[Guard, str, list[str]]":
    """Who lets requests in, the address of the page, and what whoever serves should know of who can reach it."""
    from readgraph.doors.serve.guard import Guard

    host, port = listener.getsockname()[:2]
    bound = [] if host in ("0.0.0.0", "::") else [host]
    guard = Guard(port, password, [*bound, *names])
    name = in_address(host) if bound else [*names, "localhost"][0]
    shown = f"http://{name}:{port}/{page}" + ("" if password else f"?token={guard.token}")
    warnings = [OPEN_WAY] if password else []
    if not bound and not names:
        warnings.append("Other machines can open it once --allow-host gives the name by which they reach this one.")
    return guard, shown, warnings


def _password() -> str:
    password = os.environ.get(PASSWORD, "")
    if not password and sys.stdin.isatty():
        password = typer.prompt("A password for the page", hide_input=True, confirmation_prompt=True, err=True)
    if len(password) < SHORTEST:
        raise BadInput(
            f"Other machines reach this address, so the page wants a password: set {PASSWORD} to one of at least "
            f"{SHORTEST} characters, or leave --host out."
        )
    return password
