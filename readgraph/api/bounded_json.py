"""JSON that programs send: bounded in nesting and values before anything is made of it."""

import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

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
