"""Fields that accept what a model meant, so that one bad field does not invalidate the whole reply."""

import re
from typing import Annotated, Any, ClassVar, get_origin

from pydantic import BaseModel, BeforeValidator, model_validator

_NUMBER = re.compile(r"(?<!\d)-?\d{1,9}")


class LenientReply(BaseModel):
    """A reply whose missing lists count as empty, and whose missing reasons as none given.

    They have no defaults, since strict schemas don't allow any.
    """

    NAMED: ClassVar[tuple[str, ...]] = ()
    """Lists that a reply must name, even if they are empty: without them it is another reply."""

    @model_validator(mode="before")
    @classmethod
    def _filled(cls, value: Any) -> Any:
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

Numbers = Annotated[list[int], BeforeValidator(numbers_in)]
"""A list of page numbers; members that are not numbers are dropped."""
