"""LongBench v2: multiple-choice questions over long texts, code, tables and dialogues (Bai et al., 2024)."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from readgraph.evaluation.datasets.assembling import Asked, assembled
from readgraph.evaluation.datasets.record_files import Record, records
from readgraph.evaluation.records import Dataset, Item, Text
from readgraph.state.store.stored_items import storable

KEYS = frozenset({"_id", "context", "question", "choice_A", "choice_B", "choice_C", "choice_D"})

LETTERS = "ABCD"


class Line(Record):
    """A question, its four options, and its context."""

    id: Annotated[str, Field(alias="_id")]
    context: str
    question: str
    choice_A: str
    choice_B: str
    choice_C: str
    choice_D: str
    answer: Literal["A", "B", "C", "D"]
    domain: str = ""
    difficulty: str = ""
    length: str = ""


def load(path: Path, items: int | None = None) -> Dataset:
    """The questions of a file; as in the paper, each counts by its difficulty, its length and its domain."""
    return assembled(path, _asked(path), items, "longbench-v2", licence="Apache 2.0")


def _asked(path: Path) -> Iterator[Asked]:
    for where, line in records(path, Line):
        context = storable(line.context)
        name = sha256(context.encode()).hexdigest()[:16]
        item = Item(
            id=line.id,
            text=name,
            question=line.question.strip(),
            options=tuple(getattr(line, f"choice_{letter}").strip() for letter in LETTERS),
            correct=LETTERS.index(line.answer),
            category=line.difficulty,
            groups=tuple(filter(None, [line.length, line.domain])),
        )
        yield where, Text(name, line.domain or name, context), [item]
