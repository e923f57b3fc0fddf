"""The HTTP client of model servers, with a bound for what one sends: no response can fill the memory."""

import os
import ssl
import sys
from collections.abc import AsyncIterator
from functools import cache
from typing import Any

from openai import DefaultAsyncHttpxClient

from readgraph.models.transport.failures import ReplyTooLong
from readgraph.state.errors import BadInput

MOST_BYTES = 20_000_000
"""Of one response, unpacked, where no setting says otherwise: 64 embeddings of 4,096 numbers take 6 MB."""

CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
"""Variables of the environment that name certificates."""


def bounded_client(timeout: float, most_bytes: int = MOST_BYTES, **settings: Any) -> Any:
    """OpenAI's client of a server; a response of more than `most_bytes` counts as one that broke off.

    Which HTTP package it is from depends on OpenAI's version.
    """

    async def bound(response: Any) -> None:
        _bound(response, most_bytes)

    certificates = _certificates(*map(os.environ.get, CERTIFICATES))
    return DefaultAsyncHttpxClient(timeout=timeout, event_hooks={"response": [bound]}, verify=certificates, **settings)


@cache
def _certificates(*named: str | None) -> ssl.SSLContext:
    """The certificates that the HTTP package trusts: read once in a process, and not for each event loop's client.

    Each client's own took half a megabyte, which was not given back to the system when its loop ended.
    """
    package = DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0]
    try:
        trusted: ssl.SSLContext = sys.modules[package].create_ssl_context()
    except OSError as problem:
        raise BadInput(f"The certificates that {' or '.join(CERTIFICATES)} names can't be read: {problem}.") from None
    return trusted


def _bound(response: Any, most_bytes: int) -> None:
    """All that reads a response, whole or as a stream, takes its bytes from here."""
    unbounded = response.aiter_bytes

    async def bounded(chunk_size: int | None = None) -> AsyncIterator[bytes]:
        left = most_bytes
        async for part in unbounded(chunk_size):
            left -= len(part)
            if left < 0:
                raise ReplyTooLong(most_bytes // 1_000_000)
            yield part

    response.aiter_bytes = bounded
