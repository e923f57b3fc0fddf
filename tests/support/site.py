"""A web site on the loopback interface, with pages of a test's own and the log of what it was asked for."""

from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Self

FOLDER = Path(__file__).parent / "web"


class Site:
    """Serves pages by their paths, and the pages of `tests/support/web`. A page "→ address" leads on to there."""

    def __init__(self, pages: Mapping[str, str] | None = None) -> None:
        self.pages = dict(pages or {})
        self.asked: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append(self.path)
                site.answer(self)

            def log_message(self, *_: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        path = request.path.partition("?")[0]
        file = FOLDER / path.removeprefix("/")
        page = self.pages.get(path) or (file.read_text(encoding="utf-8") if file.is_file() else "")
        request.send_response(302 if page.startswith("→") else 200 if page else 404)
        if page.startswith("→"):
            request.send_header("Location", page.removeprefix("→ "))
        request.send_header("Content-Type", "text/javascript" if path.endswith(".js") else "text/html; charset=utf-8")
        request.send_header("Content-Length", str(len(page.encode())))
        request.end_headers()
        request.wfile.write(page.encode())

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
