"""HotpotQA in long form, made by MemAgent's authors: questions that need two of many Wikipedia passages.

Files are named after the number of passages (`eval_50.json` to `eval_6400.json`). The passages are one text, each under
"Document N:". The files don't mark the passages that hold the answer.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from readgraph.evaluation.datasets.assembling import Asked, assembled
from readgraph.evaluation.datasets.record_files import Record, records
from readgraph.evaluation.records import Dataset, Item, Text
from readgraph.state.store.stored_items import storable

KEYS = frozenset({"input", "context", "answers"})


class Question(Record):
    """A question over its passages."""

    input: str
    context: str
    answers: list[str] = Field(min_length=1)
    index: int | None = None
    num_docs: int | None = None


def load(path: Path, items: int | None = None) -> Dataset:
    """The questions of a file; each has its own text."""
    return assembled(path, _asked(path), items, "hotpotqa-long", licence="CC BY-SA 4.0")


def _asked(path: Path) -> Iterator[Asked]:
    for number, (where, asked) in enumerate(records(path, Question)):
        identity = f"{path.stem}-{number if asked.index is None else asked.index}"
        size = f"{asked.num_docs} documents" if asked.num_docs else ""
        item = Item(f"{identity}-q", identity, asked.input.strip(), tuple(asked.answers), category=size)
        yield where, Text(identity, identity, storable(asked.context)), [item]
