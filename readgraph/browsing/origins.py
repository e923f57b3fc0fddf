"""Origins of addresses: the scheme, host and port that one web site has."""

from urllib.parse import urlsplit

from readgraph.state.errors import BadInput

PORTS: dict[str, int] = {"http": 80, "https": 443, "ws": 80, "wss": 443}

LOCAL = ("data:", "blob:", "about:")
"""Schemes of what a page makes itself: nothing is asked of a server."""


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


def asked_origin(address: str) -> str:
    """The origin of an address that a user names; raises `BadInput` where it is no web address."""
    origin = origin_of(address)
    if not origin.startswith("http"):
        raise BadInput(f"'{without_login(address)}' is no address of a web page: write it as https://example.org/page.")
    return origin
