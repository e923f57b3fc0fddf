"""Who is let in: whoever has the token that the terminal printed, or typed the password, from a page of this server.

A browser that was let in gets a token of its own session as a cookie. Browsers send cookies to all ports of a host, so
that other servers of this machine get it too: it lets in as this cookie alone, and ends when it is not used.
A page of another site in the same browser could otherwise ask this server in the user's name (cross-site requests), or
reach it by a name of its own that leads here (DNS rebinding).
"""

import asyncio
import json
import secrets
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs, quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request, cookie_parser
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from readgraph.api.servers import LOOPBACK, in_address
from readgraph.doors.serve.requests import problem_response

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
OPEN_PATHS = ("/assets/", "/api/login")  # what is shown to everybody: the page's script and style, and the log-in
ONLY_READS = ("GET", "HEAD", "OPTIONS")
AFTER_WRONG_PASSWORD = 1.0  # seconds until the answer to it, and to whatever came from the same address meanwhile
MOST_TRIES = 5  # passwords of one address that may wait for their answers: so many seconds the right one waits at most
LONGEST_PASSWORD = 10_000  # bytes of a request that brings a password
SESSION_SECONDS = 24 * 3600.0  # how long a browser is let in after its last request
MOST_SESSIONS = 1000  # browsers that are let in at once; the one that asked least lately is let out first
HOW_IN = "Open the address that was shown when the server started: it holds the token that lets you in."


@dataclass
class Guard:
    """The token of one server, its password ("": none, the address alone lets in), and the names of this host.

    `sessions`: when a request of each browser that was let in came last, by the token of its session.
    """

    port: int
    password: str = ""
    names: Sequence[str] = ()
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    sessions: dict[str, float] = field(default_factory=dict, init=False)
    _trying: Counter[str] = field(default_factory=Counter[str], init=False)
    _turns: dict[str, asyncio.Lock] = field(default_factory=dict, init=False)

    @property
    def cookie(self) -> str:
        """The name of the cookie: browsers keep one jar for all ports of a host."""
        return f"readgraph-{self.port}"

    def knows(self, headers: Headers) -> bool:
        """Whether a request has the token as a bearer token, or the cookie of a session."""
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return secrets.compare_digest(bearer.strip().encode(), self.token.encode())
        session = cookie_parser(headers.get("cookie", "")).get(self.cookie, "")
        used = self.sessions.pop(session, None)
        if used is None or time.monotonic() - used > SESSION_SECONDS:
            return False
        self.sessions[session] = time.monotonic()  # the last of them, since it is the newest
        return True

    def with_cookie(self, response: Response) -> Response:
        """The response, which lets its browser in from now on, by a session of its own."""
        session = secrets.token_urlsafe(24)
        self.sessions[session] = time.monotonic()
        if len(self.sessions) > MOST_SESSIONS:
            del self.sessions[next(iter(self.sessions))]
        response.set_cookie(self.cookie, session, httponly=True, samesite="strict", path="/")
        return response

    async def log_in(self, request: Request) -> Response:
        """The answer to a typed password; after a wrong one the next from the same address has to wait."""
        given, address = await _password_in(request), request.client.host if request.client else ""
        if self._trying[address] >= MOST_TRIES:
            return JSONResponse({"problem": "Too many passwords were tried: wait some seconds."}, 429)
        self._trying[address] += 1
        try:
            async with self._turns.setdefault(address, asyncio.Lock()):
                # In a time that doesn't tell how much of them is the same; what UTF-8 can't hold differs.
                known = (each.encode(errors="surrogatepass") for each in (given, self.password))
                if self.password and secrets.compare_digest(*known):
                    return self.with_cookie(JSONResponse({}))
                await asyncio.sleep(AFTER_WRONG_PASSWORD)
        finally:
            self._trying[address] -= 1
            if not self._trying[address]:
                del self._trying[address], self._turns[address]
        return JSONResponse({"problem": "This is not the password."}, 401)

    def refusal(self, method: str, headers: Headers) -> str | None:
        """Why a request is not for this server, or not from one of its pages; None if it is."""
        host = headers.get("host", "")
        name, _, port = host.rpartition(":")
        known = {*LOOPBACK, *(in_address(each).lower() for each in self.names)}
        if (name if port.isdecimal() else host).lower() not in known:
            return "This server does not answer to that name: whoever runs it can allow it."
        origin = headers.get("origin")
        if origin and origin != "null" and origin.partition("://")[2] != headers.get("host"):
            return "A page of another site asked."
        if origin == "null" and method not in ONLY_READS:
            return "A page of no site asked."
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
            return "A page of another site asked."
        return None


async def _password_in(request: Request) -> str:
    """The password of a log-in; "" where there is none, or more than a password."""
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > LONGEST_PASSWORD:
            return ""
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    password = given.get("password") if isinstance(given, dict) else None
    return password if isinstance(password, str) else ""


class GuardedApp:
    """An application behind a guard; each answer says what its page may load."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self.app, self.guard = app, guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, refuse, or hand on to the application."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._instead(scope)
        await (answer or self.app)(scope, receive, send_with_headers)

    def _instead(self, scope: Scope) -> Response | None:
        headers, path = Headers(scope=scope), scope["path"]
        if refused := self.guard.refusal(scope["method"], headers):
            return problem_response(path, refused, 403)
        query = parse_qs(scope["query_string"].decode("latin-1"))
        is_page = path.count("/") == 1 and "." not in path  # not below /api, /v1 or /assets, and no /openapi.json
        if is_page and "token" in query:
            if not secrets.compare_digest(query["token"][0].encode(), self.guard.token.encode()):
                return PlainTextResponse(f"This address is of another run of the server. {HOW_IN}", 401)
            rest = {name: values for name, values in query.items() if name != "token"}
            page = f"{quote(path)}?{urlencode(rest, doseq=True)}" if rest else quote(path)
            return self.guard.with_cookie(RedirectResponse(page, 303))
        if path.startswith(OPEN_PATHS) or self.guard.knows(headers):
            return None
        if path == "/" and self.guard.password:
            return None  # the page asks for the password
        if is_page:
            return PlainTextResponse(HOW_IN, 401)
        return problem_response(path, "Not let in: log in, or send the token as a bearer token.", 401)
