"""The way of a request to a server of OpenAI's protocol: proxies, certificates, moved addresses, and a bound of bytes.

What can never pass is said at once, as `ModelUnavailable` with the true cause; OpenAI's client doesn't try it again.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from functools import cache
from importlib.util import find_spec
from typing import Any, cast
from urllib.parse import urljoin, urlsplit

from openai import DefaultAioHttpClient, DefaultAsyncHttpxClient, DefaultHttpxClient

from readgraph.models.failures.failure import ReplyTooLong
from readgraph.models.openai.address import PROXY_OF_OWN, through_proxy, without_secrets
from readgraph.state.certificates import explain_tls, trusted_certificates
from readgraph.state.errors import ModelUnavailable
from readgraph.state.proxies import proxy_for

MOST_BYTES = 20_000_000  # of one response, unpacked, where no setting says otherwise: 64 embeddings of 4,096 take 6 MB
MOST_MOVES = 5  # how often in a row a server may send a request on
PROBING = 3.0  # seconds for finding out whether a server wants encryption
REACHING = 10.0  # the most seconds for a connection to a proxy, which is near
PORTS = {"http": 80, "https": 443}
WEB_PAGE = "text/html"
EXCEPT = "If the server needs no proxy, list its host in NO_PROXY."
PACKAGE = DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0]  # the HTTP package below OpenAI's


def make_http_client(timeout: float, most_bytes: int = MOST_BYTES) -> Any:
    """OpenAI's client of a server; a response of more than `most_bytes` counts as one that broke off.

    Where aiohttp is installed, requests go over it, which takes less of the processor's time.
    """

    async def limit_response(response: Any) -> None:
        unbounded = response.aiter_bytes

        async def read_within_limit(chunk_size: int | None = None) -> AsyncIterator[bytes]:
            left = most_bytes
            async for part in unbounded(chunk_size):
                left -= len(part)
                if left < 0:
                    raise ReplyTooLong(most_bytes // 1_000_000)
                yield part

        response.aiter_bytes = read_within_limit  # all that reads a response, whole or as a stream, takes it from here

    over_aiohttp = bool(find_spec("aiohttp"))
    hooks: dict[str, Any] = {"request": [_drop_userinfo] if over_aiohttp else [], "response": [limit_response]}
    settings = {"timeout": timeout, "event_hooks": hooks, "verify": trusted_certificates(PACKAGE), "trust_env": False}
    return _client_class(over_aiohttp)(settings)


@cache
def _client_class(over_aiohttp: bool) -> Any:
    return type("ServerClient", (_OnItsWay, DefaultAioHttpClient if over_aiohttp else DefaultAsyncHttpxClient), {})


def unused_sync_client() -> Any:
    """What LangChain's classes are given for calls outside of event loops, which are never made: theirs would warn."""
    return DefaultHttpxClient(verify=trusted_certificates(PACKAGE), trust_env=False)


async def _drop_userinfo(request: Any) -> None:
    """Leave a user and password out of a request's address: its header holds them, and aiohttp takes them once."""
    if request.url.userinfo:
        request.url = request.url.copy_with(userinfo=b"")


class _OnItsWay:
    """What OpenAI's client of a server is, beside a client: how its requests are sent."""

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__(**settings)
        self._shared, self._through = settings, dict[str, Any]()
        self._proxies = dict[tuple[str, str], str]()  # by scheme and host: of another environment is another client
        self._answered = False
        self._wants_encryption: bool | None = None  # once a connection without it broke

    async def send(self, request: Any, **options: Any) -> Any:
        """Send a request, also to where its server has moved; raises `ModelUnavailable` for what can never pass."""
        for _ in range(MOST_MOVES + 1):
            response = await self._send_once(request, {**options, "follow_redirects": False})
            if not 300 <= response.status_code < 400 or options.get("follow_redirects") is False:
                return response
            await response.aclose()
            request = await self._follow(request, response)
        raise ModelUnavailable(f"{_server(request)} sends requests on without end: check its address.")

    async def _send_once(self, request: Any, options: dict[str, Any]) -> Any:
        proxy, own = self._proxy_for(request.url), cast("Any", super())
        if proxy and (limits := request.extensions.get("timeout")):
            request.extensions["timeout"] = {**limits, "connect": min(limits.get("connect") or REACHING, REACHING)}
        response, problem = None, None
        try:
            response = await (self._proxied(proxy) if proxy else own).send(request, **options)
        except Exception as caught:
            problem = caught
        if problem is None:
            line = _explain_answer(response, proxy)
        else:
            line = explain_tls(problem, _server(request)) or _explain_proxy(problem, proxy, new=not self._answered)
        odd = response is None or (response.status_code >= 400 and not _is_json(response))
        if odd and not (line or proxy or self._answered):
            if self._wants_encryption is None:
                self._wants_encryption = await _wants_encryption(request.url)
            if self._wants_encryption:
                line = f"{_server(request)} wants encryption: write https:// in its address."
        self._answered = self._answered or not odd
        if line:
            raise ModelUnavailable(line)
        if problem is not None:
            raise problem
        return response

    def _proxy_for(self, url: Any) -> str:
        place = (url.scheme, url.netloc)
        if place not in self._proxies:
            self._proxies[place] = proxy_for(str(url), PROXY_OF_OWN)
        return self._proxies[place]

    def _proxied(self, proxy: str) -> Any:
        if proxy not in self._through:
            plain = proxy.startswith("socks") or not find_spec("aiohttp")  # aiohttp knows no SOCKS
            base = DefaultAsyncHttpxClient if plain else DefaultAioHttpClient
            self._through[proxy] = base(**self._shared, proxy=proxy)
        return self._through[proxy]

    async def _follow(self, request: Any, response: Any) -> Any:
        """The request again, to where its server has moved; raises `ModelUnavailable` where its text or key may not."""
        location = response.headers.get("location", "")
        target = urljoin(str(request.url), location)
        line = _explain_move(str(request.url), target if location else "", request.method, response.status_code)
        if line:
            raise ModelUnavailable(f"{_server(request)} {line}")
        headers = [(name, value) for name, value in request.headers.multi_items() if name.lower() != "host"]
        if not _is_same_server(str(request.url), target):
            headers = [("accept", "*/*")]
        built: Any = self
        moved = built.build_request(request.method, target, headers=headers, content=await request.aread() or None)
        moved.extensions = {**moved.extensions, **request.extensions}
        return moved

    async def aclose(self) -> None:
        """Close the connections, also those through proxies."""
        for client in self._through.values():
            await client.aclose()
        await cast("Any", super()).aclose()


