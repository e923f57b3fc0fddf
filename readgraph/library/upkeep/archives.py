"""Recorded replies as JSON lines, to hand on.

With such an archive anyone can replay a run that somebody else paid for. A reply's key is a digest of the messages and
the model, so the same prompt to the same model finds it. It holds no API keys.
"""

import json
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import asdict
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from readgraph.library.page_store import PageStore
from readgraph.state.errors import BadInput
from readgraph.state.files import check_format
from readgraph.state.records import Count, RecordedReply

LONGEST_FAULT = 200
REPLY_FORMAT = 1
HEADER = {"readgraph": "replies", "format": REPLY_FORMAT}


async def archive_lines(pages: PageStore, document: str | None = None) -> AsyncIterator[str]:
    """The archive's lines, sorted by key: all replies, or those recorded for one document."""
    yield json.dumps(HEADER)
    replies = {key: value async for key, value in pages.replies(document)}
    for key in sorted(replies):
        reply = asdict(replies[key])
        if not replies[key].flaw:
            del reply["flaw"]  # early versions of this format refuse it
        yield json.dumps({"key": key, **reply}, ensure_ascii=False, sort_keys=True)


async def add_archived_replies(pages: PageStore, lines: Iterable[str]) -> tuple[int, int]:
    """Add an archive's replies; returns how many were new, and how many were there already (and stay unchanged).

    Raises `BadInput`, before anything is stored, if a line is not a reply.
    """
    replies = list(_parse_replies(lines))
    stored = [await pages.reply(key) for key, _ in replies]
    new = [reply for reply, known in zip(replies, stored, strict=True) if known is None]
    for key, reply in new:
        await pages.put_reply(key, reply)
    return len(new), len(replies) - len(new)


async def copy_replies(source: PageStore, to: PageStore) -> int:
    """Add the replies of another library; returns how many were new. Those that are there already stay unchanged."""
    new = 0
    async for key, reply in source.replies():
        if await to.reply(key) is None:
            await to.put_reply(key, reply)
            new += 1
    return new


class _Line(BaseModel, extra="forbid", strict=True):
    """A reply and its key; replies recorded by early versions have no tokens, and no flaw."""

    key: Annotated[str, Field(min_length=1)]
    said: str
    cut: bool
    asked: str
    document: str
    tokens: tuple[Count, Count] = (0, 0)
    flaw: str = ""


def _parse_replies(lines: Iterable[str]) -> Iterator[tuple[str, RecordedReply]]:
    for number, line in enumerate(lines, 1):
        if number == 1:
            try:
                header = json.loads(line)
            except (ValueError, RecursionError):
                raise BadInput("Line 1 is not JSON: is this an archive of replies?") from None
            if isinstance(header, dict) and header.get("readgraph") == HEADER["readgraph"]:
                check_format("This archive of replies", header.get("format"), REPLY_FORMAT)
            if header != HEADER:
                raise BadInput(f"This is not an archive of replies: the first line of one is {json.dumps(HEADER)}.")
            continue
        try:
            parsed = _Line.model_validate_json(line)
        except ValidationError as problem:
            if problem.errors(include_input=False)[0]["type"] == "json_invalid":
                raise BadInput(f"Line {number} is not JSON: is this an archive of replies?") from None
            raise BadInput(f"Line {number} is not a reply: {first_fault(problem)}.") from None
        yield parsed.key, RecordedReply(**parsed.model_dump(exclude={"key"}))


def first_fault(problem: ValidationError) -> str:
    """The first thing that is wrong with what was validated, and where."""
    fault = problem.errors(include_input=False)[0]
    return ": ".join(filter(None, [".".join(map(str, fault["loc"])), fault["msg"]]))[:LONGEST_FAULT]
