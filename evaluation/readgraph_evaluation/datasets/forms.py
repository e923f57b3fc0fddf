"""The forms of datasets' files, and these: JSON lines, one JSON array or object, CSV, Parquet; some have gigabytes."""

import csv
import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import count, islice
from pathlib import Path
from typing import Any, TextIO, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from readgraph import BadInput
from readgraph.sources.inputs import most_bytes, too_large_error
from readgraph.sources.loading import fault_of, printable_path
from readgraph.state.files import check_regular, read_package_toml
from readgraph_evaluation.datasets.assembling import choose_scoring, rule_for
from readgraph_evaluation.records import Dataset, Item, Text

COMPRESSED, PARQUET, CSV, ENCODING = ".gz", ".parquet", ".csv", "utf-8-sig"
CHUNK = 2**20  # the fewest characters of an array that are read at a time


class DatasetRecord(BaseModel):
    """A record of a file; unknown fields are ignored."""

    model_config = ConfigDict(coerce_numbers_to_str=True, frozen=True)


Kind = TypeVar("Kind", bound=DatasetRecord)


def records(path: Path, kind: type[Kind]) -> Iterator[tuple[str, Kind]]:
    """Pairs of a record's place ("line 3 of story.jsonl") and the record; raises `BadInput` for one of another kind."""
    for where, value in _values(path):
        yield where, record(value, kind, where)


def record(value: Any, kind: type[Kind], where: str) -> Kind:
    """A value as a record of this kind; raises `BadInput`, which names its place, if it can't be one."""
    try:
        return kind.model_validate(value)
    except ValidationError as problem:
        fault = problem.errors()[0]
        field = ".".join(map(str, fault["loc"]))
        raise BadInput(
            f"In {where}, {field or 'the value'} can't be used: {fault['msg']}. Correct it there, or leave it out."
        ) from None


def first_value(path: Path) -> Any:
    """The value of the first record; None if there is none or the beginning can't be read."""
    try:
        return next((value for _, value in _values(path, longest=2**26)), None)
    except BadInput:
        if path.suffix == PARQUET:  # its name says that it is a table
            raise
        return None


def check_begins(path: Path) -> None:
    """Raise `BadInput` for a file that is empty or whose first record can't be read, which no form would mend."""
    if path.is_file() and next(_values(path), None) is None:
        raise fault_of(path, "holds no question.")


def _values(path: Path, longest: int | None = None) -> Iterator[tuple[str, Any]]:
    """Pairs of place and value of a file's records, none longer than `longest` characters."""
    name = printable_path(path)
    check_regular(path, name)
    longest = longest or most_bytes()
    if path.suffix == PARQUET:
        yield from _of_table(path, name)
        return
    written: Any = {"mode": "rt", "encoding": ENCODING, "newline": "" if path.suffix == CSV else None}
    try:
        with gzip.open(path, **written) if path.suffix == COMPRESSED else path.open(**written) as file:
            if path.suffix == CSV:
                rows = csv.DictReader(file)
                yield from ((f"line {rows.line_num} of {name}", row) for row in rows)
                return
            begins = file.read(1)
            while begins.isspace():
                begins = file.read(1)
            file.seek(0)
            yield from _of_array(file, name, longest) if begins == "[" else _of_lines(file, name, longest)
    except gzip.BadGzipFile:
        raise BadInput(f"{name} is not compressed: name it without {COMPRESSED}.") from None
    except EOFError:
        raise BadInput(f"{name} is cut off: download it again.") from None
    except OSError as problem:
        raise BadInput(f"{name} can't be read: {problem.strerror}.") from None
    except csv.Error as problem:
        raise BadInput(f"{name} can't be read as comma-separated values: {problem}.") from None
    except UnicodeDecodeError:
        raise BadInput(f"{name} is not in UTF-8: save it as UTF-8.") from None


def _of_table(path: Path, name: str) -> Iterator[tuple[str, Any]]:
    """The rows of a Parquet file, as the Hugging Face hub exports datasets."""
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise BadInput(f"{name} needs one more package: pip install pyarrow.") from None
    try:
        with parquet.ParquetFile(path) as table:
            # Few rows are in memory at a time: one may hold a history of hundreds of sessions.
            rows = (row for batch in table.iter_batches(batch_size=16) for row in batch.to_pylist())
            for number, row in enumerate(rows, 1):
                yield f"row {number} of {name}", _without_nulls(row)
    except (OSError, ValueError) as problem:  # Arrow's own errors are these
        raise BadInput(f"{name} can't be read as Parquet: {' '.join(str(problem).split())}") from None


def _without_nulls(value: Any) -> Any:
    """The value without null fields: a table has each column in each row, also for records without such a field."""
    if isinstance(value, dict):
        return {name: _without_nulls(field) for name, field in value.items() if field is not None}
    return [_without_nulls(member) for member in value] if isinstance(value, list) else value


