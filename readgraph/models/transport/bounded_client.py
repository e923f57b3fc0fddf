"""The HTTP client of model servers, with a bound for what one sends: no response can fill the memory."""

from collections.abc import AsyncIterator
from typing import Any

from openai import DefaultAsyncHttpxClient

from readgraph.models.transport.failures import ReplyTooLong

MOST_BYTES = 20_000_000
"""Of one response, unpacked, where no setting says otherwise: 64 embeddings of 4,096 numbers take 6 MB."""


def bounded_client(timeout: float, most_bytes: int = MOST_BYTES, **settings: Any) -> Any:
    """OpenAI's client of a server; a response of more than `most_bytes` counts as one that broke off.

    Which HTTP package it is from depends on OpenAI's version.
    """

    async def bound(response: Any) -> None:
        _bound(response, most_bytes)

    return DefaultAsyncHttpxClient(timeout=timeout, event_hooks={"response": [bound]}, **settings)


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
