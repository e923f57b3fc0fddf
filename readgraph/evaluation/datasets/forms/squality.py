"""SQuALITY: stories, and questions about them whose answers are summaries (Wang et al., 2022).

Each line holds a story with five questions; the first asks for the plot. Each question has the summaries of four
writers, each of which is a reference.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from readgraph.evaluation.datasets.assembling import Asked, assembled
from readgraph.evaluation.datasets.record_files import Record, records
from readgraph.evaluation.datasets.texts import without_html
from readgraph.evaluation.records import Dataset, Item, Text

KEYS = frozenset({"metadata", "document", "questions"})

PLOT, SPECIFIC = "plot", "specific"
"""The categories: the question for the plot, and the others."""

LONGEST_TITLE = 80
"""Characters: a first line that is longer is no title."""


class About(Record):
    """What a line says of its story."""

    passage_id: str


class Response(Record):
    """A writer's summary."""

    response_text: str


class Question(Record):
    """A question; those of a story count from 1."""

    question_text: str
    question_number: int
    responses: list[Response] = Field(min_length=1)


class Line(Record):
    """A story with its questions."""

    metadata: About
    document: str
    questions: list[Question]


def load(path: Path, items: int | None = None) -> Dataset:
    """The questions of a file, in its order."""
    licence = "stories: Project Gutenberg License; questions and summaries: MIT"
    return assembled(path, _asked(path), items, "squality", licence=licence)


def _asked(path: Path) -> Iterator[Asked]:
    for where, line in records(path, Line):
        name, story = line.metadata.passage_id, without_html(line.document)
        first = story.strip().partition("\n")[0].strip()
        title = first if len(first) <= LONGEST_TITLE else ""
        yield where, Text(name, title or name, story), (_item(name, asked) for asked in line.questions)


def _item(story: str, asked: Question) -> Item:
    plot = asked.question_number == 1
    return Item(
        id=f"{story}-{asked.question_number}",
        text=story,
        question=asked.question_text.strip(),
        references=tuple(filter(None, (response.response_text.strip() for response in asked.responses))),
        category=PLOT if plot else SPECIFIC,
        summary=plot,
    )
