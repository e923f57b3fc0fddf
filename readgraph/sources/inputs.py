"""What users name (files, standard input, web addresses), each read within limits of size and time.

No pipes that wait for ever, no devices, nothing larger than the memory; of addresses only those that the user named.
"""

import re
import sys
from contextlib import suppress
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from readgraph.sources.kinds import ending_for, kind_of
from readgraph.state.errors import BadInput
from readgraph.state.files import check_regular
from readgraph.state.words import limit_set

if TYPE_CHECKING:
    import httpx2

MOST_MB = 200  # the most megabytes of a file, unless READGRAPH_MAX_FILE_MB is set


def most_bytes() -> int:
    """The most bytes that are read of a file, of standard input, or of all members of an archive together."""
    return limit_set("READGRAPH_MAX_FILE_MB", MOST_MB, "megabytes") * 1_000_000


def read_bytes(path: Path, name: str) -> bytes:
    """The bytes of a regular file (`name` in messages); raises `BadInput` if it can't be read or is too large."""
    most = most_bytes()
    if check_regular(path, name) > most:
        raise too_large_error(name)
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)  # a file may grow, and some system files report size 0
    except OSError as problem:
        raise BadInput(f"{name} can't be read: {problem.strerror}.") from None
    if len(data) > most:
        raise too_large_error(name)
    return data


def read_standard_input() -> bytes:
    """The bytes of standard input; raises `BadInput` if it is closed or too large."""
    most = most_bytes()
    try:
        data = sys.stdin.buffer.read(most + 1)
    except (AttributeError, OSError):  # closed (sys.stdin is None), or a folder
        raise BadInput("Standard input can't be read: pipe a text into it, or name a file.") from None
    if len(data) > most:
        raise too_large_error("Standard input")
    return data


def too_large_error(name: str, *, packed: bool = False) -> BadInput:
    """The error for a file that is larger than `most_bytes`, or in which more is `packed`."""
    most = f"more than {most_bytes() // 1_000_000} MB"
    wrong = f"would unpack to {most}: " if packed else f"has {most}: split it, or "
    return BadInput(f"{name} {wrong}set READGRAPH_MAX_FILE_MB to a larger number.")


if sys.platform == "win32":
    from pathlib import WindowsPath as _SystemPath
else:
    from pathlib import PosixPath as _SystemPath

_ADDRESS_BEGINS = ("https://", "http://")


class Address(_SystemPath):
    """An address such as "https://example.org/report/": a path, so that it can stand among the paths of files.

    Its string is the address as it was written; a plain path would lose one of two slashes, and one at the end.
    """

    _address = ""

    def __new__(cls, address: str) -> "Address":
        """The address as it is written."""
        made = super().__new__(cls, address)
        made._address = address
        return made

    def __str__(self) -> str:
        return self._address or super().__str__()

    def with_segments(self, *segments: str | PathLike[str]) -> Path:
        """A path derived from this one: a plain one."""
        return Path(*segments)


def file_or_address(name: str) -> Path:
    """What a name stands for: an `Address` if it begins with https:// or http://, or else a file's path."""
    return Address(name) if name.lower().startswith(_ADDRESS_BEGINS) else Path(name)


MOST_SECONDS = 60.0  # the most seconds from the first connection to the last byte, redirects included
MOST_REDIRECTS = 10
_SILENCE = 20.0  # the most seconds without a byte
_LAST_PORT = 65_535
_ERROR_NUMBER = re.compile(r"^\[Errno -?\d+\]")
_HEADERS = {"User-Agent": "readgraph", "Accept": "text/html, application/pdf, text/*;q=0.9, */*;q=0.5"}
_SAYS_LITTLE = frozenset(("", "text/plain", "application/octet-stream", "binary/octet-stream", "application/zip"))
"""Types under which servers send files of many kinds: the ending of the address says more."""


def fetch(address: str) -> tuple[bytes, str]:
    """The bytes at an address (https or http), and the ending of files of their kind; pictures and scripts are refused.

    The content type decides the kind; where it says little, the ending of the address does, if it is a known one. Don't
    call it in an event loop. Raises `BadInput` with one line if the address doesn't answer in time, answers with an
    error, or with more than `most_bytes`.
    """
    import httpx2

    from readgraph.state.certificates import explain_tls
    from readgraph.state.loops import in_background

    try:
        return in_background(_fetch, address)
    except TimeoutError:
        raise BadInput(f"{address} didn't answer within {MOST_SECONDS:.0f} seconds: try again later.") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, ValueError) as problem:
        if line := explain_tls(problem, f"The server of {address}"):
            raise BadInput(line) from None
        reason = " ".join(_ERROR_NUMBER.sub("", str(problem)).split()) or type(problem).__name__
        raise BadInput(f"{address} doesn't answer ({reason}): check the address and the connection.") from None


async def _fetch(address: str) -> tuple[bytes, str]:
    import anyio
    import httpx2

    from readgraph.state.certificates import trusted_certificates
    from readgraph.state.proxies import proxy_for

    timeout = httpx2.Timeout(min(_SILENCE, MOST_SECONDS))
    url, trusted = _check_url(httpx2.URL(address), address), trusted_certificates("httpx2")
    with anyio.fail_after(MOST_SECONDS):
        for _ in range(MOST_REDIRECTS + 1):
            way: dict[str, Any] = {"proxy": proxy_for(str(url)) or None, "trust_env": False, "verify": trusted}
            async with (
                httpx2.AsyncClient(headers=_HEADERS, timeout=timeout, **way) as client,
                client.stream("GET", url) as response,
            ):
                if not response.has_redirect_location:
                    return await _read_response(response, address)
                url = _check_url(url.join(response.headers["location"]), address)
    raise BadInput(f"{address} leads from one address to the next without end: check the address.")


def _check_url(url: "httpx2.URL", address: str) -> "httpx2.URL":
    if url.scheme not in ("https", "http") or not url.host or (url.port or 0) > _LAST_PORT:
        raise BadInput(f"{address} leads to {str(url)[:200]!a}, which is no https:// or http:// address: check it.")
    if url.userinfo:
        raise BadInput("An address with a user or a password in it is not fetched: save the page, and name the file.")
    return url


async def _read_response(response: "httpx2.Response", address: str) -> tuple[bytes, str]:
    if response.status_code != 200:
        reason = f"{response.status_code} {response.reason_phrase}".strip()
        raise BadInput(f"{address} answers with {ascii(reason)[1:-1]}: check the address, or save the page as a file.")
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    ending = PurePosixPath(unquote(response.url.path)).suffix.lower()
    if known := ending_for(kind):
        suffix = known
    elif (kind in _SAYS_LITTLE or kind.startswith("text/")) and kind_of(ending):
        suffix = ending
    elif kind.startswith("text/"):
        suffix = ".txt"
    else:
        shown = ascii(kind)[1:-1] or "no content type"
        raise BadInput(f"{address} answers with {shown}, which is not a kind that can be read: save it as a file.")
    portions, size = list[bytes](), 0
    async for portion in response.aiter_bytes():
        size += len(portion)
        if size > most_bytes():
            raise too_large_error(address)
        portions.append(portion)
    data, charset = b"".join(portions), response.charset_encoding
    if charset and response.headers["content-type"].lower().startswith("text/") and suffix != ".rtf":
        with suppress(UnicodeError, LookupError):
            return data.decode(charset).encode(), suffix
    return data, suffix
