"""QuALITY (Pang et al., 2022) and SQuALITY (Wang et al., 2022): questions that need a whole story.

QuALITY's are multiple choice. Each line holds a story and one writer's questions about it, so each story occurs twice.
A question is hard if most annotators with limited time got it wrong.

SQuALITY's answers are summaries. Each line holds a story with five questions; the first asks for the plot. Each
question has the summaries of four writers, each of which is a reference.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field, model_validator

from readgraph.evaluation.datasets.assembling import Asked, without_html
from readgraph.evaluation.datasets.forms import form_of
from readgraph.evaluation.datasets.record_files import DatasetRecord, records
from readgraph.evaluation.records import Item, Text


class QualityQuestion(DatasetRecord):
    """A question; labels count from 1. Questions of the test file have no label."""

    question: str
    options: tuple[str, ...] = Field(min_length=2)
    gold_label: int
    question_unique_id: str
    difficult: bool = False

    @model_validator(mode="after")
    def _one_of_the_options(self) -> "QualityQuestion":
        if not 1 <= self.gold_label <= len(self.options):
            raise ValueError(f"gold_label must name one of the {len(self.options)} options, from 1")
        return self


class QualityLine(DatasetRecord):
    """A story with one writer's questions."""

    article_id: str
    article: str
    questions: list[QualityQuestion]
    title: str = ""
    license: str = ""


def _read_quality(path: Path) -> Iterator[Asked]:
    """The questions of a file, in its order."""
    for where, line in records(path, QualityLine):
        text = Text(line.article_id, line.title, without_html(line.article))
        yield where, text, (_item(line.article_id, asked) for asked in line.questions)


QUALITY = form_of(
    "quality",
    "QuALITY, such as QuALITY.v1.0.1.htmlstripped.dev.",
    _read_quality,
    {"article_id", "article", "questions"},
    licence="CC BY 4.0; each story has its own",
)


def _item(text: str, asked: QualityQuestion) -> Item:
    return Item(
        id=asked.question_unique_id,
        text=text,
        question=asked.question.strip(),
        options=tuple(option.strip() for option in asked.options),
        correct=asked.gold_label - 1,
        category="hard" if asked.difficult else "easy",
    )


PLOT, SPECIFIC = "plot", "specific"
"""The categories: the question for the plot, and the others."""

LONGEST_TITLE = 80
"""Characters: a first line that is longer is no title."""


class SqualityMetadata(DatasetRecord):
    """What a line says of its story."""

    passage_id: str


class WriterSummary(DatasetRecord):
    """A writer's summary."""

    response_text: str


class SqualityQuestion(DatasetRecord):
    """A question; those of a story count from 1."""

    question_text: str
    question_number: int
    responses: list[WriterSummary] = Field(min_length=1)


class SqualityLine(DatasetRecord):
    """A story with its questions."""

    metadata: SqualityMetadata
    document: str
    questions: list[SqualityQuestion]


def _read_squality(path: Path) -> Iterator[Asked]:
    """The questions of a file, in its order."""
    for where, line in records(path, SqualityLine):
        name, story = line.metadata.passage_id, without_html(line.document)
        first = story.strip().partition("\n")[0].strip()
        title = first if len(first) <= LONGEST_TITLE else ""
        yield where, Text(name, title or name, story), (_summary_item(name, asked) for asked in line.questions)


SQUALITY = form_of(
    "squality",
    "SQuALITY, such as v1-3/txt/dev.jsonl.",
    _read_squality,
    {"metadata", "document", "questions"},
    licence="stories: Project Gutenberg License; questions and summaries: MIT",
)


def _summary_item(story: str, asked: SqualityQuestion) -> Item:
    plot = asked.question_number == 1
    return Item(
        id=f"{story}-{asked.question_number}",
        text=story,
        question=asked.question_text.strip(),
        references=tuple(filter(None, (response.response_text.strip() for response in asked.responses))),
        category=PLOT if plot else SPECIFIC,
        summary=plot,
    )
