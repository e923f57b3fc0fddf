"""Questions over many documents: HotpotQA in long form, NaturalQuestions-Open, BrowseComp-Plus, FinanceBench.

HotpotQA, by MemAgent's authors: its passages are one text, and which hold the answer is not marked. NaturalQuestions:
passages in the file's order (Liu et al., 2023; MemGPT, section 3.2.1). BrowseComp-Plus (Chen et al., 2025): published
encrypted; with the corpus (`docid`, `text`) in the folder all questions are about all of it, without it about the pages
of those that are asked. FinanceBench (Islam et al., 2023): companies' reports, which are PDFs in a folder beside it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import islice, pairwise
from pathlib import Path

from pydantic import Field

from readgraph import BadInput
from readgraph.library.stored_items import replace_surrogates
from readgraph.sources import load as load_file
from readgraph.sources.loading import fault_of
from readgraph.sources.places import page_of
from readgraph_evaluation.datasets.assembling import MemberDocument, keep_documents_apart
from readgraph_evaluation.datasets.forms import Asked, DatasetRecord, Form, build_dataset, first_value, form, records
from readgraph_evaluation.records import Dataset, Item, Text, TextSpan


class _HotpotQuestion(DatasetRecord):
    input: str
    context: str
    answers: list[str] = Field(min_length=1)
    index: int | None = None
    num_docs: int | None = None


@form("hotpotqa-long")
def hotpot(path: Path) -> Iterator[Asked]:
    """The questions of a file; each has its own text."""
    for number, (where, asked) in enumerate(records(path, _HotpotQuestion)):
        identity = f"{path.stem}-{number if asked.index is None else asked.index}"
        size = f"{asked.num_docs} documents" if asked.num_docs else ""
        item = Item(f"{identity}-q", identity, asked.input.strip(), tuple(asked.answers), category=size)
        yield where, Text(identity, identity, replace_surrogates(asked.context)), [item]


class _NaturalQuestionPassage(DatasetRecord):
    text: str
    title: str = ""
    hasanswer: bool = False
    isgold: bool = False  # it is from the question's own article and holds the answer


class _NaturalQuestion(DatasetRecord):
    question: str
    answers: list[str] = Field(min_length=1)  # each of which is right
    ctxs: list[_NaturalQuestionPassage] = Field(min_length=1)


@form("nq-open")
def natural_questions(path: Path) -> Iterator[Asked]:
    """The questions of a file; the evidence is the gold passage, or without one, the passages that hold an answer."""
    for number, (where, asked) in enumerate(records(path, _NaturalQuestion), 1):
        identity = f"nq-{number}"
        parts = (MemberDocument(each.text, each.title, str(place)) for place, each in enumerate(asked.ctxs))
        text, spans = keep_documents_apart(identity, asked.question, parts)
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


NAME = "browsecomp-plus"
CORPUS_KEYS = frozenset({"docid", "text"})
CORPUS = "corpus"  # the id of the text
_ENCRYPTED = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")


class _BrowseCompPage(DatasetRecord):
    docid: str
    text: str


class _BrowseCompPages(DatasetRecord):
    gold_docs: tuple[_BrowseCompPage, ...] = ()
    evidence_docs: tuple[_BrowseCompPage, ...] = ()
    negative_docs: tuple[_BrowseCompPage, ...] = ()


class _PageReference(DatasetRecord):
    docid: str


class _BrowseCompQuery(DatasetRecord):
    query_id: str
    query: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    evidence_docs: tuple[_PageReference, ...] = ()


def _load_browse_comp(path: Path, items: int | None = None) -> Dataset:
    """The questions of a file, or of a folder with it and the corpus; all have one text, of many documents."""
    files = [*_files(path)] if path.is_dir() else [path]
    questions = [file for file in files if _has_keys(file, browse_comp.keys)]
    corpus = [file for file in files if file not in questions and _has_keys(file, CORPUS_KEYS)]
    if len(questions) != 1:
        raise fault_of(path, "needs one file of questions, such as browsecomp_plus_decrypted.jsonl.")
    asked = [*islice(records(questions[0], _BrowseCompQuery), items)]
    for where, query in asked:
        if _ENCRYPTED.fullmatch(query.query):
            raise BadInput(
                f"In {where}, the question is encrypted: write the file in plain text with the authors' "
                "decrypt_dataset.py, and name that."
            )
    text, spans = keep_documents_apart(CORPUS, "BrowseComp-Plus", _parts(corpus, questions[0], items))
    rows = list[Asked]()
    for where, query in asked:
        named = dict.fromkeys(page.docid for page in query.evidence_docs)
        evidence = tuple(spans[name] for name in named if name in spans)
        item = Item(query.query_id, CORPUS, query.query.strip(), (query.answer.strip(),), evidence=evidence)
        rows.append((where, text, [item]))
    lacking = {page.docid for _, query in asked for page in query.evidence_docs} - spans.keys()
    note = f"{len(lacking):,} pages of evidence are not in the corpus." if lacking else ""
    if not corpus:
        own = f"the questions are about their own {len(text.documents):,} pages, among which it is easier."
        note = f"Without the corpus: {own}"
    return build_dataset(path, rows, items, NAME, note=note)


def _question_files(folder: Path) -> Iterator[Path]:
    return (file for file in _files(folder) if _has_keys(file, browse_comp.keys))


browse_comp = Form(NAME, _load_browse_comp, _question_files)


def _files(folder: Path) -> Iterator[Path]:
    """The files of a folder and of those in it that may hold questions or pages."""
    paths = sorted([*folder.glob("*"), *folder.glob("*/*")])
    return (file for file in paths if file.is_file() and file.name.endswith((".jsonl", ".jsonl.gz", ".parquet")))


def _has_keys(file: Path, keys: Set[str]) -> bool:
    value = first_value(file)
    return isinstance(value, dict) and keys <= value.keys()


def _parts(corpus: Sequence[Path], questions: Path, items: int | None) -> Iterator[MemberDocument]:
    """The pages of the corpus, or without one, those of the questions that are asked."""
    pages: Iterable[_BrowseCompPage] = (page for file in corpus for _, page in records(file, _BrowseCompPage))
    if not corpus:
        asked = islice(records(questions, _BrowseCompPages), items)
        pages = (page for _, each in asked for page in (*each.gold_docs, *each.evidence_docs, *each.negative_docs))
    # Below "---" the first line tells the title, after which a document is named.
    return (MemberDocument(page.text.removeprefix("---\n"), id=page.docid) for page in pages if page.text.strip())


class _FinanceEvidence(DatasetRecord):
    doc_name: str
    evidence_page_num: int  # of a page that shows the answer, from 0


class _FinanceQuestion(DatasetRecord):
    financebench_id: str
    doc_name: str
    question: str
    answer: str
    question_type: str = ""
    evidence: tuple[_FinanceEvidence, ...] = ()


@form("financebench")
def finance_bench(path: Path) -> Iterator[Asked]:
    """The questions of a file, each about its own report; evidence is whole pages of the PDF."""
    reports = dict[str, tuple[Text, dict[int, TextSpan]]]()
    for where, asked in records(path, _FinanceQuestion):
        if asked.doc_name not in reports:
            reports[asked.doc_name] = _report(path, asked.doc_name)
        text, pages = reports[asked.doc_name]
        shown = [each.evidence_page_num + 1 for each in asked.evidence if each.doc_name == asked.doc_name]
        item = Item(
            id=asked.financebench_id,
            text=text.id,
            question=asked.question,
            references=(asked.answer,),
            evidence=tuple(pages[page] for page in dict.fromkeys(shown) if page in pages),
            category=asked.question_type,
        )
        yield where, text, [item]


def _report(path: Path, name: str) -> tuple[Text, dict[int, TextSpan]]:
    """A report, and the spans of its pages by their numbers."""
    if Path(name).name != name:
        raise fault_of(path, f"names a report '{name}', which is no name of a file.")
    folders = (path.parent / "pdfs", path.parent.parent / "pdfs", path.parent)
    file = next((found for folder in folders if (found := folder / f"{name}.pdf").is_file()), None)
    if file is None:
        raise fault_of(path, f"asks about {name}.pdf: put its PDFs into a folder 'pdfs' beside it.")
    source = load_file(file)
    starts = dict[int, int]()
    for place in source.places:
        if page := page_of(place.label):
            starts.setdefault(page.number, place.start)
    bounds = pairwise([*starts.values(), len(source.text)])
    return Text(name, name, source.text), dict(zip(starts, map(TextSpan._make, bounds), strict=True))
