"""`studio`: LangGraph's development server over the library, for LangGraph Studio."""

import json
import os
import socket
import subprocess
import sys
import time
import webbrowser
from contextlib import suppress
from dataclasses import asdict
from http.client import HTTPConnection, HTTPException
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from readgraph.api.servers import bind_at
from readgraph.cli.run.in_library import run_in_library
from readgraph.cli.terminal.safe_text import Console, visible
from readgraph.graphs.served import server_configuration, settings_of_served
from readgraph.library.address import LibraryPlace, default_place
from readgraph.library.search.catalogue import count_documents
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.words import format_count

PATH = "studio"  # of the page of this machine
HOST = "127.0.0.1"  # the server has no login, so only this machine can reach it
RUNS_AT_ONCE = 8
STOPPED_WITHIN = 10.0  # seconds that the server gets to end by itself before it is killed
_SERVER = ("langgraph_cli", "langgraph_api", "langgraph_runtime_inmem")
_REPORTING = ("LANGSMITH_", "LANGCHAIN_", "LANGGRAPH_CLOUD_LICENSE_KEY")  # variables that make it report


def serve_studio(folder: LibraryPlace | None, port: int, context: ReaderContext, *, open_page: bool) -> None:
    """Serve every graph until Ctrl-C, with the context's settings; threads end with the server, what was read stays."""
    if not all(map(find_spec, _SERVER)):
        raise BadInput("The development server is not installed: pip install 'readgraph[studio]'.")
    library = folder or default_place()
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


def serve_local(
    folder: LibraryPlace | None, port: int, context: ReaderContext, method: str | None, *, opens: bool
) -> None:
    """Serve the page of this machine until Ctrl-C. Raises `BadInput` where it can't be served."""
    from readgraph.doors.serve.run import serve_library

    serve_library(folder, context, method, None, address=(HOST, port), names=(), opens=opens, page=PATH)


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
    console = Console(whole_lines=True)
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
