"""Questions about whole stories and meetings: QuALITY, SQuALITY, NarrativeQA, QMSum.

QuALITY (Pang et al., 2022): multiple choice; a question is hard if most annotators with limited time got it wrong.
SQuALITY (Wang et al., 2022): four writers' summaries are the references. NarrativeQA (Kočiský et al., 2018): the
repository's `download_stories.sh` fetches the stories into `tmp/`; questions about missing ones are left out and
counted. QMSum (Zhong et al., 2021): meetings; questions about a part of one ("specific") name their turns.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import AliasPath, Field, model_validator

from readgraph.library.stored_items import replace_surrogates
from readgraph.sources.formats import html_text, plain_text
from readgraph.sources.inputs import read_bytes
from readgraph.sources.loading import fault_of, printable_path
from readgraph_evaluation.datasets.assembling import format_turn, line_spans, lines_from, without_html
from readgraph_evaluation.datasets.forms import Asked, DatasetRecord, Form, build_dataset, form, records
from readgraph_evaluation.records import Dataset, Item, Text


class _QualityQuestion(DatasetRecord):
    question: str
    options: tuple[str, ...] = Field(min_length=2)
    gold_label: int  # counts from 1; questions of the test file have none
    question_unique_id: str
    difficult: bool = False

    @model_validator(mode="after")
    def _one_of_the_options(self) -> "_QualityQuestion":
        if not 1 <= self.gold_label <= len(self.options):
            raise ValueError(f"gold_label must name one of the {len(self.options)} options, from 1")
        return self


class _QualityLine(DatasetRecord):
    article_id: str
    article: str
    questions: list[_QualityQuestion]
    title: str = ""
    license: str = ""


@form("quality")
def quality(path: Path) -> Iterator[Asked]:
    """The questions of a file, in its order."""
    for where, line in records(path, _QualityLine):
        text = Text(line.article_id, line.title, without_html(line.article))
        items = (
            Item(
                id=question.question_unique_id,
                text=text.id,
                question=question.question.strip(),
                options=tuple(option.strip() for option in question.options),
                correct=question.gold_label - 1,
                category="hard" if question.difficult else "easy",
            )
            for question in line.questions
        )
        yield where, text, items


class _WriterSummary(DatasetRecord):
    response_text: str


class _SqualityQuestion(DatasetRecord):
    question_text: str
    question_number: int  # those of a story count from 1
    responses: list[_WriterSummary] = Field(min_length=1)


class _SqualityLine(DatasetRecord):
    passage_id: str = Field(validation_alias=AliasPath("metadata", "passage_id"))
    document: str
    questions: list[_SqualityQuestion]


@form("squality")
def squality(path: Path) -> Iterator[Asked]:
    """The questions of a file, in its order."""
    for where, line in records(path, _SqualityLine):
        name, story = line.passage_id, without_html(line.document)
        first = story.strip().partition("\n")[0].strip()
        title = first if len(first) <= 80 else ""
        items = (
            Item(
                id=f"{name}-{question.question_number}",
                text=name,
                question=question.question_text.strip(),
                references=tuple(filter(None, (response.response_text.strip() for response in question.responses))),
                category="plot" if question.question_number == 1 else "specific",
                summary=question.question_number == 1,
            )
            for question in line.questions
        )
        yield where, Text(name, title or name, story), items


QUESTIONS, DOCUMENTS, STORIES = "qaps.csv", "documents.csv", "tmp"
Kind = Literal["gutenberg", "movie"]
STORY_HTML = re.compile(rb"<(?:!doctype|html|head|body|pre)\b", re.IGNORECASE)


class _NarrativeQaDocument(DatasetRecord):
    document_id: str
    set: str
    kind: Kind
    wiki_title: str = ""


class _NarrativeQaQuestion(DatasetRecord):
    document_id: str
    question: str
    answer1: str
    answer2: str


def _find_narrative_qa(path: Path) -> list[Path]:
    folder = path if path.is_dir() else path.parent
    both_there = (folder / QUESTIONS).is_file() and (folder / DOCUMENTS).is_file()
    return [folder] if both_there and (path.is_dir() or path.name == QUESTIONS) else []


def _load_narrative_qa(path: Path, items: int | None = None, kind: str = "", part: str = "test") -> Dataset:
    """The questions of this part of the dataset about stories of this kind ("": of both), story by story."""
    folder = path if path.is_dir() else path.parent
    documents = {
        document.document_id: document
        for _, document in records(folder / DOCUMENTS, _NarrativeQaDocument)
        if document.set == part and kind in ("", document.kind)
    }
    present = {name: document for name, document in documents.items() if _story(folder, name).is_file()}
    if not present:
        lacking = f"holds no story of the {NAMED[part]} set: download them with download_stories.sh."
        raise fault_of(folder / STORIES, lacking)
    name = f"narrativeqa-{kind}" if kind else "narrativeqa"
    asked = _read_narrative_qa(folder, present)
    missing = len(documents) - len(present)
    note = f"{missing} of {len(documents)} stories are missing." if missing else ""
    return build_dataset(path, asked, items, name, licence="Apache 2.0; each story has its own", note=note)


NAMED = {"test": "test", "valid": "validation"}  # the parts by their names in the files
PARTS: dict[str, dict[str, Any]] = {
    **{"narrativeqa": {}, "narrativeqa-gutenberg": {"kind": "gutenberg"}, "narrativeqa-movie": {"kind": "movie"}},
    "narrativeqa-gutenberg-valid": {"kind": "gutenberg", "part": "valid"},
    "narrativeqa-movie-valid": {"kind": "movie", "part": "valid"},
}
narrative_qa = [Form(name, partial(_load_narrative_qa, **of), _find_narrative_qa) for name, of in PARTS.items()]


def _read_narrative_qa(folder: Path, documents: dict[str, _NarrativeQaDocument]) -> Iterator[Asked]:
    questions = dict[str, list[Item]]()
    for number, (_, question) in enumerate(records(folder / QUESTIONS, _NarrativeQaQuestion), 1):
        if question.document_id in documents:
            text = question.document_id
            answers = tuple(dict.fromkeys((question.answer1.strip(), question.answer2.strip())))
            item = Item(f"{text}-{number}", text, question.question.strip(), answers, category=documents[text].kind)
            questions.setdefault(text, []).append(item)
    for identity, items in questions.items():
        story = _story(folder, identity)
        name = printable_path(story)
        data = read_bytes(story, name)
        convert = html_text.convert if STORY_HTML.search(data[:4096]) else plain_text.convert
        plain = str(replace_surrogates(convert(data, name).text))
        yield name, Text(identity, documents[identity].wiki_title, plain), items


def _story(folder: Path, identity: str) -> Path:
    return folder / STORIES / f"{identity}.content"


class _QmsumQuery(DatasetRecord):
    query: str
    answer: str
    relevant_text_span: tuple[tuple[int, int], ...] = ()  # the first and the last turn of each part, from 0


class _QmsumTurn(DatasetRecord):
    speaker: str = ""
    content: str


class _Meeting(DatasetRecord):
    general_query_list: tuple[_QmsumQuery, ...] = ()
    specific_query_list: tuple[_QmsumQuery, ...] = ()
    meeting_transcripts: list[_QmsumTurn] = Field(min_length=1)


@form("qmsum")
def qmsum(path: Path) -> Iterator[Asked]:
    """The questions of a file, meeting by meeting."""
    for number, (where, meeting) in enumerate(records(path, _Meeting), 1):
        identity = f"{path.stem}-{number}"
        told = [format_turn(turn.speaker, " ".join(turn.content.split())) for turn in meeting.meeting_transcripts]
        text = Text(identity, f"_Meeting {number}", "\n".join(told))
        spans = line_spans(text.text)
        kinds = {"general": meeting.general_query_list, "specific": meeting.specific_query_list}
        items = (
            Item(
                id=f"{identity}-{kind}{place}",
                text=identity,
                question=asked.query,
                references=(asked.answer,),
                evidence=tuple(filter(None, (lines_from(spans, *turns) for turns in asked.relevant_text_span))),
                category=kind,
                summary=kind == "general",
            )
            for kind, queries in kinds.items()
            for place, asked in enumerate(queries)
        )
        yield where, text, items
