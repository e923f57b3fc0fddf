"""Fields that take what a model meant: one bad field must not throw the rest of a reply away."""

import re
from typing import Annotated, Any, get_origin

from pydantic import BaseModel, BeforeValidator, model_validator

_NUMBER = re.compile(r"(?<!\d)-?\d{1,9}")


class LenientReply(BaseModel):
    """A reply whose missing lists count as empty. They have no defaults: in a strict schema none are allowed."""

    @model_validator(mode="before")
    @classmethod
    def _filled(cls, value: Any) -> Any:
        lists = [name for name, field in cls.model_fields.items() if get_origin(field.annotation) is list]
        return {**dict.fromkeys(lists), **value} if isinstance(value, dict) else value


def texts_in(value: Any) -> list[str]:
    """The texts among what was given, each on one line."""
    found = value if isinstance(value, list) else [value]
    return [" ".join(text.split()) for text in found if isinstance(text, str) and text.strip()]


def numbers_in(value: Any) -> list[int]:
    """Numbers as they are meant: 3, "3", "page 3", "3, 4", 3.0."""
    found: list[int] = []
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, str):
            found += map(int, _NUMBER.findall(part))
        elif isinstance(part, int | float) and not isinstance(part, bool) and part == part // 1:
            found.append(int(part))
    return found


Texts = Annotated[list[str], BeforeValidator(texts_in)]
"""A list of texts; a single text, null, and members that are none are mended."""

Numbers = Annotated[list[int], BeforeValidator(numbers_in)]
"""A list of page numbers; what is no number is left out."""
