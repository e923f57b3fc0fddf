"""What our servers share: the address that one listens on, and bounds of the JSON that programs send it."""

import os
import re
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

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


Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]  # of a request over HTTP, as ASGI has it
MOST_MB = 20
DEEPEST, MOST_VALUES = 64, 100_000  # lists and objects inside each other; keys and values, counted by their signs
_SIGN = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[\[{]|[\]}]|[,:]', re.DOTALL)


def json_fault(data: bytes) -> str:
    """What JSON has too much of; "" for nothing, as in what is no JSON."""
    depth = count = 0
    for sign in _SIGN.finditer(data):
        first = data[sign.start()]
        if first in b"[{":
            depth += 1
            if depth > DEEPEST:
                return f"more than {DEEPEST} lists and objects inside each other"
        elif first in b"]}":
            depth -= 1
        elif first in b",:":
            count += 1
            if count > MOST_VALUES:
                return f"more than {MOST_VALUES:,} keys and values"
    return ""


async def read_body(receive: Receive, most: int) -> tuple[bytes, Receive]:
    """The body of a request, of one that is too long its beginning; and what gives it again to an application."""
    data, came = bytearray(), await receive()
    while True:
        data += came.get("body", b"")
        if came["type"] != "http.request" or not came.get("more_body") or len(data) > most:
            break
        came = await receive()
    again = [{"type": "http.request", "body": bytes(data)}] if came["type"] == "http.request" else [came]

    async def receive_again() -> MutableMapping[str, Any]:
        return again.pop() if again else await receive()

    return bytes(data), receive_again
