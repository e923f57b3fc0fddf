"""The pages: each subject's sentences, written anew by the model where there are several, with what they rest on."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field
from typing_extensions import TypedDict

from readgraph.features.wiki.conflicts import find_conflicts
from readgraph.features.wiki.names import sentences_of
from readgraph.features.wiki.state import Conflict, Subject, WikiPage, WikiSentence, WikiSource
from readgraph.features.wiki.subjects import number_sentences
from readgraph.language.detection import language_of
from readgraph.language.terms import content_words
from readgraph.language.tokens import fold_letters, tokens_of
from readgraph.library.collections import documents_of
from readgraph.library.documents import names_apart
from readgraph.library.page_store import PageStore, page_store
from readgraph.models.asking import ask_reply, can_ask, say_budget_spent
from readgraph.models.metering import count_fallback
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced
from readgraph.models.rehearsed import RehearsedReply
from readgraph.models.reply import LenientReply, Numbers
from readgraph.nodes.bounds import content_room, groups_that_fit
from readgraph.nodes.contracts import ReaderRuntime, StepUpdate
from readgraph.nodes.evidence import NEAR, find_difference
from readgraph.nodes.extractive.summaries import extract_summary
from readgraph.nodes.step import node
from readgraph.state.apart import compute
from readgraph.state.errors import BudgetSpent
from readgraph.state.loops import all_finished
from readgraph.state.reading import Status
from readgraph.state.records import Document
from readgraph.state.settings import Language, Window
from readgraph.state.words import count_words, format_count, on_one_line

MOST_SENTENCES, MOST_WRITTEN = 100, 12  # sentences of documents that a page has room for; of a page that is written
FEWEST_TO_WRITE = 4  # sentences of documents from which on the model writes a page
DOCUMENT_WORDS = 120  # words of what a page says of its document

WIKI_PAGE = declare_wording(
    "wiki_page",
    "You write a page of a wiki from numbered sentences of documents. You use nothing but what these sentences say. "
    + DATA_RULE,
    "Write the page '{name}' in at most {most} sentences, in the language of the numbered sentences: first what it is, "
    "then what they tell of it, in their order. With each sentence of yours give the numbers of those that it rests "
    "on. Where they disagree, say so.",
)


class WrittenSentence(LenientReply):
    """A sentence of a page."""

    text: str = Field(description="One sentence.")
    sources: Numbers = Field(description="The numbers of the sentences that it rests on.")


class WrittenPage(LenientReply):
    """A page, sentence by sentence."""

    sentences: list[WrittenSentence]

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """A sentence on every second one that is shown, as many as a page may have."""
        numbers = reply.numbered("sentences")
        most = MOST_WRITTEN if reply.longest else min(MOST_WRITTEN, -(-len(numbers) // 2))
        return {"sentences": [{"text": reply.words(20), "sources": [number]} for number in numbers[:most]]}


def wiki_page_prompt(name: str, sentences: Sequence[str]) -> Prompt:
    """Ask for a page about something; the sentences of the documents are numbered from 1."""
    return WIKI_PAGE.ask(fenced("sentences", number_sentences(sentences)), name=name, most=MOST_WRITTEN)


class WriteState(TypedDict):
    document: str
    subjects: list[Subject]


class WriteUpdate(StepUpdate):
    pages: list[WikiPage]
    by_rule: bool


@node(settings=(Window, Language))
async def write_pages(state: WriteState, runtime: ReaderRuntime) -> WriteUpdate:
    """Write a page for each document and each subject: of the documents' own sentences, or by the model from these.

    A sentence of the model's counts if rules find nothing in it that it doesn't rest on (see `is_said`).
    """
    store = page_store(runtime)
    whole = await store.document(state["document"])
    subjects = [*await _documents_as_subjects(store, whole), *state["subjects"]]
    shown = [[(start, end) for start, end in subject["spans"][:MOST_SENTENCES]] for subject in subjects]
    sources = await _load_sources(store, whole, {span for spans in shown for span in spans})
    work = (
        _write_page(each, [sources[span] for span in spans], runtime)
        for each, spans in zip(subjects, shown, strict=True)
    )
    pages = await all_finished(work)
    written = sum(not sentence["extracted"] for page in pages for sentence in page["sentences"])
    summary = f"made {format_count(len(pages), 'page')}" + (f"; wrote {written} sentences" if written else "")
    return {"pages": pages, "by_rule": not written, "step_summary": summary}


async def _documents_with_names(store: PageStore, whole: Document) -> list[tuple[Document, str, int]]:
    """The documents of a collection, each with a name that tells it from the others, and where it begins."""
    documents = await documents_of(store, whole)
    starts = [part.start for part in whole.parts] or [0]
    return [*zip(documents, names_apart(documents), starts, strict=True)]


async def _documents_as_subjects(store: PageStore, whole: Document) -> list[Subject]:
    """Each document as a subject, told of by the sentences that have most in common with all of it."""
    subjects = list[Subject]()
    for document, name, start in await _documents_with_names(store, whole):
        text = await store.text(document)
        taken = await compute(extract_summary, {0: text}, {}, DOCUMENT_WORDS)
        own = {quote["quote"] for each in taken for quote in each["quotes"]}
        spans = {text[slice(*span)]: span for span in reversed(sentences_of(text))}
        kept = sorted((start + spans[each][0], start + spans[each][1]) for each in own if each in spans)
        subjects.append(Subject(name=name or document.id, kind="document", also=[], spans=kept, of=document.id))
    return subjects


async def _load_sources(
    store: PageStore, whole: Document, spans: set[tuple[int, int]]
) -> Mapping[tuple[int, int], WikiSource]:
    ordered, sources = sorted(spans), dict[tuple[int, int], WikiSource]()
    texts = dict(zip(ordered, await store.spans(whole, ordered), strict=True)) if ordered else {}
    for document, name, begin in await _documents_with_names(store, whole):
        own = ordered[bisect_left(ordered, (begin, 0)) : bisect_left(ordered, (begin + document.characters, 0))]
        places = await store.place_names(document, [start - begin for start, _ in own])
        for (start, end), place in zip(own, places, strict=True):
            sources[start, end] = WikiSource(
                quote=texts[start, end],
                document=document.id,
                title=name,
                place=place,
                start=start - begin,
                end=end - begin,
            )
    return sources


async def _write_page(subject: Subject, sources: Sequence[WikiSource], runtime: ReaderRuntime) -> WikiPage:
    own = [
        WikiSentence(text=on_one_line(wiki_source["quote"]), sources=[wiki_source], extracted=True)
        for wiki_source in sources
    ]
    page = WikiPage(
        name=subject["name"],
        kind=subject["kind"],
        also=subject["also"],
        document=subject["of"],
        sentences=own,
        left_out=len(subject["spans"]) - len(sources),
    )
    if len(sources) < FEWEST_TO_WRITE:
        return page
    if not can_ask(runtime):
        say_budget_spent(runtime)
        return page
    texts = [wiki_sentence["text"] for wiki_sentence in own]
    room = content_room(runtime.context, "")
    fitting = next(iter(groups_that_fit(texts, lambda text: count_words(text) + 1, room)))

    def complaint(reply: WrittenPage) -> str | None:
        if not reply.sentences:
            return "there is no sentence"
        for sentence in reply.sentences:
            if not sentence.sources:
                return f"'{sentence.text[:40]}' names no sentence that it rests on"
            if wrong := [number for number in sentence.sources if not 1 <= number <= len(fitting)]:
                return f"there is no sentence {wrong[0]}"
        return None

    prompt = wiki_page_prompt(subject["name"], fitting)
    try:
        reply = await ask_reply(runtime, prompt, WrittenPage, complaint, fallback="wiki_page")
    except BudgetSpent:
        reply = None
    if reply is None:
        return page
    written = list[WikiSentence]()
    for sentence in reply.sentences[:MOST_WRITTEN]:
        rests_on = [own[number - 1] for number in dict.fromkeys(sentence.sources)]
        text = on_one_line(sentence.text)
        if not is_said(text, [one["text"] for one in rests_on], subject["name"]):
            count_fallback("wiki_sentence")
            written += [one for one in rests_on if one not in written]
        elif text:
            held = [source for one in rests_on for source in one["sources"]]
            written.append(WikiSentence(text=text, sources=held, extracted=False))
    return {**page, "sentences": written or own, "left_out": len(subject["spans"]) - len(fitting)}


def is_said(text: str, sources: Sequence[str], name: str = "") -> bool:
    """Whether nothing in a sentence tells that its sources don't say it.

    They share words with it, hold all its numbers, dates and names (besides that of the page), and rules find nothing
    in which it differs.
    """
    language = language_of(" ".join(sources))
    words, there = ({*content_words(each, language)} for each in (text, " ".join(sources)))
    near = len(words & there) >= NEAR * len(words)
    return near and not find_unsaid(text, sources, name) and not find_difference(text, "\n\n".join(sources))


def find_unsaid(text: str, sources: Sequence[str], name: str = "") -> str:
    """A number, date, name or denial of a sentence that none of its sources has; "" where there is none."""
    language = language_of(" ".join(sources))
    there = [token for each in [*sources, name] for token in tokens_of(each, language)]
    values, denied = {fold_letters(str(each.value)) for each in there}, any(each.kind == "denial" for each in there)
    missing = (
        each.text
        for each in tokens_of(text, language)
        if (each.kind in ("number", "date", "name") and fold_letters(str(each.value)) not in values)
        or (each.kind == "denial" and not denied)
    )
    return next(missing, "")


class CompareState(WriteState):
    pages: list[WikiPage]


class CompareUpdate(StepUpdate):
    conflicts: list[Conflict]
    answer: str
    status: Status


@node
async def compare_sentences_of_pages(state: CompareState, runtime: ReaderRuntime) -> CompareUpdate:
    """Find sentences about the subjects that contradict each other, by rules."""
    spans = {(start, end) for subject in state["subjects"] for start, end in subject["spans"]}
    store = page_store(runtime)
    sources = await _load_sources(store, await store.document(state["document"]), spans)
    conflicts = await compute(find_conflicts, [sources[span] for span in sorted(sources)])
    answer = f"{format_count(len(state['pages']), 'page')}, {format_count(len(conflicts), 'contradiction')}"
    return {"conflicts": conflicts, "answer": answer, "status": "summarised", "step_summary": answer}
