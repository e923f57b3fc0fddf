"""QuALITY: stories, and multiple-choice questions that need the whole story (Pang et al., 2022).

Each line holds a story and one writer's questions about it, so each story occurs twice. A question is hard if most
annotators with limited time got it wrong.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field, model_validator

from readgraph.evaluation.datasets.assembling import Asked, assembled
from readgraph.evaluation.datasets.record_files import Record, records
from readgraph.evaluation.datasets.texts import without_html
from readgraph.evaluation.records import Dataset, Item, Text

KEYS = frozenset({"article_id", "article", "questions"})


class Question(Record):
    """A question; labels count from 1. Questions of the test file have no label."""

    question: str
    options: tuple[str, ...] = Field(min_length=2)
    gold_label: int
    question_unique_id: str
    difficult: bool = False

    @model_validator(mode="after")
    def _one_of_the_options(self) -> "Question":
        if not 1 <= self.gold_label <= len(self.options):
            raise ValueError(f"gold_label must name one of the {len(self.options)} options, from 1")
        return self


class Line(Record):
    """A story with one writer's questions."""

    article_id: str
    article: str
    questions: list[Question]
    title: str = ""
    license: str = ""


def load(path: Path, items: int | None = None) -> Dataset:
    """The questions of a file, in its order."""
    return assembled(path, _asked(path), items, "quality", licence="CC BY 4.0; each story has its own")


def _asked(path: Path) -> Iterator[Asked]:
    for where, line in records(path, Line):
        text = Text(line.article_id, line.title, without_html(line.article))
        yield where, text, (_item(line.article_id, asked) for asked in line.questions)


def _item(text: str, asked: Question) -> Item:
    return Item(
        id=asked.question_unique_id,
        text=text,
        question=asked.question.strip(),
        options=tuple(option.strip() for option in asked.options),
        correct=asked.gold_label - 1,
        category="hard" if asked.difficult else "easy",
    )
