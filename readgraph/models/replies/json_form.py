"""Tolerant parsing of typed replies: the reply as the model meant it, or one line on why it can't be used."""

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from readgraph.models.replies.mending import objects_mended

Reply = TypeVar("Reply", bound=BaseModel)
Result = TypeVar("Result")

_THINKING = re.compile(r"\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*\s*\n(.*?)(?:\n```|\Z)", re.DOTALL)

MOST_BRACES = 32
"""The most positions in a reply that are tried as the beginning of valid JSON."""

LONGEST = 64_000
"""The most characters of a reply; a longer one is refused."""

MOST_FAULTS = 1000
"""The most faults that are listed: pydantic can list only all of them, and blocks all other threads meanwhile."""

QUICK = 4_000
"""Characters up to which the event loop parses a reply itself, in milliseconds, if nothing needs repair."""


class Refused(Exception):
    """Why a reply can't be used; the text goes back to the model, and may quote its reply.

    `kind` says it without: the form is not the one that was asked for, the content can't be, the reply was cut, or its
    server withheld or damaged it.
    """

    def __init__(self, reason: str, kind: Literal["form", "content", "cut", "flaw"] = "form") -> None:
        super().__init__(reason)
        self.kind = kind


def plain_text(reply_text: str) -> str:
    """The reply without its thinking part; raises `Refused` if it is empty or longer than `LONGEST` characters."""
    if len(reply_text) > LONGEST:
        raise Refused(f"the reply is longer than {LONGEST:,} characters; be shorter")
    text = _THINKING.sub("", reply_text, count=1) if _THINKING.match(reply_text) else reply_text
    if not text.lstrip().startswith(("{", "[", "```")) and "<think" not in text.casefold():
        text = _THOUGHT.split(text, maxsplit=1)[-1]  # some servers drop the opening tag
    if not text.strip():
        raise Refused("the reply is empty")
    return text.strip()


def parse_reply(reply_text: str, reply: type[Reply]) -> Reply:
    """The typed reply in a text: bare JSON, JSON in a fence or in prose, with the usual mistakes repaired.

    Takes a bounded time for any text (see `readgraph.models.replies.mending`). Raises `Refused`.
    """
    text = plain_text(reply_text)
    return _first_fitting(_objects(text), reply, len(text))


async def read_reply(reply_text: str, reply: type[Reply]) -> Reply:
    """`parse_reply` for an event loop: what may take long runs in a thread, so that other readings go on."""
    if len(reply_text) <= QUICK:
        text = plain_text(reply_text)
        with suppress(Refused):
            return _first_fitting(reversed([*_valid_objects(text)]), reply, len(text))
    return await asyncio.to_thread(parse_reply, reply_text, reply)


async def aside(work: Callable[[str], Result], text: str) -> Result:
    """The result of `work` for a text; long texts are processed in a thread, so that the event loop goes on."""
    return work(text) if len(text) <= QUICK else await asyncio.to_thread(work, text)


def storable(value: Any) -> Any:
    """A JSON value without the halves of characters that escapes may leave in it: they can't be stored or sent."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return value


def _first_fitting(objects: Iterable[tuple[int, dict[str, Any]]], reply: type[Reply], end: int) -> Reply:
    problem, earliest = "the reply holds no JSON object", end
    for start, value in objects:
        try:
            return reply.model_validate(storable(value))
        except ValidationError as fault:
            if start < earliest:  # report the outermost object: the others are parts of it
                problem, earliest = _faults(fault), start
    raise Refused(problem)


def _objects(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Candidate objects with their positions: valid JSON objects, the last first, then what can be repaired to one."""
    yield from reversed([*_valid_objects(text)])
    yield from objects_mended([text, *reversed(_FENCE.findall(text))])


def _valid_objects(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    decoder, start = json.JSONDecoder(strict=False), 0
    for _ in range(MOST_BRACES):
        start = text.find("{", start)
        if start < 0:
            return
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start += 1
        else:
            yield start, value
            start = end


def _faults(problem: ValidationError) -> str:
    if (count := problem.error_count()) > MOST_FAULTS:
        return f"{count:,} of its values can't be used"
    faults = problem.errors(include_url=False, include_context=False, include_input=False)[:3]
    return "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'reply'}: {fault['msg']}" for fault in faults)


@lru_cache(512)
def reply_schema(reply: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a reply type, cached: making it takes longer than the rest of our work for a call."""
    return reply.model_json_schema()


@lru_cache(512)
def reply_instructions(reply: type[BaseModel]) -> str:
    """Instructions on the form of a reply, for servers that don't pass a schema to the model."""
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
