"""Tolerant parsing of typed replies: the reply as the model meant it, or one line on why it can't be used.

`json_repair` looks ahead wherever it must guess, so a text of `{` or of style sheets takes it time that grows with the
square of the length, or faster. Each of its steps accesses the text: one that counts accesses bounds it.
"""

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice
from typing import Any, Literal, SupportsIndex, TypeVar

from json_repair import repair_json
from pydantic import BaseModel, ValidationError

from readgraph.models.replies.json_end import ends_within_value, is_unclosed
from readgraph.models.replies.marks import names_thinking
from readgraph.models.replies.thinking import Material, drop_marks, filter_reply, has_marks, looks_like_thinking

MOST_STARTS = 32  # the most positions in a text that are tried as the beginning of its JSON
LOOKS_PER_CHARACTER = 64  # accesses ("looks"): models' texts take 1 to 3, with quotes of the wrong kind 18
FEWEST_LOOKS, MOST_LOOKS = 4_000, 200_000  # that any text may take, and that none may exceed; each takes 1 to 3 µs


def repair_objects(parts: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects that parts can be repaired to, with their positions; each try may use half of the looks left."""
    looks = min(FEWEST_LOOKS + LOOKS_PER_CHARACTER * len(parts[0]), MOST_LOOKS)
    for part in parts:
        for place in islice(re.finditer("{", part), MOST_STARTS):
            if looks < FEWEST_LOOKS // 100:
                return
            left = _LooksBudget(looks // 2)
            mended = _repair_value(part[place.start() :], left)
            looks -= looks // 2 - left.looks
            options = mended if isinstance(mended, list) else [mended]
            yield from ((place.start(), value) for value in reversed(options) if isinstance(value, dict) and value)


def _repair_value(text: str, left: "_LooksBudget") -> Any:
    try:
        left.take(len(text) // 8)  # for passes over the text that don't access single positions
        return json.loads(repair_json(_CountedText(text, left)))
    except Exception:
        return None


class _TooMuch(Exception):
    """All looks are used up."""


class _LooksBudget:
    def __init__(self, looks: int) -> None:
        self.looks = looks

    def take(self, looks: int) -> None:
        """Count looks; raises `_TooMuch` if no more are left."""
        self.looks -= looks
        if self.looks < 0:
            raise _TooMuch


class _CountedText(str):
    left: _LooksBudget

    def __new__(cls, text: str, left: _LooksBudget) -> "_CountedText":
        watched = super().__new__(cls, text)
        watched.left = left
        return watched

    def __getitem__(self, place: SupportsIndex | slice) -> str:
        part = super().__getitem__(place)
        self.left.take(1 + len(part) // 64)
        return _CountedText(part, self.left) if isinstance(place, slice) else part

    def __add__(self, more: str) -> str:
        return _CountedText(super().__add__(more), self.left)


Reply = TypeVar("Reply", bound=BaseModel)
Result = TypeVar("Result")
_FENCE = re.compile(r"```[\w-]*\s*\n(.*?)(?:\n```|\Z)", re.DOTALL)
_EMPTY_FENCE = re.compile(r"\A\s*```[\w-]*\s*```")  # in which the thinking stood
LONGEST = 64_000  # the most characters of a reply; a longer one is refused
MOST_FAULTS = 1000  # that are listed: pydantic can list only all of them, and blocks all other threads meanwhile
CUT_OFF = "the reply was cut off before its end; be shorter"
QUICK = 4_000  # characters up to which the event loop parses a reply itself, in milliseconds, if nothing needs repair


class ReplyRefusal(Exception):
    """Why a reply can't be used; the text goes back to the model, and may quote its reply. `kind` says it without."""

    def __init__(self, reason: str, kind: Literal["form", "content", "cut", "flaw", "prompt"] = "form") -> None:
        super().__init__(reason)
        self.kind = kind


THINKING = "the reply is empty but for its thinking; give the reply itself"
LEFT_OVER = "the reply seems to hold thinking, or marks of its form ('{}'); give the reply alone"


def plain_text(reply_text: str, source: str = "") -> str:
    """The reply without its thinking and without marks of a chat template, unless the source has them.

    Raises `ReplyRefusal` if nothing is left, if what is left still looks like thinking, or if it is longer than
    `LONGEST` characters.
    """
    material = Material(source)
    text = _visible_text(reply_text, material, typed=False)
    if left_over := looks_like_thinking(text, material):
        raise ReplyRefusal(LEFT_OVER.format(left_over))
    return text


def _visible_text(reply_text: str, material: Material, *, typed: bool) -> str:
    read = filter_reply(reply_text, material, typed=typed)
    text = _EMPTY_FENCE.sub("", read.visible) if read.left_out else read.visible
    if len(text := text.strip()) > LONGEST:
        raise ReplyRefusal(f"the reply is longer than {LONGEST:,} characters; be shorter")
    if not text or read.unclosed:
        raise ReplyRefusal(THINKING if read.left_out or read.unclosed else "the reply is empty")
    return text


def parse_reply(reply_text: str, reply: type[Reply], source: str = "") -> Reply:
    """The typed reply in a text, bare, in a fence or in prose, its usual mistakes repaired; raises `ReplyRefusal`.

    Neither what stands in thinking is read, nor are marks of it kept in the reply's own texts: see `plain_text`.
    """
    material = Material(source)
    text = _visible_text(reply_text, material, typed=True)
    if ends_within_value(text):
        raise ReplyRefusal(CUT_OFF, "cut")
    # Valid JSON objects, the last first, then what can be repaired to one.
    valid, repaired = reversed([*_valid_objects(text)]), repair_objects([text, *reversed(_FENCE.findall(text))])
    read = _first_fitting(chain(valid, repaired), reply, len(text), material)
    if is_unclosed(text) and read.model_fields_set != {*reply.model_fields}:
        raise ReplyRefusal(CUT_OFF, "cut")  # the fields that it lacks may have been to come
    return read


def read_whole(reply_text: str, reply: type[Reply]) -> Reply:
    """The typed reply in a text that is nothing but its JSON; raises `ReplyRefusal` for any other."""
    try:
        return reply.model_validate_json(reply_text)
    except ValidationError:
        raise ReplyRefusal("the reply is not the JSON that is asked for") from None


async def read_reply(reply_text: str, reply: type[Reply], source: str = "") -> Reply:
    """`parse_reply` for an event loop: what may take long runs in a thread, so that other readings go on."""
    if len(reply_text) <= QUICK:
        material = Material(source)
        text = _visible_text(reply_text, material, typed=True)
        with suppress(ReplyRefusal):
            return _first_fitting(reversed([*_valid_objects(text)]), reply, len(text), material)
    return await asyncio.to_thread(parse_reply, reply_text, reply, source)


async def in_thread_if_long(work: Callable[[str], Result], text: str) -> Result:
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


def _first_fitting(
    objects: Iterable[tuple[int, dict[str, Any]]], reply: type[Reply], end: int, material: Material
) -> Reply:
    problem, earliest = "the reply holds no JSON object", end
    for start, value in objects:
        try:
            return reply.model_validate(_without_marks(storable(value), material))
        except ValidationError as fault:
            if start < earliest:  # report the outermost object: the others are parts of it
                problem, earliest = _faults(fault), start
    raise ReplyRefusal(problem)


def _without_marks(value: Any, material: Material, name: str = "") -> Any:
    """A reply's value, its texts without thinking and marks; what is named as thinking keeps its words."""
    if isinstance(value, dict):
        return {key: _without_marks(part, material, key) for key, part in value.items()}
    if isinstance(value, list):
        return [_without_marks(part, material, name) for part in value]
    if not isinstance(value, str) or (not has_marks(value) and not looks_like_thinking(value, material)):
        return value
    read = filter_reply(value, material, field=True)
    text = _EMPTY_FENCE.sub("", read.visible).strip()
    if names_thinking(name) and (read.unclosed or not text):
        return drop_marks(value)
    if read.unclosed or (value.strip() and not text):
        raise ReplyRefusal(f"{name}: {THINKING}")
    if left_over := looks_like_thinking(text, material):
        raise ReplyRefusal(f"{name}: {LEFT_OVER.format(left_over)}")
    return text if read.left_out or text != value.strip() else value


def _valid_objects(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    decoder, start = json.JSONDecoder(strict=False), 0
    for _ in range(MOST_STARTS):
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
    lines = [
        f"- {name}: {_kind(field, schema)}" + (f". {field['description']}" if "description" in field else "")
        for name, field in schema["properties"].items()
    ]
    return "Reply with one JSON object and nothing else. Its fields:\n" + "\n".join(lines)


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
