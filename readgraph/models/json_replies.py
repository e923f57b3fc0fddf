"""Tolerant parsing of typed replies: what a model meant, or one line on why it can't be used."""

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from readgraph.models.mending import objects_mended

Reply = TypeVar("Reply", bound=BaseModel)
Result = TypeVar("Result")

_THINKING = re.compile(r"\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*\s*\n(.*?)(?:\n```|\Z)", re.DOTALL)

MOST_BRACES = 32
"""Places in a reply that are tried as the beginning of sound JSON."""

LONGEST = 64_000
"""Characters of a reply that is read; a longer one is refused."""

MOST_FAULTS = 1000
"""Faults that are listed: pydantic can only list all of them, and lets no other thread run meanwhile."""

QUICK = 4_000
"""Characters of a reply that an event loop reads itself, where nothing must be mended: that takes milliseconds."""


class Refused(Exception):
    """Why a reply can't be used; the text goes back to the model."""


def plain_text(said: str) -> str:
    """The reply without its thinking part; refuses an empty one, and one of more than `LONGEST` characters."""
    if len(said) > LONGEST:
        raise Refused(f"the reply is longer than {LONGEST:,} characters; be shorter")
    text = _THINKING.sub("", said, count=1) if _THINKING.match(said) else said
    if not text.lstrip().startswith(("{", "[", "```")) and "<think" not in text.casefold():
        text = _THOUGHT.split(text, maxsplit=1)[-1]  # some servers keep the opening tag
    if not text.strip():
        raise Refused("the reply is empty")
    return text.strip()


def parse_reply(said: str, reply: type[Reply]) -> Reply:
    """The typed reply in a text: bare JSON, JSON in a fence or in prose, with the usual slips mended.

    Takes a bounded time for any text: see `nodes/mending.py`.
    """
    text = plain_text(said)
    return _first_fitting(_objects(text), reply, len(text))


async def read_reply(said: str, reply: type[Reply]) -> Reply:
    """`parse_reply` for an event loop, which other readings share: what may take long is done in a thread."""
    if len(said) <= QUICK:
        text = plain_text(said)
        with suppress(Refused):
            return _first_fitting(reversed([*_sound_objects(text)]), reply, len(text))
    return await asyncio.to_thread(parse_reply, said, reply)


async def aside(work: Callable[[str], Result], text: str) -> Result:
    """What is worked out from a text: a long one in a thread, so that the event loop goes on."""
    return work(text) if len(text) <= QUICK else await asyncio.to_thread(work, text)


def _first_fitting(objects: Iterable[tuple[int, dict[str, Any]]], reply: type[Reply], end: int) -> Reply:
    problem, earliest = "the reply holds no JSON object", end
    for start, value in objects:
        try:
            return reply.model_validate(value)
        except ValidationError as fault:
            if start < earliest:  # the outermost object is what was meant; others are parts of it
                problem, earliest = _faults(fault), start
    raise Refused(problem)


def _objects(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """What may be meant, with its place: sound JSON objects, the last first, then what can be mended to one."""
    yield from reversed([*_sound_objects(text)])
    yield from objects_mended([text, *reversed(_FENCE.findall(text))])


def _sound_objects(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    decoder, at = json.JSONDecoder(strict=False), 0
    for _ in range(MOST_BRACES):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
        else:
            yield at, value
            at = end


def _faults(problem: ValidationError) -> str:
    if (count := problem.error_count()) > MOST_FAULTS:
        return f"{count:,} of its values can't be used"
    faults = problem.errors(include_url=False, include_context=False, include_input=False)[:3]
    return "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'reply'}: {fault['msg']}" for fault in faults)


@lru_cache(512)
def reply_schema(reply: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a type of reply; worked out once, since that takes longer than all else of an ask."""
    return reply.model_json_schema()


def reply_instructions(reply: type[BaseModel]) -> str:
    """How a reply of this type looks, for models that are not told by their server."""
    schema = reply_schema(reply)
    lines = [f"- {name}: {_described(field, schema)}" for name, field in schema["properties"].items()]
    return "Reply with one JSON object and nothing else. Its fields:\n" + "\n".join(lines)


def _described(field: dict[str, Any], schema: dict[str, Any]) -> str:
    kind = _kind(field, schema)
    return f"{kind}. {field['description']}" if "description" in field else kind


def _kind(field: dict[str, Any], schema: dict[str, Any]) -> str:
    if "$ref" in field:
        target = schema["$defs"][field["$ref"].rsplit("/", 1)[-1]]
        inner = ", ".join(f'"{name}": {_kind(part, schema)}' for name, part in target.get("properties", {}).items())
        return "{" + inner + "}"
    if "anyOf" in field:
        return " or ".join(_kind(option, schema) for option in field["anyOf"])
    if field.get("type") == "array":
        return f"list of {_kind(field.get('items', {}), schema)}"
    if "enum" in field:
        return "one of " + ", ".join(map(str, field["enum"]))
    return str(field.get("type", "value"))
