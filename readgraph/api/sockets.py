"""The address that a server listens on."""

import os
import socket

from readgraph.state.errors import BadInput

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def bind_at(listener: socket.socket, address: tuple[str, int]) -> None:
    """Bind a socket to an address, also where a server has just ended; raises `OSError` where one still listens."""
    if os.name == "posix":  # on Windows this would let two servers have the same port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(address)


def open_listener(host: str, port: int) -> socket.socket:
    """A socket on this address; port 0 takes a free one. Raises `BadInput` where that can't be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small packets at once only where the protocol is named; else each answer waits 40 ms
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bind_at(listener, (host, port))
        listener.listen()  # who connects before the server runs waits for it
    except OSError as problem:
        listener.close()
        raise BadInput(
            f"{host}:{port} can't be used ({problem.strerror or problem}): choose another --port or --host."
        ) from None
    return listener


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    return host in (*LOOPBACK, "::1") or host.startswith("127.")


def in_address(host: str) -> str:
    """The host as it stands in an address: one of IPv6 in brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
