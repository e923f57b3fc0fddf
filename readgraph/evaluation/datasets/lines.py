"""Files of JSON lines, with the line named where it can't be used."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from readgraph.sources.loading import shown
from readgraph.state.errors import BadInput

Record = TypeVar("Record", bound=BaseModel)


def json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """Where each line is ("line 3 of story.jsonl"), and its value; blank lines are passed over."""
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    where = f"line {number} of {shown(path)}"
                    yield where, _value(line, where)
    except OSError as problem:
        raise BadInput(f"{shown(path)} can't be read: {problem.strerror}.") from None
    except UnicodeDecodeError:
        raise BadInput(f"{shown(path)} is not in UTF-8.") from None


def records(path: Path, kind: type[Record]) -> Iterator[tuple[str, Record]]:
    """Where each line is, and its record of this kind; raises `BadInput` for a line that is none."""
    for where, value in json_lines(path):
        yield where, record(value, kind, where)


def record(value: Any, kind: type[Record], where: str) -> Record:
    """A value as a record of this kind; raises `BadInput`, which says where it stands, if it is none."""
    try:
        return kind.model_validate(value)
    except ValidationError as problem:
        fault = problem.errors()[0]
        field = ".".join(map(str, fault["loc"]))
        raise BadInput(f"In {where}, {field or 'the value'} can't be used: {fault['msg']}.") from None


def first_value(path: Path) -> Any:
    """The value of the first line; nothing where there is none, or the file can't be read as JSON lines."""
    try:
        return next((value for _, value in json_lines(path)), None)
    except BadInput:
        return None


def _value(line: str, where: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise BadInput(f"There is no JSON in {where}.") from None
