"""Stored values as records. What is odd in one is found where it is read, not where it is used."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from functools import cache
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from readgraph.state.errors import Damaged

MOST = 2**32
"""A number in a record that is larger was never written: a text has fewer characters."""

UNREADABLE = {"unreadable": True}
"""Stands in the place of a stored value that is no JSON object; it is no record either."""


def is_time(time: str) -> bool:
    """Whether a text is a time as records keep it."""
    try:
        datetime.fromisoformat(time).astimezone()
    except (ValueError, OverflowError, OSError):
        return False
    return True


def _time(time: str) -> str:
    if time and not is_time(time):
        raise ValueError("this is no time")
    return time


Count = Annotated[int, Field(ge=0, le=MOST)]
Id = Annotated[str, Field(pattern=r"^[\w-]{1,64}$")]
"""An id, which may become a part of a file's name and leads to no other folder."""
Time = Annotated[str, AfterValidator(_time)]
"""A time as records keep it, or "" where it is not known."""

Record = TypeVar("Record")


def load(kind: type[Record], value: Any) -> Record:
    """The record of a stored value; raises `Damaged` where it is none."""
    try:
        record: Record = _adapter(kind).validate_python(value)  # type: ignore[arg-type]  # a class is hashable
        return record
    except (ValidationError, ValueError, TypeError, RecursionError) as problem:
        raise Damaged(kind.__name__.lower()) from problem


def sound(kind: type[Record], values: Iterable[Any]) -> Iterator[Record]:
    """The records of those stored values that are sound."""
    for value in values:
        with suppress(Damaged):
            yield load(kind, value)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
