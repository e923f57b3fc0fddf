"""The form for your own questions: each line of JSON is a document with its questions.

    {"doc_id": "log", "title": "The log", "text": "…", "questions": [{"question": "…", "answer": "…"}]}

Instead of `text` there may be `text_file`, `documents` or `sessions`; the guide to datasets describes every key.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from readgraph.library.stored_items import replace_surrogates
from readgraph.sources import load as load_file
from readgraph_evaluation.datasets import assembling
from readgraph_evaluation.datasets.forms import Asked, DatasetRecord, Form, build_dataset, records
from readgraph_evaluation.records import Dataset, Item, Text, TextSpan

Evidence = tuple[int, int] | str | dict[str, Any]
WHOLE_TEXT = {("qmsum", "general"), ("squality", "plot")}  # categories whose questions ask for a summary of all
Find = Callable[[Evidence], TextSpan | None]  # finds the span of a piece of evidence in the text


class _OwnQuestion(DatasetRecord):
    question: str = Field(min_length=1)
    answer: str | list[str] = ""
    id: str = ""
    options: tuple[str, ...] = ()
    answer_index: int | None = None
    evidence: tuple[Evidence, ...] = ()
    category: str = ""
    category_name: str = ""
    unanswerable: bool = False
    summary: bool | None = None

    @model_validator(mode="after")
    def _one_of_the_options(self) -> "_OwnQuestion":
        if self.options and self.answer_index not in range(len(self.options)):
            raise ValueError(f"answer_index must name one of the {len(self.options)} options, from 0")
        return self


class _OwnSession(DatasetRecord):
    turns: list[assembling.SpeakerTurn] = Field(min_length=1)
    date_time: str = ""


class _OwnLine(DatasetRecord):
    doc_id: str
    questions: list[_OwnQuestion]
    dataset: str = ""
    title: str = ""
    license: str = ""
    text: str | None = None
    text_file: str | None = None
    documents: tuple[assembling.MemberDocument, ...] = ()
    sessions: tuple[_OwnSession, ...] = ()

    @model_validator(mode="after")
    def _has_a_text(self) -> "_OwnLine":
        if sum(map(bool, (self.text, self.text_file, self.documents, self.sessions))) != 1:
            raise ValueError("a document has one of 'text', 'text_file', 'documents' and 'sessions'")
        if self.text_file and Path(self.text_file).name != self.text_file:
            raise ValueError("'text_file' must name a file in the same folder")
        return self


def _load(path: Path, items: int | None = None) -> Dataset:
    """The dataset in a file; its name is the first line's `dataset`, or else the file's name."""
    first = next((line for _, line in records(path, _OwnLine)), None)
    name, licence = (first.dataset, first.license) if first else ("", "")
    return build_dataset(path, _read(path, name), items, name or path.stem, licence=licence)


own = Form("readgraph", _load)


def _read(path: Path, name: str) -> Iterator[Asked]:
    for where, line in records(path, _OwnLine):
        text, find = _text_of(line, path.parent)
        items = (
            Item(
                id=asked.id or f"{line.doc_id}-q{number}",
                text=line.doc_id,
                question=asked.question,
                references=tuple(filter(None, [asked.answer] if isinstance(asked.answer, str) else asked.answer)),
                options=asked.options,
                correct=asked.answer_index if asked.options else None,
                evidence=tuple(span for span in map(find, asked.evidence) if span),
                category=asked.category_name or asked.category,
                unanswerable=asked.unanswerable,
                summary=(name, asked.category) in WHOLE_TEXT if asked.summary is None else asked.summary,
            )
            for number, asked in enumerate(line.questions)
        )
        yield where, text, items


def _text_of(line: _OwnLine, folder: Path) -> tuple[Text, Find]:
    title = line.title or line.doc_id
    if line.sessions:
        sessions = (assembling.SessionTurns(session.turns, session.date_time) for session in line.sessions)
        text, turns = assembling.join_sessions(line.doc_id, title, sessions)
        return text, lambda evidence: turns.get(evidence) if isinstance(evidence, str) else None
    if line.documents:
        text, parts = assembling.join_documents(line.doc_id, title, line.documents)
        return text, lambda evidence: parts.get(str(evidence.get("doc"))) if isinstance(evidence, dict) else None
    plain = load_file(folder / line.text_file).text if line.text_file else replace_surrogates(line.text)
    lines = assembling.line_spans(plain)

    def find(evidence: Evidence) -> TextSpan | None:
        if isinstance(evidence, str):
            start = plain.find(evidence)
            return TextSpan(start, start + len(evidence)) if evidence and start >= 0 else None
        return None if isinstance(evidence, dict) else assembling.lines_from(lines, *evidence)

    return Text(line.doc_id, title, plain), find
