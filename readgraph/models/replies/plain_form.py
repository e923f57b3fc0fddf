"""Typed replies without JSON: only the deciding field (`DECIDES`) is asked for, on a line; without one, it is JSON."""

import re
from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from readgraph.models.prompt import Messages, with_instructions
from readgraph.models.replies.json_form import ReplyRefusal, plain_text, reply_schema
from readgraph.models.reply import is_nothing
from readgraph.state.settings import ReplyForm

Reply = TypeVar("Reply", bound=BaseModel)
NUMBERS, LETTERS = "789", "XYZ"  # labels of the example, which prompts seldom use: a reply that copies one is refused
HAMMER = "a hammer"
_BEGUN = re.compile(r"(?:\A|(?<=\n)|(?<=[.!?]\s)|(?<=[。！？]))(?:(?![.!?]\s|[。！？\n]).)*\Z", re.DOTALL)
"""A last sentence, which may go on."""

THINGS = ("bread", HAMMER, "a pear")
EMPTY: dict[str, Any] = {"string": "", "array": [], "boolean": False}


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
