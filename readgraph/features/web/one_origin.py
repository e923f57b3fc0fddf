"""Keeps a browser on one origin: each request is looked at before it leaves, and others are blocked and counted."""

import asyncio
import json
from base64 import b64encode
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from readgraph.state.errors import BadInput

if TYPE_CHECKING:
    from playwright.async_api import Browser, CDPSession

PORTS: dict[str, int] = {"http": 80, "https": 443, "ws": 80, "wss": 443}
LOCAL = ("data:", "blob:", "about:")  # schemes of what a page makes itself: nothing is asked of a server


def origin_of(address: str) -> str:
    """The origin of an address, such as "https://example.org"; "" where it has none, such as about:blank."""
    try:
        parts = urlsplit(address.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    if parts.scheme not in PORTS or not host:
        return ""
    name = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{name}" if port in (None, PORTS[parts.scheme]) else f"{parts.scheme}://{name}:{port}"


def without_login(address: str) -> str:
    """An address without the name and password that may stand before its host."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return address
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl() if "@" in parts.netloc else address


def web_origin(address: str) -> str:
    """The origin of an address that a user names; raises `BadInput` where it is no web address."""
    origin = origin_of(address)
    if not origin.startswith("http"):
        raise BadInput(f"'{without_login(address)}' is no address of a web page: write it as https://example.org/page.")
    return origin


REPORTS = "/readgraph-blocked"  # where a page tells what it was not allowed: no server sees it
POLICY = {"name": "Content-Security-Policy", "value": f"connect-src 'self' data: blob:; report-uri {REPORTS}"}
"""The browser's own rule for what scripts ask for: a web socket is no request, so that nobody else could look at it."""

STAGES = [{"urlPattern": "*", "requestStage": stage} for stage in ("Request", "Response")]
WITHOUT_BODY = (204, 205, 304)  # statuses of responses that have no body
PACKING = ("content-encoding", "content-length", "transfer-encoding")  # how a body was packed for the way
Command = tuple[str, dict[str, Any]]


def flags(origin: str) -> list[str]:
    """Chromium's options: no other host or port is connected to, and nothing is asked in the background."""
    parts = urlsplit(origin)
    host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
    own = f"{host}:{parts.port or PORTS[parts.scheme]}"
    return [
        # The first rule that fits holds. Without it, a browser connects ahead to another port before it asks anything.
        f"--host-resolver-rules=MAP {own} {own}, MAP * ~NOTFOUND",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-background-networking",
        "--disable-extensions",
        "--no-first-run",
        "--mute-audio",
    ]


class OneOrigin:
    """The rule over all pages, frames, workers and redirects of a browser. `blocked` counts refused origins."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.blocked = Counter[str]()
        self._answering = set[asyncio.Task[None]]()

    async def block_other_origins(self, browser: "Browser") -> None:
        """Let nothing leave this browser but to the origin; to be called before a page is opened."""
        session = await browser.new_browser_cdp_session()
        session.on("Fetch.requestPaused", lambda event: self._start_answer(session, event))
        await session.send("Fetch.enable", {"patterns": STAGES})

    def allows(self, address: str) -> bool:
        """Whether an address may be asked for."""
        return address.startswith(LOCAL) or origin_of(address) == self.origin

    def _start_answer(self, session: "CDPSession", event: dict[str, Any]) -> None:
        task = asyncio.ensure_future(self._answer(session, event))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _answer(self, session: "CDPSession", event: dict[str, Any]) -> None:
        from playwright.async_api import Error

        request = {"requestId": event["requestId"]}
        name, parameters = self._command(event)
        try:
            if name == "Fetch.fulfillRequest" and _has_response(event):
                body = await session.send("Fetch.getResponseBody", request)
                parameters["body"] = (
                    body["body"] if body["base64Encoded"] else b64encode(body["body"].encode()).decode()
                )
            await session.send(name, {**request, **parameters})
        except Error:  # the page has gone meanwhile, and its requests with it
            return

    def _command(self, event: dict[str, Any]) -> Command:
        """What becomes of a paused request, or of a response that has come."""
        address = event["request"]["url"]
        if not self.allows(address):
            self._count(address)
            return "Fetch.failRequest", {"errorReason": "Aborted"}
        if address == self.origin + REPORTS:
            self._count(_address_in_report(event["request"]))
            return "Fetch.fulfillRequest", {"responseCode": 204}
        if not _has_response(event):
            return "Fetch.continueRequest", {}
        status, headers = event["responseStatusCode"], [*event["responseHeaders"], POLICY]
        # Of a page itself, the browser heeds only a policy that comes with a response made anew.
        if event["resourceType"] == "Document" and status not in WITHOUT_BODY:
            headers = [header for header in headers if header["name"].lower() not in PACKING]
            return "Fetch.fulfillRequest", {"responseCode": status, "responseHeaders": headers}
        return "Fetch.continueResponse", {"responseCode": status, "responseHeaders": headers}

    def _count(self, address: str) -> None:
        self.blocked[origin_of(address) or address.split(":", 1)[0]] += 1


def _has_response(event: dict[str, Any]) -> bool:
    """Whether a paused request has its response already, and this leads on to no other address."""
    names = {header["name"].lower() for header in event.get("responseHeaders", ())}
    return "responseStatusCode" in event and "location" not in names


def _address_in_report(request: dict[str, Any]) -> str:
    """The address that a page's report says it was not allowed to ask for."""
    try:
        return str(json.loads(request.get("postData", "{}"))["csp-report"]["blocked-uri"])
    except (ValueError, KeyError, TypeError):
        return "unknown:"
