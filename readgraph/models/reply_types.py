"""Types of replies: fields accept what a model meant, and schemas list what it may choose, as small models need it."""

import re
from collections.abc import Iterable
from copy import copy
from functools import lru_cache
from typing import Annotated, Any, ClassVar, TypeVar, get_origin

from pydantic import BaseModel, BeforeValidator, create_model, model_validator
from pydantic.fields import FieldInfo

_NUMBER = re.compile(r"(?<!\d)-?\d{1,9}")


class LenientReply(BaseModel):
    """A reply whose missing lists and reasons count as empty: strict schemas allow no defaults."""

    NAMED: ClassVar[tuple[str, ...]] = ()  # lists that it must name, even if they are empty: else it is another reply

    @model_validator(mode="before")
    @classmethod
    def _fill_missing(cls, value: Any) -> Any:
        fields = cls.model_fields.items()
        free = {name for name, field in fields if get_origin(field.annotation) is list or name == "reasoning"}
        return {**dict.fromkeys(free.difference(cls.NAMED)), **value} if isinstance(value, dict) else value


def texts_in(value: Any) -> list[str]:
    """The texts in a value (a list or a single one), each on one line."""
    parts = value if isinstance(value, list) else [value]
    return [" ".join(text.split()) for text in parts if isinstance(text, str) and text.strip()]


def numbers_in(value: Any) -> list[int]:
    """The numbers that are meant by 3, "3", "page 3", "3, 4", 3.0 or a list of these."""
    numbers: list[int] = []
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, str):
            numbers += map(int, _NUMBER.findall(part))
        elif isinstance(part, int | float) and not isinstance(part, bool) and part == part // 1:
            numbers.append(int(part))
    return numbers


Texts = Annotated[list[str], BeforeValidator(texts_in)]
"""A list of texts; also accepts a single text or null, and drops members that are not texts."""

Numbers = Annotated[list[int], BeforeValidator(numbers_in)]  # of pages; what is no number is dropped
NOTHING = {"none", "null", "nothing", "no", "stop", "not here"}  # words that stand for null in a reply


def is_nothing(text: str) -> bool:
    """Whether a reply's words stand for null."""
    return text.strip(" .!\"'“”*").casefold() in NOTHING


def number_or_none(value: Any) -> Any:
    """The number that is meant by "page 3", and None by a word that stands for it; any other value as it is."""
    if not isinstance(value, str):
        return value
    numbers = numbers_in(value)
    return None if is_nothing(value) else numbers[0] if len(numbers) == 1 else value


NumberOrNone = Annotated[int | None, BeforeValidator(number_or_none)]
Reply = TypeVar("Reply", bound=BaseModel)
MOST_OFFERED = 50  # the most values in a schema: servers take long to prepare a schema with more


def restrict_reply(reply: type[Reply], **offered: Iterable[int | str]) -> type[Reply]:
    """The reply's type with a schema that lists what these fields may be; some servers ignore it, so check values."""
    by_name = {name: tuple(values) for name, values in sorted(offered.items())}
    listed = tuple((name, values) for name, values in by_name.items() if 0 < len(values) <= MOST_OFFERED)
    return _make_restricted_type(reply, listed) if listed else reply


@lru_cache(512)
def _make_restricted_type(reply: type[Reply], offered: tuple[tuple[str, tuple[int | str, ...]], ...]) -> type[Reply]:
    fields = {name: _with_enum(reply.model_fields[name], values) for name, values in offered}
    narrowed: type[Reply] = create_model(reply.__name__, __base__=reply, __doc__=reply.__doc__, **fields)
    return narrowed


def _with_enum(field: FieldInfo, values: tuple[int | str, ...]) -> Any:
    def add_enum(schema: dict[str, Any]) -> None:
        for option in schema.get("anyOf", [schema]):
            if (value := option.get("items", option)).get("type") != "null":
                value["enum"] = [*values]

    narrowed = copy(field)
    narrowed.json_schema_extra = add_enum
    return field.annotation, narrowed
