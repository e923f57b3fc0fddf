"""Recorded replies as a file of JSON lines, so that a run that somebody paid for can be replayed by anyone.

The first line names the format. A reply's key is a digest of what was asked: who asks the same of the same model
finds it. Keys of providers are in no reply.
"""

import json
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

from readgraph.state.errors import BadInput
from readgraph.state.page_store import PageStore

HEADER = {"readgraph": "replies", "format": 1}

_FIELDS = {"said": str, "cut": bool, "asked": str, "document": str}

_TOKENS = "tokens"
"""A pair of counts, in and out; replies that were recorded by an earlier version have none."""


async def exported(pages: PageStore, document: str | None = None) -> AsyncIterator[str]:
    """The archive's lines: all replies, or those that were paid for one document, by their keys."""
    yield json.dumps(HEADER)
    replies = {key: value async for key, value in pages.replies(document)}
    for key in sorted(replies):
        yield json.dumps({"key": key, **replies[key]}, ensure_ascii=False, sort_keys=True)


async def imported(pages: PageStore, lines: Iterable[str]) -> tuple[int, int]:
    """Take an archive in; gives how many replies were new, and how many were there already (and stay as they are).

    Raises `BadInput` before anything is stored where a line is no reply.
    """
    replies = list(_parsed(lines))
    known = [await pages.reply(key) for key, _ in replies]
    new = [reply for reply, there in zip(replies, known, strict=True) if there is None]
    for key, value in new:
        await pages.put_reply(key, value)
    return len(new), len(replies) - len(new)


def _parsed(lines: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(lines, 1):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            raise BadInput(f"Line {number} is no JSON: is this an archive of replies?") from None
        if number == 1:
            if value != HEADER:
                raise BadInput("This is no archive of replies, or of a newer format: its first line doesn't say so.")
            continue
        if not _is_reply(value):
            raise BadInput(f"Line {number} is no reply: it needs {', '.join(['key', *_FIELDS])}.")
        yield value.pop("key"), value


def _is_reply(value: Any) -> bool:
    kinds = {**_FIELDS, "key": str}
    if not isinstance(value, dict) or value.keys() - {_TOKENS} != kinds.keys():
        return False
    tokens = value.get(_TOKENS, [0, 0])
    counts = isinstance(tokens, list) and len(tokens) == 2 and all(type(count) is int for count in tokens)
    return counts and all(isinstance(value[name], kind) for name, kind in kinds.items())
