"""`serve`, `mcp` and `studio`: serve the library in a browser, to agents, or to LangGraph Studio."""

import asyncio
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import asdict
from http.client import HTTPConnection, HTTPException
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import typer

from readgraph.api.sockets import bind_at, in_address, is_loopback, open_listener
from readgraph.cli.log import end_log
from readgraph.cli.options.output import find_typed_options
from readgraph.cli.run.in_library import begins_with, check_output, run_in_library, write_output
from readgraph.cli.settings import from_settings_file
from readgraph.cli.terminal.safe_text import Console, visible
from readgraph.cli.terminal.screen import run_until_stopped
from readgraph.graphs.methods import method_typed
from readgraph.graphs.served import server_configuration, settings_of_served
from readgraph.library.address import LibraryPlace
from readgraph.library.library import ONLY_READ, Library
from readgraph.library.opening import default_place, open_library
from readgraph.library.search.catalogue import count_documents
from readgraph.models.prices import parse_price
from readgraph.models.watching import flush
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.wait_teller import wait_teller
from readgraph.state.words import format_count

PASSWORD = "READGRAPH_PASSWORD"
OPEN_WAY = "Whoever has the password can read and change it, and use your model; the way there is not encrypted."
SHORTEST = 8


def serve_library(
    context: ReaderContext,
    method: str | None,
    host: str,
    port: int,
    allow_host: Sequence[str] | None,
    price: str | None,
    library: LibraryPlace | None,
    *,
    opens: bool,
) -> None:
    """Serve until Ctrl-C. Raises `BadInput` where the server isn't installed, can't listen, or has no password."""
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise BadInput("The page is not installed: pip install 'readgraph[serve]'.")
    names = allow_host or []
    method = method or from_settings_file("method") or ""
    if method:
        method_typed(method)
    price = price or from_settings_file("price")
    dollars = parse_price(price) if price else None
    password = "" if is_loopback(host) else _password()
    listener = open_listener(host, port)
    from readgraph.doors.serve.app import serve_room
    from readgraph.doors.serve.guard import Guard
    from readgraph.doors.serve.room import Room

    host, port = listener.getsockname()[:2]
    bound = [] if host in ("0.0.0.0", "::") else [host]
    guard = Guard(port, password, [*bound, *names])
    name = in_address(host) if bound else [*names, "localhost"][0]
    page = f"http://{name}:{port}/" + ("" if password else f"?token={guard.token}")
    warnings = [OPEN_WAY] if password else []
    if not bound and not names:
        warnings.append("Other machines can open it once --allow-host gives the name by which they reach this one.")

    async def run_room() -> None:
        async with open_library(library, answers=True) as opened:
            documents = format_count(await count_documents(opened.pages), "document")
            warnings.extend(_not_kept(opened))
            _say(f"The library {opened.place} ({documents}) is open at {page}", *warnings)
            if opens and sys.stderr.isatty():
                webbrowser.open(page)
            gc.freeze()  # what is imported stays, and need not be gone through again at each collection
            await serve_room(Room(opened, context, method, dollars), guard, listener)

    wait_teller.start()
    with suppress(KeyboardInterrupt):  # the usual end
        run_until_stopped(run_room())


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


def _not_kept(library: Library) -> list[str]:
    return [f"{ONLY_READ}: what is read and answered is kept until the server ends."] if library.is_copy else []


def _say(where: str, *warnings: str) -> None:
    console = Console(stderr=True, soft_wrap=True)
    console.print(where)
    for warning in warnings:
        console.print(warning, style="yellow")
    console.print("Press Ctrl-C to stop.")


OF_HTTP = ("--host", "--port", "--allow-host")


def serve(
    run: typer.Context,
    context: ReaderContext,
    allow: Sequence[Path] | None,
    host: str,
    port: int,
    allow_host: Sequence[str] | None,
    library: LibraryPlace | None,
    *,
    http: bool,
) -> None:
    """Serve until the client leaves, or Ctrl-C; `host`, `port` and `allow_host` are for HTTP alone."""
    if not all(map(find_spec, ("mcp", "mcp_types", "uvicorn"))):  # mcp_types: not with versions before 2
        raise BadInput("The MCP server is not installed: pip install 'readgraph[mcp]'.")
    given = [option for option in find_typed_options(run) if option in OF_HTTP]
    if given and not http:
        raise BadInput(f"{', '.join(given)} is for a server over HTTP: add --http.")
    from readgraph.doors.mcp.refusing import resolve_allowed_folders

    folders = resolve_allowed_folders([path.expanduser() for path in allow or []])
    listener = open_listener(host, port) if http else None
    with suppress(KeyboardInterrupt):  # the usual end
        run_until_stopped(_serve_tools(library, folders, context, listener, allow_host or []))


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
                _say(f"{served} http://{at}{PATH}.", *([] if is_loopback(host) else [who]), *_not_kept(library))
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


HOST = "127.0.0.1"  # the server has no login, so only this machine can reach it
RUNS_AT_ONCE = 8
STOPPED_WITHIN = 10.0  # seconds that the server gets to end by itself before it is killed
_SERVER = ("langgraph_cli", "langgraph_api", "langgraph_runtime_inmem")
_REPORTING = ("LANGSMITH_", "LANGCHAIN_", "LANGGRAPH_CLOUD_LICENSE_KEY")  # variables that make it report


