"""The form of one's own questions: a document with its questions on each line of JSON.

    {"doc_id": "log", "title": "The log", "text": "…", "questions": [{"question": "…", "answer": "…"}]}

Instead of `text` there may be `documents` (`[{"id", "title", "text"}]`), or, of a history, `sessions`
(`[{"date_time", "turns": [{"id", "speaker", "text"}]}]`). A question may have an `id`, a `category`, `options` with
`answer_index` (from 0), several answers in a list, `unanswerable`, and `evidence`: of a text the lines
`[first, last]` (from 0) or exact quotes, of a history the ids of turns, of documents `{"doc": id}`.
"""

from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, model_validator

from readgraph.evaluation.datasets.lines import first_value, records
from readgraph.evaluation.datasets.scoring import scoring
from readgraph.evaluation.records import Dataset, Item, Span, Text
from readgraph.state.errors import BadInput
from readgraph.state.histories import BETWEEN, SessionText
from readgraph.state.page_store import storable

Evidence = Annotated[tuple[int, int], Field(min_length=2)] | str | dict[str, Any]


class Question(BaseModel):
    """One question of a line."""

    question: str = Field(min_length=1)
    answer: str | list[str] = ""
    id: str = ""
    options: tuple[str, ...] = ()
    answer_index: int | None = None
    evidence: list[Evidence] = []
    category: str | int = ""
    category_name: str = ""
    unanswerable: bool = False

    @model_validator(mode="after")
    def _one_of_the_options(self) -> "Question":
        if self.options and self.answer_index not in range(len(self.options)):
            raise ValueError(f"answer_index must name one of the {len(self.options)} options, from 0")
        return self


class Turn(BaseModel):
    """What one speaker said."""

    text: str
    id: str = ""
    speaker: str = ""


class SessionOfTurns(BaseModel):
    """One session of a history."""

    turns: list[Turn] = Field(min_length=1)
    date_time: str = ""


class Part(BaseModel):
    """One of several documents that are read as one."""

    text: str
    id: str | int = ""
    title: str = ""


class Line(BaseModel):
    """One document with its questions."""

    doc_id: str
    questions: list[Question]
    dataset: str = ""
    title: str = ""
    license: str = ""
    text: str | None = None
    documents: list[Part] = []
    sessions: list[SessionOfTurns] = []

    @model_validator(mode="after")
    def _has_a_text(self) -> "Line":
        if sum(map(bool, (self.text, self.documents, self.sessions))) != 1:
            raise ValueError("a document has one of 'text', 'documents' and 'sessions'")
        return self


Find = Callable[[Evidence], Span | None]
"""Where a piece of evidence stands in the text."""


def recognise(path: Path) -> bool:
    """Whether the first line is a document with questions."""
    value = first_value(path)
    return isinstance(value, dict) and {"doc_id", "questions"} <= value.keys()


def load(path: Path) -> Dataset:
    """The dataset of a file; its name is that of the first line's `dataset`, else the file's."""
    texts, items, lines = list[Text](), list[Item](), list[Line]()
    for where, line in records(path, Line):
        if any(line.doc_id == text.id for text in texts):
            raise BadInput(f"In {where}, doc_id can't be used: '{line.doc_id}' was there before.")
        text, find = _text_of(line)
        texts.append(text)
        items += _items_of(line, find)
        lines.append(line)
    if not items:
        raise BadInput(f"{path} holds no question.")
    name = lines[0].dataset or path.stem
    metrics, profile = scoring(name, choices=any(item.options for item in items))
    return Dataset(name, tuple(texts), tuple(items), metrics, profile, lines[0].license)


def _items_of(line: Line, find: Find) -> Iterator[Item]:
    for number, asked in enumerate(line.questions):
        answers = [asked.answer] if isinstance(asked.answer, str) else asked.answer
        yield Item(
            id=asked.id or f"{line.doc_id}-q{number}",
            text=line.doc_id,
            question=asked.question,
            references=tuple(filter(None, answers)),
            options=asked.options,
            correct=asked.answer_index if asked.options else None,
            evidence=tuple(span for span in map(find, asked.evidence) if span),
            category=asked.category_name or str(asked.category),
            unanswerable=asked.unanswerable,
        )


def _text_of(line: Line) -> tuple[Text, Find]:
    title = line.title or line.doc_id
    if line.sessions:
        return history(line.doc_id, title, line.sessions)
    if line.documents:
        return several(line.doc_id, title, line.documents)
    text = storable(line.text)
    return Text(line.doc_id, title, text), _in_text(text)


def _in_text(text: str) -> Find:
    starts = [0, *accumulate(len(one) + 1 for one in text.split("\n"))]

    def find(evidence: Evidence) -> Span | None:
        if isinstance(evidence, str):
            at = text.find(evidence)
            return Span(at, at + len(evidence)) if evidence and at >= 0 else None
        if isinstance(evidence, dict) or not 0 <= evidence[0] <= evidence[1] < len(starts) - 1:
            return None
        return Span(starts[evidence[0]], starts[evidence[1] + 1] - 1)

    return find


def several(identity: str, title: str, parts: list[Part]) -> tuple[Text, Find]:
    """Documents one behind the other, each with its title above it."""
    texts = [storable(f"{part.title}\n{part.text}".strip()) for part in parts]
    spans, at = dict[str, Span](), 0
    for part, text in zip(parts, texts, strict=True):
        spans[str(part.id)] = Span(at, at + len(text))
        at += len(text) + len(BETWEEN)

    def find(evidence: Evidence) -> Span | None:
        return spans.get(str(evidence["doc"])) if isinstance(evidence, dict) and "doc" in evidence else None

    return Text(identity, title, BETWEEN.join(texts)), find


def history(identity: str, title: str, sessions: list[SessionOfTurns]) -> tuple[Text, Find]:
    """A history: a turn a line, the time of each session above it."""
    spans, texts, at = dict[str, Span](), list[SessionText](), 0
    for session in sessions:
        lines = [session.date_time] if session.date_time else []
        size = sum(len(line) + 1 for line in lines)
        for turn in session.turns:
            said = " ".join(storable(f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text).split())
            spans[turn.id] = Span(at + size, at + size + len(said))
            size += len(said) + 1
            lines.append(said)
        texts.append(SessionText("\n".join(lines), time=session.date_time))
        at += len(texts[-1].text) + len(BETWEEN)

    def find(evidence: Evidence) -> Span | None:
        return spans.get(evidence) if isinstance(evidence, str) else None

    return Text.history(identity, title, tuple(texts)), find
