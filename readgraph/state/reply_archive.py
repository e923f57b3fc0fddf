"""Recorded replies as a file of JSON lines, so that a run that somebody paid for can be replayed by anyone.

The first line names the format. A reply's key is a digest of what was asked: who asks the same of the same model
finds it. Keys of providers are in no reply.
"""

import json
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import asdict
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from readgraph.state.errors import BadInput
from readgraph.state.page_store import PageStore
from readgraph.state.records import RecordedReply
from readgraph.state.sound import Count

HEADER = {"readgraph": "replies", "format": 1}

LONGEST_FAULT = 200
"""Characters of what is wrong with a line."""


async def exported(pages: PageStore, document: str | None = None) -> AsyncIterator[str]:
    """The archive's lines: all replies, or those that were paid for one document, by their keys."""
    yield json.dumps(HEADER)
    replies = {key: value async for key, value in pages.replies(document)}
    for key in sorted(replies):
        yield json.dumps({"key": key, **asdict(replies[key])}, ensure_ascii=False, sort_keys=True)


async def imported(pages: PageStore, lines: Iterable[str]) -> tuple[int, int]:
    """Take an archive in; gives how many replies were new, and how many were there already (and stay as they are).

    Raises `BadInput` before anything is stored where a line is no reply.
    """
    replies = list(_parsed(lines))
    known = [await pages.reply(key) for key, _ in replies]
    new = [reply for reply, there in zip(replies, known, strict=True) if there is None]
    for key, reply in new:
        await pages.put_reply(key, reply)
    return len(new), len(replies) - len(new)


class _Line(BaseModel, extra="forbid", strict=True):
    """A reply under its key; those that were recorded by an earlier version have no tokens."""

    key: Annotated[str, Field(min_length=1)]
    said: str
    cut: bool
    asked: str
    document: str
    tokens: tuple[Count, Count] = (0, 0)


def _parsed(lines: Iterable[str]) -> Iterator[tuple[str, RecordedReply]]:
    for number, line in enumerate(lines, 1):
        if number == 1:
            _check_header(line)
            continue
        try:
            parsed = _Line.model_validate_json(line)
        except ValidationError as problem:
            fault = problem.errors(include_input=False)[0]
            if fault["type"] == "json_invalid":
                raise BadInput(f"Line {number} is no JSON: is this an archive of replies?") from None
            what = ": ".join(filter(None, [".".join(map(str, fault["loc"])), fault["msg"]]))
            raise BadInput(f"Line {number} is no reply: {what[:LONGEST_FAULT]}.") from None
        yield parsed.key, RecordedReply(**parsed.model_dump(exclude={"key"}))


def _check_header(line: str) -> None:
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        raise BadInput("Line 1 is no JSON: is this an archive of replies?") from None
    if header != HEADER:
        raise BadInput("This is no archive of replies, or of a newer format: its first line doesn't say so.")