def serve_studio(context: ReaderContext, port: int, library: LibraryPlace | None, *, open_page: bool) -> None:
    """Serve every graph until Ctrl-C, with the context's settings; threads end with the server, what was read stays."""
    if not all(map(find_spec, _SERVER)):
        raise BadInput("The development server is not installed: pip install 'readgraph[studio]'.")
    library = library or default_place()
    library = library.absolute() if isinstance(library, Path) else library
    documents = run_in_library(library, lambda opened: count_documents(opened.pages))
    try:
        with socket.socket() as listener:
            bind_at(listener, (HOST, port))
    except OSError as problem:
        raise BadInput(f"Port {port} can't be used ({problem.strerror}): choose another with --port.") from None
    with TemporaryDirectory(prefix="readgraph-studio-") as work:
        server = _start_server(Path(work), library, port, context.model)
        try:
            _wait_until_up(server, port)
            defaults = asdict(ReaderContext(model=""))
            chosen = {name: value for name, value in asdict(context).items() if value != defaults[name]}
            for assistant in _reply(port, "POST", "/assistants/search", {"limit": 1000}) if chosen else ():
                used = settings_of_served(assistant["graph_id"])
                settings = {name: value for name, value in chosen.items() if name in used}
                _reply(port, "PATCH", f"/assistants/{assistant['assistant_id']}", {"context": settings})
            _print_addresses(library, documents, port, context.model, open_page=open_page)
            raise BadInput(f"The development server stopped by itself, with exit code {server.wait()}.")
        except KeyboardInterrupt:
            pass  # the usual end
        finally:
            _stop(server)


def _start_server(work: Path, library: LibraryPlace, port: int, model: str) -> "subprocess.Popen[str]":
    """Start `langgraph dev` in a temporary folder, so that it writes nothing to the current one."""
    settings = server_configuration() | {"disable_persistence": True}
    (work / "langgraph.json").write_text(json.dumps(settings), encoding="utf-8")
    options = f"--host {HOST} --port {port} --no-browser --no-reload --n-jobs-per-worker {RUNS_AT_ONCE}"
    return subprocess.Popen(
        [sys.executable, "-m", "langgraph_cli", "dev", *options.split()],
        cwd=work,
        env=server_environment(library, model),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )


def server_environment(library: LibraryPlace, model: str) -> dict[str, str]:
    """The server's environment variables: it sends no reports and does not check for a newer version."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_REPORTING)}
    return kept | {
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
        "LANGSMITH_TRACING": "false",
        "LOG_LEVEL": "WARNING",
        "PYTHONUNBUFFERED": "1",
        "READGRAPH_LIBRARY": str(library) if isinstance(library, Path) else library.full,
        "READGRAPH_MODEL": model,
    }


def _wait_until_up(server: "subprocess.Popen[str]", port: int) -> None:
    """Wait for the first response. Output until then is shown only if the server ends; later output at once."""
    early_output: list[str] = []
    up = False

    def listen() -> None:
        for line in server.stdout or ():
            (sys.stderr.write if up else early_output.append)(visible(line))

    listener = Thread(target=listen, daemon=True)
    listener.start()
    while True:
        with suppress(OSError, HTTPException, ValueError):
            up = bool(_reply(port, "GET", "/ok"))
        if up:
            return
        if server.poll() is not None:
            listener.join()
            sys.stderr.writelines(early_output)
            raise BadInput(f"The development server did not start: it ended with exit code {server.returncode}.")
        time.sleep(0.1)


def _reply(port: int, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    connection = HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status != 200:
            raise HTTPException(f"{method} {path} returned status {response.status}")
        return json.load(response)
    finally:
        connection.close()


def _print_addresses(library: LibraryPlace, documents: int, port: int, model: str, *, open_page: bool) -> None:
    address = f"http://{HOST}:{port}"
    page = f"https://smith.langchain.com/studio/?baseUrl={address}"
    console = Console(soft_wrap=True)
    console.print(f"The library {library} ({format_count(documents, 'document')}) is served at {address}.")
    how = f"with {model}" if model else "without a model"
    console.print(f"The graphs read {how}, unless an assistant's configuration names another model.")
    console.print(f"Studio: {page}")
    console.print(
        "The page comes from LangChain's server, which may ask you to sign in; your texts are sent only between your "
        "browser and this machine, and to the models that you name. Press Ctrl-C to stop."
    )
    if open_page:
        webbrowser.open(page)


def _stop(server: "subprocess.Popen[str]") -> None:
    server.terminate()
    try:
        server.wait(STOPPED_WITHIN)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):  # it waits for a browser, or Ctrl-C was pressed again
        server.kill()
        server.wait()


def put_skill(to: Path | None) -> None:
    """Print the skill, or write it to the folder of its name in a folder of skills."""
    text = files("readgraph").joinpath("SKILL.md").read_bytes()
    if to is None:
        typer.echo(text.decode(), nl=False)
        return
    if to.exists() and not to.is_dir():
        raise BadInput(f"{to} is a file: name the folder of your agent's skills.")
    folder = to if to.name == "readgraph" else to / "readgraph"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise BadInput(f"{folder} can't be made: {problem.strerror}.") from None
    beginning = text[: text.index(b"description:")]
    check_output(folder / "SKILL.md", "skill", lambda there: begins_with(there, beginning), "is another skill")
    write_output(folder / "SKILL.md", text, "skill")
    typer.echo(f"Put the skill into {folder}.")
