"""Typed replies and notes as the model meant them, in JSON or in plain words; or one line on why one can't be used.

In plain words only the deciding field (`DECIDES`) is asked for, on a line; without one, the reply is JSON.
"""

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from readgraph.models.prompt import Messages, with_instructions
from readgraph.models.replies.broken_json import MOST_STARTS, ends_within_value, is_unclosed, repair_objects
from readgraph.models.replies.marks import names_thinking
from readgraph.models.replies.thinking import Material, drop_marks, filter_reply, has_marks, looks_like_thinking
from readgraph.models.reply import is_nothing
from readgraph.state.settings import ReplyForm

Reply = TypeVar("Reply", bound=BaseModel)
Result = TypeVar("Result")
_FENCE = re.compile(r"```[\w-]*\s*\n(.*?)(?:\n```|\Z)", re.DOTALL)
_EMPTY_FENCE = re.compile(r"\A\s*```[\w-]*\s*```")  # in which the thinking stood
LONGEST = 64_000  # the most characters of a reply; a longer one is refused
MOST_FAULTS = 1000  # that are listed: pydantic can list only all of them, and blocks all other threads meanwhile
CUT_OFF = "the reply was cut off before its end; be shorter"
QUICK = 4_000  # characters up to which the event loop parses a reply itself, in milliseconds, if nothing needs repair
NUMBERS, LETTERS = "789", "XYZ"  # labels of the example, which prompts seldom use: a reply that copies one is refused
HAMMER = "a hammer"
_BEGUN = re.compile(r"(?:\A|(?<=\n)|(?<=[.!?]\s)|(?<=[。！？]))(?:(?![.!?]\s|[。！？\n]).)*\Z", re.DOTALL)
"""A last sentence, which may go on."""

THINGS = ("bread", HAMMER, "a pear")
EMPTY: dict[str, Any] = {"string": "", "array": [], "boolean": False}


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


def decision_field(reply: type[BaseModel]) -> str | None:
    """The only field that is asked for; None if no single field makes a reply."""
    return next((name for name in getattr(reply, "DECIDES", ()) if name in reply.model_fields), None)


def is_plain(form: ReplyForm, reply: type[BaseModel] | None) -> bool:
    """Whether the reply is one value in plain words, of which a part may be enough (`take_whole_part`)."""
    return form == "plain" and reply is not None and decision_field(reply) is not None


def is_in_words(text: str, reply: type[BaseModel]) -> bool:
    """Whether a reply consists of words that its type takes instead of JSON (`IN_WORDS`)."""
    words: re.Pattern[str] | None = getattr(reply, "IN_WORDS", None)
    return words is not None and words.fullmatch(text.strip()) is not None


def plain_messages(messages: Messages, reply: type[BaseModel]) -> Messages:
    """The prompt with instructions in words; numbers and letters follow an example, another one in each new try."""
    field = reply_schema(reply)["properties"][decision_field(reply) or ""]
    values, described = _values(field), field.get("description", "")
    words = ["true", "false"] if field.get("type") == "boolean" else ["none"] if _empty(field) is None else []
    if not (values and all(isinstance(value, int) or len(value) == 1 for value in values)):
        return with_instructions(messages, _instructions([*values, *words], described))
    labels = NUMBERS if isinstance(values[0], int) else LETTERS
    turn = (len(messages) // 2 - 1) % len(THINGS)
    things = THINGS[turn:] + THINGS[:turn]
    listed = "\n".join(f"{label}: {thing}" for label, thing in zip(labels, things, strict=True))
    question = f"{listed}\n\nWhich of them drives a nail?\n\n{_instructions(labels, '')}"
    example = [("user", question), ("ai", labels[things.index(HAMMER)])]
    offered = [*values, *words]
    instructions = _instructions(offered, "" if len(offered) > 1 else described)
    return [messages[0], *example, *with_instructions(messages[1:2], instructions)]


def _instructions(values: Sequence[Any], described: str) -> str:
    wanted = "Reply with nothing but this"
    if len(values) > 1:
        wanted = f"Choose one: {', '.join(map(str, values[:-1]))} or {values[-1]}. Reply with that alone"
    return f"{wanted}, on one line, without explanation{f': {described}' if described else '.'}"


def parse_plain(reply_text: str, reply: type[Reply], source: str = "") -> Reply:
    """The reply made from a line that gives its deciding field, the first number offered; raises `ReplyRefusal`."""
    schema, name = reply_schema(reply)["properties"], decision_field(reply) or ""
    line = " ".join(plain_text(reply_text, source).split())
    empty = {other: value for other, field in schema.items() if (value := _empty(field)) is not ...}
    try:
        return reply.model_validate({**empty, name: _value(line, schema[name])})
    except ValidationError as problem:
        raise ReplyRefusal(f"reply with {schema[name].get('description', name)} {problem.errors()[0]['msg']}") from None


def take_whole_part(reply_text: str, reply: type[BaseModel]) -> str:
    """What surely came whole of a reply that was cut off: all words but the last, of a free text whole sentences."""
    field = reply_schema(reply)["properties"][decision_field(reply) or ""]
    kinds = {each.get("type") for option in _options(field) for each in (option, option.get("items", {}))}
    is_free = "string" in kinds and not _values(field)
    return (_BEGUN if is_free else re.compile(r"\S*\Z")).sub("", reply_text, count=1).strip()


def _value(line: str, field: dict[str, Any]) -> Any:
    """The field's value in a line; raises `ReplyRefusal` if there is none."""
    kinds = {option.get("type") for option in _options(field)}
    if "null" in kinds and is_nothing(line):
        return None
    numbers = [int(number) for number in re.findall(r"(?<![\w.])-?\d{1,9}\b", line)]
    if "array" in kinds:
        of_numbers = any(option.get("items", {}).get("type") == "integer" for option in _options(field))
        return numbers if of_numbers else [line]
    if "integer" in kinds:
        if not numbers:
            raise ReplyRefusal("the reply holds no number")
        return next((number for number in numbers if number in _values(field)), numbers[0])
    if "boolean" in kinds:
        return _match_value(line, {"yes": True, "true": True, "no": False, "false": False})
    if values := _values(field):
        return _match_value(line, {str(value): value for value in values})
    return line


def _match_value(line: str, values: dict[str, Any]) -> Any:
    """The value that a line begins with, or else the only one that it names."""
    patterns = {name: re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", 0 if len(name) == 1 else re.I) for name in values}
    first = [name for name, pattern in patterns.items() if pattern.match(line.lstrip("([\"'*").strip())]
    named = first or [name for name, pattern in patterns.items() if pattern.search(line)]
    if not named or len({repr(values[name]) for name in named}) > 1:
        raise ReplyRefusal(f"the reply names none of {', '.join(values)}")
    return values[named[0]]


def _options(field: dict[str, Any]) -> list[dict[str, Any]]:
    return list(field.get("anyOf", [field]))


def _values(field: dict[str, Any]) -> list[Any]:
    return [value for option in _options(field) for value in option.get("items", option).get("enum", [])]


def _empty(field: dict[str, Any]) -> Any:
    """The value of a field that the reply leaves out; `...` if the field is required."""
    if any(option.get("type") == "null" for option in _options(field)):
        return None
    return ... if _values(field) else EMPTY.get(field.get("type", ""), ...)