def _of_lines(file: TextIO, name: str, longest: int) -> Iterator[tuple[str, Any]]:
    for number in count(1):
        line = file.readline(longest)
        if not line:
            return
        if len(line) == longest:
            raise too_large_error(f"line {number} of {name}")
        if line.strip():
            whole = number == 1 and line.strip() == "{"  # an object on several lines is the whole file
            where = name if whole else f"line {number} of {name}"
            try:
                value = json.loads(line + file.read(longest) if whole else line)
            except (ValueError, RecursionError):
                raise BadInput(f"There is no JSON in {where}: each line is one record.") from None
            yield where, value


def _of_array(file: TextIO, name: str, longest: int) -> Iterator[tuple[str, Any]]:
    """The items of an array, which is read only as far as the next item needs."""
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
                # More text may help where a string has no end yet, or a word or escape was cut at the text's end.
                incomplete = isinstance(problem, json.JSONDecodeError) and (
                    problem.msg.startswith("Unterminated string") or problem.pos >= len(held) - 16
                )
                more = file.read(max(CHUNK, len(held) - at)) if incomplete and len(held) <= longest else ""
                if not more:
                    raise BadInput(f"There is no JSON in {where}, or no end: correct it there.") from None
            held, at = held[at:] + more, 0
        at, before = end, ","
        yield where, value


def _after_space(text: str, at: int) -> int:
    while text[at : at + 1].isspace():
        at += 1
    return at


LONG = "long"  # the group of the questions about a dataset's longer texts (MemWalker, table 2)

Asked = tuple[str, Text, Iterable[Item]]  # the place in the file, a text, which may come again, and questions about it


def build_dataset(
    path: Path | None, asked: Iterable[Asked], items: int | None, name: str, *, licence: str = "", note: str = ""
) -> Dataset:
    """The first `items` questions (None: all) with their texts, or `BadInput` for ids used twice and what is empty."""
    texts, kept = dict[str, Text](), dict[str, Item]()
    for where, text, questions in asked:
        if text.is_empty:
            raise BadInput(f"In {where}, the text of '{text.id}' is empty: leave it out.")
        for asked_item in islice(questions, None if items is None else items - len(kept)):
            item = replace(asked_item, rule=rule_for(name, asked_item))
            if kept.setdefault(item.id, item) is not item:
                raise BadInput(
                    f"In {where}, the question id '{item.id}' is used twice: give this question another one."
                )
            known = texts.setdefault(text.id, text)
            if (known.whole, known.documents) != (text.whole, text.documents):
                raise BadInput(f"In {where}, the id '{text.id}' is of another text: give this one a new id.")
        if items is not None and len(kept) >= items:
            break
    if not kept:
        raise BadInput(f"{printable_path(path) if path else name} holds no question.")
    scoring = choose_scoring(name, kept.values())
    long = {text.id for text in texts.values() if scoring.long_words and text.words >= scoring.long_words}
    grouped = (replace(item, groups=(*item.groups, LONG)) if item.text in long else item for item in kept.values())
    return Dataset(name, tuple(texts.values()), tuple(grouped), *scoring[:3], licence, note)


FindFiles = Callable[[Path], Iterable[Path]]  # finds what a form reads at a path
DECLARED = read_package_toml(__package__, "forms.toml")


@dataclass(frozen=True)
class Form:
    """A form in `forms.toml`, recognised by the `keys` of a file's first record or by what it can `find` at a path."""

    name: str
    load: Callable[[Path, int | None], Dataset]
    find: FindFiles | None = None

    @property
    def line(self) -> str:
        """What it reads."""
        return str(DECLARED[self.name]["line"])

    @property
    def keys(self) -> Set[str]:
        """Fields of a file's first record; none where a file isn't recognised by them."""
        return {*DECLARED[self.name].get("keys", ())}

    def recognises(self, path: Path) -> bool:
        """Whether its files are at this path, whatever a first record would show."""
        return self.find is not None and any(True for _ in self.find(path))

    def files(self, path: Path) -> list[Path]:
        """The files of a folder, or a file by itself; raises `BadInput` for a folder without any."""
        paths = [*self.find(path)] if self.find and path.is_dir() else [path]
        if not paths:
            raise fault_of(path, DECLARED[self.name]["lacking"])
        return paths


def form(name: str, find: FindFiles | None = None) -> Callable[[Callable[[Path], Iterable[Asked]]], Form]:
    """Make the form of this name in `forms.toml` of the function that reads its questions, with their texts."""

    def declare(read: Callable[[Path], Iterable[Asked]]) -> Form:
        def load(path: Path, items: int | None = None) -> Dataset:
            return build_dataset(path, read(path), items, name, licence=DECLARED[name].get("licence", ""))

        return Form(name, load, find)

    return declare
