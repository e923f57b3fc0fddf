"""Stored values as records. A value is checked when it is read, so that no later code meets a damaged one."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from readgraph.state.errors import Damaged

MOST = 2**32
"""The largest count in a record. Larger numbers were never written, since texts have fewer characters."""

UNREADABLE = {"unreadable": True}
"""Stands for a stored value that is not a JSON object; it is not a valid record either."""


@lru_cache(4096)  # the records of a document say the same times again and again
def is_time(time: str) -> bool:
    """Whether a text is a time as records keep it."""
    try:
        datetime.fromisoformat(time)
    except ValueError:
        return False
    return True


def at_local_time(time: datetime) -> datetime:
    """The time in the local zone; as it is, or in UTC, where the system knows no such time (Windows before 1970)."""
    try:
        return time.astimezone()
    except (ValueError, OverflowError, OSError):
        return time if time.tzinfo else time.replace(tzinfo=UTC)


def _time(time: str) -> str:
    if time and not is_time(time):
        raise ValueError("this is not a time")
    return time


Count = Annotated[int, Field(ge=0, le=MOST)]
Id = Annotated[str, Field(pattern=r"^[\w-]{1,64}$")]
"""An id, which may become a part of a file name, so it can't lead to another folder."""

Time = Annotated[str, AfterValidator(_time)]
"""A time as records keep it, or "" if it is unknown."""

_FILE_NAME = re.compile(r"[\w-][\w.-]{0,119}")

Record = TypeVar("Record")


def file_name(name: str) -> str:
    """A name as a file may have it: as it is, or hashed where it could lead elsewhere or stand for several files.

    The records of a stranger's library may name anything, and a damaged one is forgotten by the id that it has.
    """
    return name if _FILE_NAME.fullmatch(name) else hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def load(kind: type[Record], value: Any) -> Record:
    """The record in a stored value; raises `Damaged` if it holds none."""
    try:
        record: Record = _adapter(kind).validate_python(value)  # type: ignore[arg-type]  # a class is hashable
        return record
    except (ValidationError, ValueError, TypeError, RecursionError) as problem:
        raise Damaged(kind.__name__.lower()) from problem


def sound(kind: type[Record], values: Iterable[Any]) -> Iterator[Record]:
    """The records in these stored values, without the damaged ones."""
    for value in values:
        with suppress(Damaged):
            yield load(kind, value)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
