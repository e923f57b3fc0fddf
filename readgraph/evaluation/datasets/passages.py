"""Questions over many Wikipedia passages: HotpotQA in long form, and NaturalQuestions-Open.

HotpotQA, as made by MemAgent's authors: questions that need two of many passages. Files are named after the number of
passages (`eval_50.json` to `eval_6400.json`). The passages are one text, each under "Document N:". The files don't mark
the passages that hold the answer.

NaturalQuestions-Open over retrieved passages, as in "Lost in the Middle" (Liu et al., 2023): the document task of
MemGPT (section 3.2.1). The text of a question is its passages, in the file's order.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from readgraph.evaluation.datasets.assembling import Asked, MemberDocument, keep_documents_apart
from readgraph.evaluation.datasets.forms import form_of
from readgraph.evaluation.datasets.record_files import DatasetRecord, records
from readgraph.evaluation.records import Item, Text
from readgraph.library.stored_items import replace_surrogates


class HotpotQuestion(DatasetRecord):
    """A question over its passages."""

    input: str
    context: str
    answers: list[str] = Field(min_length=1)
    index: int | None = None
    num_docs: int | None = None


def _read_hotpot(path: Path) -> Iterator[Asked]:
    """The questions of a file; each has its own text."""
    for number, (where, asked) in enumerate(records(path, HotpotQuestion)):
        identity = f"{path.stem}-{number if asked.index is None else asked.index}"
        size = f"{asked.num_docs} documents" if asked.num_docs else ""
        item = Item(f"{identity}-q", identity, asked.input.strip(), tuple(asked.answers), category=size)
        yield where, Text(identity, identity, replace_surrogates(asked.context)), [item]


HOTPOT = form_of(
    "hotpotqa-long",
    "HotpotQA in long form, such as eval_50.json.",
    _read_hotpot,
    {"input", "context", "answers"},
    licence="CC BY-SA 4.0",
)


class NaturalQuestionPassage(DatasetRecord):
    """A passage; it is gold if it is from the question's own article and holds the answer."""

    text: str
    title: str = ""
    hasanswer: bool = False
    isgold: bool = False


class NaturalQuestion(DatasetRecord):
    """A question, its answers (each of which is right), and its passages."""

    question: str
    answers: list[str] = Field(min_length=1)
    ctxs: list[NaturalQuestionPassage] = Field(min_length=1)


def _read_natural_questions(path: Path) -> Iterator[Asked]:
    """The questions of a file; the evidence is the gold passage, or without one, the passages that hold an answer."""
    for number, (where, asked) in enumerate(records(path, NaturalQuestion), 1):
        identity = f"nq-{number}"
        text, spans = keep_documents_apart(identity, asked.question, _parts(asked.ctxs))
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


NATURAL_QUESTIONS = form_of(
    "nq-open",
    "NaturalQuestions over passages, nq-open-….jsonl.gz.",
    _read_natural_questions,
    {"question", "answers", "ctxs"},
    licence="MIT; passages CC BY-SA 3.0",
)


def _parts(passages: list[NaturalQuestionPassage]) -> Iterator[MemberDocument]:
    for place, passage in enumerate(passages):
        yield MemberDocument(passage.text, passage.title, str(place))
