"""Every attempt of this process to reach a host is seen, by Python's audit events; only one port is let through."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

REACHING = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg")

_watching: list["Attempts"] = []


class Attempts:
    """What was tried: to the port that is let through, and elsewhere."""

    def __init__(self, port: int | None) -> None:
        self.port: int | None = port
        self.let_through = 0
        self.refused = list[str]()

    def see(self, event: str, given: tuple[Any, ...]) -> None:
        """Count an attempt; raises `ConnectionRefusedError` if it isn't let through."""
        address = given[0:2] if event in ("socket.getaddrinfo", "socket.gethostbyname") else given[1]
        if address is None or isinstance(address, str | bytes):
            return  # a socket of this machine alone, or one that is connected already
        host = address[0].decode() if isinstance(address[0], bytes) else address[0]
        port = address[1] if len(address) > 1 else None
        if self.port and host in ("127.0.0.1", "localhost") and port in (self.port, str(self.port)):
            self.let_through += 1
            return
        self.refused.append(f"{event} {host}:{port}")
        raise ConnectionRefusedError(f"A test refuses {event} to {host}:{port}.")


def _hook(event: str, given: tuple[Any, ...]) -> None:
    if _watching and event in REACHING:
        _watching[-1].see(event, given)


_hooked: list[bool] = []


@contextmanager
def only_port(port: int | None) -> Iterator[Attempts]:
    """Inside the `with`, this process reaches this port of this machine (None: nothing at all)."""
    if not _hooked:  # a hook can't be taken away: there is one, and it does nothing outside
        sys.addaudithook(_hook)
        _hooked.append(True)
    _watching.append(Attempts(port))
    try:
        yield _watching[-1]
    finally:
        _watching.pop()
