"""NarrativeQA's test set: questions about whole books and film scripts (Kočiský et al., 2018).

The repository holds `documents.csv` and `qaps.csv`; its `download_stories.sh` downloads the stories into `tmp/`, each
as `<document_id>.content`, some as HTML. Not all addresses still work: questions about missing stories are left out,
and the dataset's note gives their number.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

from readgraph.evaluation.datasets.assembling import Asked, build_dataset
from readgraph.evaluation.datasets.forms import Form
from readgraph.evaluation.datasets.record_files import DatasetRecord, record
from readgraph.evaluation.records import Dataset, Item, Text
from readgraph.library.stored_items import replace_surrogates
from readgraph.sources.formats import html_text, plain_text
from readgraph.sources.inputs import read_bytes
from readgraph.sources.loading import printable_path
from readgraph.state.errors import BadInput
from readgraph.state.files import check_regular

QUESTIONS, DOCUMENTS, STORIES = "qaps.csv", "documents.csv", "tmp"

TEST = "test"

Kind = Literal["gutenberg", "movie"]

HTML = re.compile(rb"<(?:!doctype|html|head|body|pre)\b", re.IGNORECASE)

BEGINNING = 4096
"""Bytes at the beginning in which HTML is recognised."""


class NarrativeQaDocument(DatasetRecord):
    """A line of `documents.csv`."""

    document_id: str
    set: str
    kind: Kind
    wiki_title: str = ""


class NarrativeQaQuestion(DatasetRecord):
    """A line of `qaps.csv`; both answers are right."""

    document_id: str
    set: str
    question: str
    answer1: str
    answer2: str


def _recognise(path: Path) -> bool:
    """Whether the path is the repository's folder, or its file of questions."""
    folder = path if path.is_dir() else path.parent
    return (path.is_dir() or path.name == QUESTIONS) and all(
        (folder / name).is_file() for name in (QUESTIONS, DOCUMENTS)
    )


def _load(path: Path, items: int | None = None, kind: Kind | None = None) -> Dataset:
    """The questions of the test set about stories of this kind (None: of both), story by story."""
    folder = path if path.is_dir() else path.parent
    documents = {
        document.document_id: document
        for document in (record(row, NarrativeQaDocument, where) for where, row in _rows(folder / DOCUMENTS))
        if document.set == TEST and kind in (None, document.kind)
    }
    present = {identity for identity in documents if _story(folder, identity).is_file()}
    if not present:
        raise BadInput(
            f"{printable_path(folder / STORIES)} holds no story of the test set: download them with "
            "download_stories.sh."
        )
    name = f"narrativeqa-{kind}" if kind else "narrativeqa"
    asked = _read_narrative_qa(folder, {identity: documents[identity] for identity in present})
    dataset = build_dataset(path, asked, items, name, licence="Apache 2.0; each story has its own")
    missing = len(documents) - len(present)
    return replace(dataset, note=f"{missing} of {len(documents)} stories are missing." if missing else "")


NARRATIVE_QA = Form("narrativeqa", "NarrativeQA's folder, of which the test set is taken.", _load, recognise=_recognise)

BOOKS = Form("narrativeqa-gutenberg", "The same, books only.", partial(_load, kind="gutenberg"))

SCRIPTS = Form("narrativeqa-movie", "The same, film scripts only.", partial(_load, kind="movie"))


def _read_narrative_qa(folder: Path, documents: dict[str, NarrativeQaDocument]) -> Iterator[Asked]:
    questions = dict[str, list[Item]]()
    for number, (where, row) in enumerate(_rows(folder / QUESTIONS), 1):
        asked = record(row, NarrativeQaQuestion, where)
        if asked.document_id in documents:
            questions.setdefault(asked.document_id, []).append(_item(number, asked, documents[asked.document_id]))
    for identity, items in questions.items():
        story = _story(folder, identity)
        yield printable_path(story), Text(identity, documents[identity].wiki_title, _text(story)), items


def _item(number: int, asked: NarrativeQaQuestion, document: NarrativeQaDocument) -> Item:
    answers = dict.fromkeys(answer.strip() for answer in (asked.answer1, asked.answer2))
    identity = f"{asked.document_id}-{number}"
    return Item(identity, asked.document_id, asked.question.strip(), tuple(answers), category=document.kind)


def _story(folder: Path, identity: str) -> Path:
    return folder / STORIES / f"{identity}.content"


def _text(story: Path) -> str:
    name = printable_path(story)
    data = read_bytes(story, name)
    convert = html_text.convert if HTML.search(data[:BEGINNING]) else plain_text.convert
    return str(replace_surrogates(convert(data, name).text))


def _rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    check_regular(path, printable_path(path))
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            for row in rows:
                yield f"line {rows.line_num} of {printable_path(path)}", row
    except OSError as problem:
        raise BadInput(f"{printable_path(path)} can't be read: {problem.strerror}.") from None
    except (UnicodeDecodeError, csv.Error):
        raise BadInput(f"{printable_path(path)} is not a file of comma-separated values in UTF-8.") from None
