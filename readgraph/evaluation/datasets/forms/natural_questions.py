"""Questions of NaturalQuestions-Open over retrieved Wikipedia passages, as in "Lost in the Middle" (Liu et al., 2023).

This is the document task of MemGPT (section 3.2.1). The text of a question is its passages, in the file's order.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from readgraph.evaluation.datasets.assembling import Asked, assembled
from readgraph.evaluation.datasets.record_files import Record, records
from readgraph.evaluation.datasets.texts import Part, apart
from readgraph.evaluation.records import Dataset, Item

KEYS = frozenset({"question", "answers", "ctxs"})


class Passage(Record):
    """A passage; it is gold if it is from the question's own article and holds the answer."""

    text: str
    title: str = ""
    hasanswer: bool = False
    isgold: bool = False


class Question(Record):
    """A question, its answers (each of which is right), and its passages."""

    question: str
    answers: list[str] = Field(min_length=1)
    ctxs: list[Passage] = Field(min_length=1)


def load(path: Path, items: int | None = None) -> Dataset:
    """The questions of a file; the evidence is the gold passage, or without one, the passages that hold an answer."""
    return assembled(path, _asked(path), items, "nq-open", licence="MIT; passages CC BY-SA 3.0")


def _asked(path: Path) -> Iterator[Asked]:
    for number, (where, asked) in enumerate(records(path, Question), 1):
        identity = f"nq-{number}"
        text, spans = apart(identity, asked.question, _parts(asked.ctxs))
        gold = [passage.isgold for passage in asked.ctxs]
        marked = gold if any(gold) else [passage.hasanswer for passage in asked.ctxs]
        item = Item(
            id=f"{identity}-q",
            text=identity,
            question=asked.question,
            references=tuple(asked.answers),
            evidence=tuple(spans[str(place)] for place, holds in enumerate(marked) if holds),
            category=f"{len(asked.ctxs)} documents",
        )
        yield where, text, [item]


def _parts(passages: list[Passage]) -> Iterator[Part]:
    for place, passage in enumerate(passages):
        yield Part(passage.text, passage.title, str(place))
