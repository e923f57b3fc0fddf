"""Files of JSON lines, of one JSON array or object, or of Parquet, record by record.

A record that can't be used is named by its place. Such files grow to gigabytes, so no more than one record of them is
held besides what is made of it.
"""

import gzip
import json
from collections.abc import Iterator
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, TextIO, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from readgraph.sources.given_files import check_regular, most_bytes, too_large
from readgraph.sources.loading import shown
from readgraph.state.errors import BadInput

COMPRESSED = ".gz"

PARQUET = ".parquet"

ROWS = 16
"""Rows of a Parquet file that are held at a time: one may hold a history of hundreds of sessions."""

CHUNK = 2**20
"""Characters of an array that are read at a time, at least."""

LONGEST_ESCAPE = 16
"""Characters: so near the end of what was read, a fault may be a word or an escape that was cut."""

LONGEST_FIRST = 2**26
"""Characters that are read to recognise a file, at most."""


class Record(BaseModel):
    """A record of a file; fields that it has beyond those named are passed over."""

    model_config = ConfigDict(coerce_numbers_to_str=True, frozen=True)


Kind = TypeVar("Kind", bound=Record)


def records(path: Path, kind: type[Kind]) -> Iterator[tuple[str, Kind]]:
    """Where each record stands ("line 3 of story.jsonl", "item 3 of story.json"), and the record.

    A name that ends in ".gz" is of a compressed file, one in ".parquet" of a table ("row 3 of story.parquet"). Raises
    `BadInput` for a record that is none of this kind.
    """
    for where, value in _values(path):
        yield where, record(value, kind, where)


def record(value: Any, kind: type[Kind], where: str) -> Kind:
    """A value as a record of this kind; raises `BadInput`, which says where it stands, if it is none."""
    try:
        return kind.model_validate(value)
    except ValidationError as problem:
        fault = problem.errors()[0]
        field = ".".join(map(str, fault["loc"]))
        raise BadInput(
            f"In {where}, {field or 'the value'} can't be used: {fault['msg']}. Mend it there, or leave it out."
        ) from None


def first_value(path: Path) -> Any:
    """The value of the first record; nothing if there is none, or the beginning can't be read."""
    try:
        return next((value for _, value in _values(path, LONGEST_FIRST)), None)
    except BadInput:
        if path.suffix == PARQUET:  # by its name it can be nothing else
            raise
        return None


def _values(path: Path, longest: int | None = None) -> Iterator[tuple[str, Any]]:
    """The values of a file, where each stands, none of more than `longest` characters."""
    name = shown(path)
    check_regular(path, name)
    longest = longest or most_bytes()
    if path.suffix == PARQUET:
        yield from _of_table(path, name)
        return
    try:
        with _opened(path) as file:
            begins = file.read(1)
            while begins.isspace():
                begins = file.read(1)
            file.seek(0)
            yield from _of_array(file, name, longest) if begins == "[" else _of_lines(file, name, longest)
    except gzip.BadGzipFile:
        raise BadInput(f"{name} is not compressed: name it without {COMPRESSED}.") from None
    except EOFError:
        raise BadInput(f"{name} is cut off: fetch it again.") from None
    except OSError as problem:
        raise BadInput(f"{name} can't be read: {problem.strerror}.") from None
    except UnicodeDecodeError:
        raise BadInput(f"{name} is not in UTF-8: convert it.") from None


def _of_table(path: Path, name: str) -> Iterator[tuple[str, Any]]:
    """The rows of a Parquet file, as the Hugging Face hub exports datasets."""
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise BadInput(f"{name} needs one more package: pip install pyarrow.") from None
    try:
        with parquet.ParquetFile(path) as table:
            rows = (row for batch in table.iter_batches(batch_size=ROWS) for row in batch.to_pylist())
            for number, row in enumerate(rows, 1):
                yield f"row {number} of {name}", _without_nulls(row)
    except (OSError, ValueError) as problem:  # Arrow's own errors are these
        raise BadInput(f"{name} can't be read as Parquet: {' '.join(str(problem).split())}") from None


def _without_nulls(value: Any) -> Any:
    """The value without its empty fields: a column has one for each row, also where the record has no such field."""
    if isinstance(value, dict):
        return {name: _without_nulls(one) for name, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value


def _opened(path: Path) -> TextIO:
    if path.suffix == COMPRESSED:
        return gzip.open(path, "rt", encoding="utf-8-sig")
    return path.open(encoding="utf-8-sig")


def _of_lines(file: TextIO, name: str, longest: int) -> Iterator[tuple[str, Any]]:
    for number in count(1):
        line = file.readline(longest)
        if not line:
            return
        if len(line) == longest:
            raise too_large(f"line {number} of {name}")
        if line.strip():
            whole = number == 1 and line.strip() == "{"  # an object on several lines is all that its file holds
            where = name if whole else f"line {number} of {name}"
            try:
                value = json.loads(line + file.read(longest) if whole else line)
            except (ValueError, RecursionError):
                raise BadInput(f"There is no JSON in {where}: each line is one record.") from None
            yield where, value


def _of_array(file: TextIO, name: str, longest: int) -> Iterator[tuple[str, Any]]:
    """The items of an array, which is read on only as far as the next one needs."""
    decode = json.JSONDecoder().raw_decode
    held, at, before = file.read(CHUNK), 0, "["
    for number in count(1):
        where = f"item {number} of {name}"
        while True:
            here = _after_space(held, at)
            if held.startswith("]", here) and number > 1:
                return
            begins = _after_space(held, here + held.startswith(before, here))
            if held.startswith("]", begins) and number == 1:
                return
            try:
                value, end = decode(held, begins)
                break
            except (ValueError, RecursionError) as problem:
                more = file.read(max(CHUNK, len(held) - at)) if _may_go_on(problem, held, longest) else ""
                if not more:
                    raise BadInput(f"There is no JSON in {where}, or no end: mend it there.") from None
            held, at = held[at:] + more, 0
        at, before = end, ","
        yield where, value


def _after_space(text: str, at: int) -> int:
    while text[at : at + 1].isspace():
        at += 1
    return at


def _may_go_on(problem: Exception, held: str, longest: int) -> bool:
    """Whether more text may mend it: the fault is where the text ends, or a string that has no end yet."""
    if not isinstance(problem, json.JSONDecodeError) or longest < len(held):
        return False
    return problem.msg.startswith("Unterminated string") or problem.pos >= len(held) - LONGEST_ESCAPE
