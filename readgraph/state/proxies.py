"""Which proxy a request goes through: as the environment or the system says, and none to this machine itself."""

import ipaddress
import os
import socket
from functools import cache
from importlib.util import find_spec
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from readgraph.state.errors import BadInput

OWN_NAMES = "localhost,127.0.0.0/8,127.0.0.1,::1"  # as NO_PROXY lists them; not every package knows ranges
SCHEMES = {"http": "http", "https": "https", "socks": "socks5", "socks5": "socks5", "socks5h": "socks5h"}
"""The kinds of proxies, as the HTTP packages call them; GNOME's settings call SOCKS 5 "socks"."""


def is_this_machine(host: str) -> bool:
    """Whether a host name or address is this machine's own, without asking a name server."""
    name = host.strip("[]").rstrip(".").lower()
    if name in _own_names() or name.endswith(".localhost"):
        return True
    if (address := _ip_address(name)) is None:
        return False
    inner = getattr(address, "ipv4_mapped", None) or address
    return bool(inner.is_loopback or inner.is_unspecified)


@cache
def _own_names() -> frozenset[str]:
    own = socket.gethostname().lower()
    return frozenset({"localhost", "localhost.localdomain", own, f"{own.partition('.')[0]}.local"} - {"", ".local"})


def _ip_address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        pass
    try:
        return ipaddress.ip_address(socket.inet_aton(name)) if name[:1].isdigit() else None  # short forms, as 127.1
    except OSError:
        return None


def proxy_for(address: str, own: str = "") -> str:
    """The address of the proxy that requests to `address` go through, "" for none; raises `BadInput`, in one line.

    `own`: what precedes _PROXY in the name of a variable that comes before the usual ones.
    """
    parts = urlsplit(address)
    host = parts.hostname or ""
    if not host or is_this_machine(host):
        return ""
    proxies = getproxies()
    kind = next((kind for kind in (own, parts.scheme, "all") if proxies.get(kind)), "")
    if not kind or _is_excepted(parts, proxies.get("no", "")) or proxy_bypass(host):
        return ""
    given, variable = proxies[kind].strip(" \t\"'"), f"{kind.upper()}_PROXY"
    try:
        proxy = urlsplit(given if "://" in given else f"http://{given}")
        usable = bool(proxy.hostname) and proxy.port != 0
    except ValueError:
        usable = False
    scheme = SCHEMES.get(proxy.scheme, "") if usable else ""
    if not scheme:
        what = f" ({proxy.scheme}://)" if usable else ""
        raise BadInput(
            f"{variable} names no proxy that can be used{what}: write http://HOST:PORT or socks5://HOST:PORT."
        )
    if scheme.startswith("socks") and not find_spec("socksio"):
        raise BadInput(f"{variable} names a SOCKS proxy, which needs one more package: pip install socksio.")
    return proxy._replace(scheme=scheme, path="", query="", fragment="").geturl()


def _is_excepted(parts: SplitResult, listed: str) -> bool:
    """Whether NO_PROXY lists the host: a name with its subdomains, an address, a range, any with a port, or "*"."""
    host = (parts.hostname or "").rstrip(".").lower()
    address, port = _ip_address(host), parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    for entry in listed.lower().replace(",", " ").split():
        name = entry.partition("://")[2] or entry
        if name == "*":
            return True
        name, separator, given_port = _split_port(name)
        if separator and given_port != str(port):
            continue
        if address is not None:
            try:
                if address in ipaddress.ip_network(name.strip("[]"), strict=False):
                    return True
            except ValueError:
                continue
        name = name.removeprefix("*").lstrip(".").rstrip(".")
        if name and (host == name or host.endswith(f".{name}")):
            return True
    return False


def _split_port(name: str) -> tuple[str, str, str]:
    head, separator, port = name.rpartition(":")
    is_port = separator and port.isdigit() and (":" not in head or head.endswith("]"))
    return (head, separator, port) if is_port else (name, "", "")


def except_this_machine() -> None:
    """List this machine in this process's NO_PROXY where proxies are set: other packages read it, and child processes.

    Only for a process that is ours, such as the command's: it is no one else's environment.
    """
    if any(
        name.lower().endswith("_proxy") and name.lower() != "no_proxy" and value for name, value in os.environ.items()
    ):
        listed = getproxies().get("no", "")
        for name in ("no_proxy", "NO_PROXY"):
            os.environ[name] = ",".join(filter(None, [listed, OWN_NAMES]))
