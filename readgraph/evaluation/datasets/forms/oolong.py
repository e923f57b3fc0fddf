"""OOLONG: questions that need every part of a long text (Bertsch et al., 2025).

The synthetic set counts and compares labels of hundreds of short texts; the real one asks about transcripts of games.
Both are exported from the Hugging Face hub as JSON lines or Parquet.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from readgraph.evaluation.datasets.assembling import Asked, assembled
from readgraph.evaluation.datasets.record_files import Record, records
from readgraph.evaluation.metrics.aggregation import SEPARATOR
from readgraph.evaluation.records import Dataset, Item, Text
from readgraph.state.store.stored_items import storable

KEYS = frozenset({"context_window_text", "context_window_id", "question", "answer"})

ANSWER_TYPE = "ANSWER_TYPE."
"""Before the type of an answer in the synthetic set."""

_DATE = re.compile(r"\[?datetime\.date\((\d+), (\d+), (\d+)\)\]?")


class Line(Record):
    """A question about a window; `answer` is a list as Python writes it, or, in the real set, plain text."""

    id: str
    context_window_id: str
    context_window_text: str
    question: str
    answer: str
    task_group: str = ""
    question_type: str = ""
    answer_type: str = ""
    dataset: str = ""


def load(path: Path, items: int | None = None) -> Dataset:
    """The questions of a file, in its order."""
    return assembled(path, _asked(path), items, "oolong")


def _asked(path: Path) -> Iterator[Asked]:
    for where, line in records(path, Line):
        window = f"{line.dataset} {line.context_window_id}".strip()
        item = Item(
            id=line.id,
            text=window,
            question=line.question.strip(),
            references=(_reference(line.answer),),
            category=line.task_group or line.question_type,
            groups=tuple(filter(None, [line.answer_type.removeprefix(ANSWER_TYPE).lower().replace("_", " ")])),
        )
        yield where, Text(window, window, storable(line.context_window_text)), [item]


def _reference(answer: str) -> str:
    """The answer as plain text: a date as YYYY-MM-DD, a list of the real set with "; " between its entries.

    Of a list as Python writes it (the synthetic set) the first entry is the answer, as in the official script.
    """
    if found := _DATE.fullmatch(answer.strip()):
        year, month, day = map(int, found.groups())
        return f"{year:04}-{month:02}-{day:02}"
    try:
        value = ast.literal_eval(answer)
    except (ValueError, SyntaxError):
        return SEPARATOR.join(part.strip() for part in answer.split(",")) if ", " in answer else answer.strip()
    return str(value[0] if isinstance(value, list | tuple) and value else value)