def _server(request: Any) -> str:
    parts = urlsplit(without_secrets(str(request.url)))
    return f"The model server at {parts.scheme}://{parts.netloc}{through_proxy(str(request.url))}"


def _is_json(response: Any) -> bool:
    return "json" in response.headers.get("content-type", "")


def _explain_answer(response: Any, proxy: str) -> str:
    if response.status_code == 407:
        return _explain_status(407, proxy)
    tunnelled = response.request.url.scheme == "https"
    if proxy and response.status_code == 403 and not tunnelled and not _is_json(response):  # a model server's is JSON
        return _explain_status(403, proxy)
    page = response.headers.get("content-type", "").startswith(WEB_PAGE)
    if proxy and page and not tunnelled and response.status_code < 500:
        return (
            f"The proxy {without_secrets(proxy)} answers with a web page ({response.status_code}) in the place of the "
            f"model server: look at it in a browser. {EXCEPT}"
        )
    return ""


def _explain_proxy(problem: BaseException, proxy: str, *, new: bool) -> str:
    """Why a proxy lets nothing through, which is `new` until it first does; "" where that may pass."""
    if proxy and new and type(problem).__name__ in ("ConnectError", "ConnectTimeout"):
        return f"The proxy {without_secrets(proxy)} does not answer: check the variable that names it. {EXCEPT}"
    base_exception: BaseException | None = problem
    while base_exception is not None and proxy:
        status = getattr(base_exception, "status", None)  # as aiohttp has it; httpx begins its message with it
        said = str(base_exception).partition(" ")[0] if "ProxyError" in type(base_exception).__name__ else ""
        status = status if isinstance(status, int) else int(said) if said.isdecimal() else 0
        if 400 <= status < 500 or "username/password" in str(base_exception):
            return _explain_status(status or 407, proxy)
        base_exception = base_exception.__cause__ or base_exception.__context__
    return ""


def _explain_status(status: int, proxy: str) -> str:
    named = f"The proxy {without_secrets(proxy)}" if proxy else "A proxy"
    if status == 407:
        return f"{named} wants a user and a password (407): write http://USER:PASSWORD@HOST:PORT in its variable."
    return f"{named} refuses the way to the model server ({status}): ask who runs it. {EXCEPT}"


def _explain_move(source: str, target: str, method: str, status: int) -> str:
    """Why a request is not sent on to where its server sends it; "" where it can be."""
    if not target:
        return f"answers {status}, and doesn't say where it has moved: check its address."
    old, new = urlsplit(source), urlsplit(target)
    shown = without_secrets(target)
    if new.scheme not in PORTS or not new.hostname:
        return f"sends requests on ({status}) to no web address: check its address."
    same = _is_same_server(source, target)
    if method == "GET":
        return "" if same or new.scheme == "https" else f"sends requests on ({status}) to {shown}, without encryption."
    if not same:
        where = "another server" if new.hostname != old.hostname else "another port"
        where = "without encryption" if (old.scheme, new.scheme) == ("https", "http") else where
        return f"sends requests on ({status}) to {shown}, {where}: if that is right, make it the address."
    if status == 303 or _endpoint(new.path) != _endpoint(old.path):
        return f"sends requests on ({status}) to {shown}, which is no address of a model: check its address, or log in."
    return ""


def _endpoint(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _is_same_server(source: str, target: str) -> bool:
    """Whether the key may go there too: the same host and port, or the same host with encryption instead of none."""
    old, new = urlsplit(source), urlsplit(target)
    upgraded = (old.scheme, new.scheme) == ("http", "https")
    same_port = (old.port or PORTS.get(old.scheme)) == (new.port or PORTS.get(new.scheme))
    return old.hostname == new.hostname and (upgraded or (old.scheme == new.scheme and same_port))


async def _wants_encryption(url: Any) -> bool:
    """Whether a server that was asked without encryption answers with it."""
    if url.scheme != "http":
        return False
    try:
        async with asyncio.timeout(PROBING):
            _, writer = await asyncio.open_connection(url.host, url.port or 80, ssl=trusted_certificates(PACKAGE))
    except ssl.SSLCertVerificationError:
        return True
    except (OSError, TimeoutError):
        return False
    writer.transport.abort()
    return True
