"""Write a summary from notes or notes' summaries, sentence by sentence with its pages, in pieces; check and cite it."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from readgraph.features.summary.settings import SummaryForm
from readgraph.features.summary.state import SummaryPart
from readgraph.language.hints import subject_of
from readgraph.language.sentences import sentence_spans
from readgraph.library.page_store import page_store
from readgraph.models.asking import ask_reply
from readgraph.models.metering import count_fallback, record_corrections
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced
from readgraph.models.rehearsed import RehearsedReply, fill_words
from readgraph.models.reply import LenientReply, Numbers
from readgraph.nodes.answering.citations import find_quotes
from readgraph.nodes.answering.in_view import compression_rate, percent_read
from readgraph.nodes.answering.sentence_flags import joined_sentences
from readgraph.nodes.answering.verdicts import (
    CHECK_SUMMARY,
    SentenceToCheck,
    describe_verdicts,
    in_batches,
    make_sentence,
    verdicts_on,
)
from readgraph.nodes.bounds import TAG_WORDS, content_room
from readgraph.nodes.building.recipes import apply_notes_language
from readgraph.nodes.contracts import ReaderRuntime, StepUpdate
from readgraph.nodes.extractive.summaries import extract_summary
from readgraph.nodes.memory import MemoryState, OpenedMemory, load_memory, tag_texts
from readgraph.nodes.prompts import note_line
from readgraph.nodes.step import node
from readgraph.state.apart import compute
from readgraph.state.loops import all_finished
from readgraph.state.reading import Citation, Sentence, Status
from readgraph.state.settings import Checking, Language
from readgraph.state.words import count_words, first_words, format_count, take_fitting

WRITE_SUMMARY = declare_wording(
    "write_summary",
    "You summarise a long text from notes of its pages; some pages may stand there in full. Use nothing but what "
    "stands there. " + DATA_RULE,
    "Summarise what stands above as one fluent text of {whole}{about}, in its own order. Give main points rather than "
    "details, and no remarks on the notes or pages themselves.{subject} Write it sentence by sentence, and give with "
    "each sentence the numbers of the pages that it rests on.",
    whole="{least_words} to {most_words} words",
    about="at most {most_words} words",
    subject=" It is for somebody who wants to know of the subject: leave out all that has nothing to do with it, and "
    "reply without a sentence where nothing has.",
)


class WrittenSentence(LenientReply):
    """A sentence of a summary."""

    text: str = Field(description="One sentence of the summary, without page numbers in it.")
    pages: Numbers = Field(description="The numbers of the pages that it rests on, as few as say it.")


_MOST, _PAGES = re.compile(r"(?:to|at most) (\d+) words"), re.compile(r"^<page(?:-\d+)? (\d+)", re.MULTILINE)


class WrittenSummary(LenientReply):
    """A summary, sentence by sentence."""

    sentences: list[WrittenSentence] = Field(description="The sentences of the summary, in their order.")

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """As many words as are asked for, in sentences that rest on one page each."""
        most = int(_MOST.findall(reply.task)[0])
        number = max(1, most // (4 if reply.longest else 20))
        words = most // number if reply.longest else max(1, int(0.9 * most / number))
        texts = [f"{fill_words(reply.shown[200 * at :], words).capitalize()}." for at in range(number)]
        pages = [int(each) for each in _PAGES.findall(reply.text)] or [0]
        return {"sentences": [{"text": text, "pages": [pages[at % len(pages)]]} for at, text in enumerate(texts)]}


def write_summary_prompt(notes: str, least_words: int, most_words: int, about: str = "") -> Prompt:
    """Ask for a summary of these notes; of a subject (`about`) there may be little, so no least length is asked."""
    parts = [fenced("memory", notes), fenced("subject", about) if about else ""]
    values = {"whole": not about, "about": about, "subject": about}
    return WRITE_SUMMARY.ask(*parts, least_words=least_words, most_words=most_words, **values)


@dataclass(frozen=True)
class SummaryItem:
    """A text, and the pages that it stands for: a note, a page, or sentences of a summary of some of them."""

    pages: tuple[int, ...]
    text: str

    @property
    def words(self) -> int:
        """The words of the text with its tag, which names all pages."""
        return count_words(self.text) + TAG_WORDS + len(self.pages) - 1


class ShownState(MemoryState):
    """What of a memory a summary is made from."""

    shown: list[SummaryPart]


@dataclass(frozen=True)
class Material:
    """What is shown of a text: its items in order, and the texts of the pages and their notes by page."""

    memory: OpenedMemory
    items: list[SummaryItem]
    texts: Mapping[int, str]
    notes: Mapping[int, str]


async def material_of(state: ShownState, runtime: ReaderRuntime) -> Material:
    """The notes of the pages that are shown, and the texts of those in full."""
    shown, memory = state["shown"], await load_memory(runtime, state)
    shown_texts = await memory.store.spans(memory.document, [(part["start"], part["end"]) for part in shown])
    texts = {part["page"]: text for part, text in zip(shown, shown_texts, strict=True) if text.strip()}
    notes = {note.page: note for note in await memory.notes([part["page"] for part in shown])}
    in_full = {part["page"] for part in shown if part["full"]}
    record_corrections(note for note in notes.values() if note.page not in in_full)
    note_texts = {page: note.text for page, note in notes.items()}
    items = [SummaryItem((page,), text if page in in_full else note_texts[page]) for page, text in texts.items()]
    return Material(memory, items, texts, note_texts)


def words_of(items: Sequence[SummaryItem]) -> int:
    """The words of these items as they are shown."""
    return sum(item.words for item in items)


def even_groups(items: Sequence[SummaryItem], number: int, most_words: int | None = None) -> list[list[SummaryItem]]:
    """The items in about this many groups of about even words, none of more than `most_words` but single items."""
    target = max(words_of(items) / max(number, 1), 1)
    groups, before, size = [list[SummaryItem]()], 0, 0
    for item in items:
        full = before >= target * len(groups) or (most_words is not None and size + item.words > most_words)
        if groups[-1] and full:
            groups.append([])
            size = 0
        groups[-1].append(item)
        before, size = before + item.words, size + item.words
    return groups


def groups_within(items: Sequence[SummaryItem], room: int) -> list[list[SummaryItem]]:
    """The items in as few even groups as fit the room each."""
    return even_groups(items, math.ceil(words_of(items) / max(room, 1)), room)


def as_items(sentences: Sequence[Sentence]) -> list[SummaryItem]:
    """The sentences of summaries as items: those in a row that rest on the same pages are one."""
    items = list[SummaryItem]()
    for sentence in sentences:
        pages = tuple(sentence["pages"])
        if items and items[-1].pages == pages:
            items[-1] = SummaryItem(pages, f"{items[-1].text} {sentence['text']}")
        else:
            items.append(SummaryItem(pages, sentence["text"]))
    return items


MOST_AT_ONCE = 800  # most words of a summary that one reply holds
LEAST_SHARE = 0.7  # the least words of a summary, as a share of those wanted, where the text has so many
LONGEST_OF_TEXT = 2 / 3  # what is summarised has so many words if these are this share of it
FEWEST_WORDS = 20  # a summary may have so many words, however short the text is
FEWEST_OF_GROUP, MOST_ROUNDS = 60, 8  # words that a group's summary may have at least; rounds of summarising groups


class WriteState(ShownState):
    """What writing reads; `question_text` is what the summary is to be about."""

    question_text: str


class WriteUpdate(StepUpdate):
    sentences: list[Sentence]
    answer: str | None
    choice: str | None
    status: Status
    by_rule: bool
    compression_rate: float | None
    percent_read: float | None


async def write_summary(state: WriteState, runtime: ReaderRuntime) -> WriteUpdate:
    """Ask the model for the summary; one of the wrong length is asked for once more, an unusable one is extracted."""
    material = await material_of(state, runtime)
    _, in_language = await apply_notes_language(material.memory.record.recipe, material.memory.document, runtime)
    writer = _Writer(material, runtime, state["question_text"], note_line(in_language.context.language))
    sentences = await writer.summary(material.items, runtime.context.summary_words)
    return await _update(material, state["shown"], sentences, replaced=writer.replaced)


async def write_without_model(state: WriteState, runtime: ReaderRuntime) -> WriteUpdate:
    """Extract the sentences that have most in common with the text, from all of its stretches, or with the subject."""
    material = await material_of(state, runtime)
    most, about = runtime.context.summary_words, state["question_text"]
    in_full = {summary_part["page"] for summary_part in state["shown"] if summary_part["full"]}
    notes = {page: note for page, note in material.notes.items() if page not in in_full}
    sentences = await compute(extract_summary, material.texts, notes, most, about if subject_of(about) else "")
    return await _update(material, state["shown"], sentences)


async def _update(
    material: Material, shown: Sequence[SummaryPart], sentences: list[Sentence], *, replaced: bool = True
) -> WriteUpdate:
    """The update; `replaced`: sentences were extracted, if only for a part, though they may be none."""
    text = joined_sentences(sentences)[0]
    by_rule = replaced and all(sentence["extracted"] for sentence in sentences)
    status: Status = "extracted" if by_rule else "summarised"
    pages = await material.memory.pages([part["page"] for part in shown if part["full"]])
    seen = sum(count_words(item.text) for item in material.items)
    did = "extracted" if by_rule else "wrote"
    return {
        "sentences": sentences,
        "answer": text or None,
        "choice": None,
        "status": status if sentences else "no_answer",
        "by_rule": by_rule,
        "compression_rate": compression_rate(seen, material.memory.document),
        "percent_read": percent_read(pages, material.memory.document),
        "step_summary": f"{did} {format_count(len(sentences), 'sentence')}, {format_count(count_words(text), 'word')}",
    }


@dataclass
class _Writer:
    """Writes summaries of items; `line` says in which language, `replaced` whether anything was extracted instead."""

    material: Material
    runtime: ReaderRuntime
    about: str
    line: str
    replaced: bool = False

    @property
    def room(self) -> int:
        return content_room(self.runtime.context, self.about)

    async def summary(self, items: Sequence[SummaryItem], most: int) -> list[Sentence]:
        at_once = min(MOST_AT_ONCE, self.room // 2)
        pieces = even_groups(items, math.ceil(most / at_once))
        shares = [max(most * words_of(piece) // max(words_of(items), 1), 1) for piece in pieces]
        written = await all_finished(
            self._piece(piece, min(share, at_once)) for piece, share in zip(pieces, shares, strict=True) if piece
        )
        return [{**sentence, "paragraph": number} for number, piece in enumerate(written) for sentence in piece]

    async def _piece(self, items: Sequence[SummaryItem], most: int) -> list[Sentence]:
        for _ in range(MOST_ROUNDS):
            if words_of(items) <= self.room:
                break
            groups = groups_within(items, self.room)
            share = max(FEWEST_OF_GROUP, self.room // (2 * len(groups)))
            shorter = await all_finished(self._request_sentences(group, min(share, self.room // 2)) for group in groups)
            items = as_items([sentence for sentences in shorter for sentence in sentences])
        return await self._request_sentences(items, most)

    async def _request_sentences(self, items: Sequence[SummaryItem], most: int) -> list[Sentence]:
        pages = sorted({page for item in items for page in item.pages})
        held = sum(count_words(item.text) for item in items)
        most = min(most, max(held, FEWEST_WORDS))
        least = 0 if self.about else int(LEAST_SHARE * min(most, held * LONGEST_OF_TEXT))
        lengths = list[int]()

        def complaint(reply: WrittenSummary) -> str | None:
            sentences = _sentences(reply, pages)
            if len(sentences) < len(reply.sentences) or not (sentences or self.about):
                many = len(pages) > FEWEST_OF_GROUP
                known = f"{pages[0]} to {pages[-1]}" if many else ", ".join(map(str, pages))
                return f"each sentence needs a text and the number of a page that is shown: {known}"
            words = count_words(joined_sentences(sentences)[0])
            lengths.append(words)
            if len(lengths) == 1 and not least <= words <= most:
                return f"the summary has {words} words, and must have {least} to {most}"
            return None

        notes = tag_texts((", ".join(map(str, item.pages)), item.text.strip()) for item in items)
        prompt = write_summary_prompt(notes, least, most, self.about).adding(self.line)
        reply = await ask_reply(self.runtime, prompt, WrittenSummary, complaint, fallback="summary")
        if reply is None:
            self.replaced = True
            texts = {page: text for page, text in self.material.texts.items() if page in pages}
            return await compute(extract_summary, texts, {}, most, self.about)
        if not least <= lengths[-1] <= most:
            count_fallback("summary_length")
        sentences = _sentences(reply, pages)
        fitting = take_fitting(sentences, lambda sentence: count_words(sentence["text"]), most)
        return fitting or [{**each, "text": first_words(each["text"], most)} for each in sentences[:1]]


def _sentences(reply: WrittenSummary, known: Sequence[int]) -> list[Sentence]:
    """The sentences of a reply that name a known page; what holds several sentences is taken apart."""
    sentences = list[Sentence]()
    for written in reply.sentences:
        pages, text = sorted({*written.pages} & {*known}), " ".join(written.text.split())
        if pages and text:
            sentences += [make_sentence(text[slice(*span)], pages) for span in sentence_spans(text)]
    return sentences


write = node(without_model=write_without_model, settings=(SummaryForm, Language))(write_summary)


class CheckState(ShownState):
    sentences: list[Sentence]


class CheckUpdate(StepUpdate):
    """What checking writes: the sentences with what the pages say of them."""

    sentences: list[Sentence]
    unsupported: int
    unchecked: int


async def check_summary(state: CheckState, runtime: ReaderRuntime) -> CheckUpdate:
    """Ask of each sentence that was not extracted whether its pages support it; without a reply it stays unchecked."""
    sentences = state["sentences"]
    left = [number for number, sentence in enumerate(sentences) if not sentence["extracted"]]
    if not runtime.context.check_sentences or not left:
        return _make_check_update(sentences)
    material = await material_of(state, runtime)
    doubted = {number: SentenceToCheck(sentences[number]["text"], sentences[number]["pages"]) for number in left}
    batches = in_batches(doubted, material.texts, content_room(runtime.context))
    checked = [*sentences]
    for verdicts in await all_finished(verdicts_on(batch, material.texts, CHECK_SUMMARY, runtime) for batch in batches):
        for number, verdict in verdicts.items():
            quotes = verdict.quotes if verdict.supported else []
            checked[number] = {**sentences[number], "supported": verdict.supported, "quotes": quotes}
    return _make_check_update(checked)


async def check_without_model(state: CheckState, runtime: ReaderRuntime) -> CheckUpdate:
    """Nothing is asked: what was extracted is the text's own, and what was written stays unchecked."""
    return _make_check_update(state["sentences"])


def _make_check_update(sentences: list[Sentence]) -> CheckUpdate:
    unsupported, unchecked, did = describe_verdicts(sentences)
    return {"sentences": sentences, "unsupported": unsupported, "unchecked": unchecked, "step_summary": did}


check = node(without_model=check_without_model, settings=(Checking,))(check_summary)


class CiteSummaryUpdate(StepUpdate):
    """What citing writes: the citations, the sentences with their places, and their text as the summary."""

    answer: str | None
    citations: list[Citation]
    sentences: list[Sentence]


@node
async def cite_summary(state: CheckState, runtime: ReaderRuntime) -> CiteSummaryUpdate:
    """Name the places of each sentence's pages, and find its quotes; one that stands nowhere is dropped and counted."""
    store, sentences = page_store(runtime), state["sentences"]
    document = await store.document(state["document"])
    starts = [summary_part["start"] for summary_part in state["shown"]]
    named = await store.place_names(document, starts)
    places = {each["page"]: place for each, place in zip(state["shown"], named, strict=True)}
    placed: list[Sentence] = [
        {**sentence, "places": [places.get(page) for page in sentence["pages"]]} for sentence in sentences
    ]
    text, ends = joined_sentences(sentences)
    quoted = [(quote, end) for each, end in zip(sentences, ends, strict=True) for quote in each["quotes"]]
    found = await find_quotes(store, document.id, state["memory"], [quote for quote, _ in quoted]) if quoted else []
    marked = zip(found, quoted, strict=True)
    citations = [Citation(**{**each, "mark_at": end}) for each, (_, end) in marked if each]
    if lost := len(quoted) - len(citations):
        count_fallback("quote_not_found", lost)
    unique = {(citation["start"], citation["end"], citation["mark_at"]): citation for citation in citations}
    did = f"found {len(citations)} of {len(quoted)} quotes in the text" if quoted else "nothing was quoted"
    return {"answer": text or None, "citations": [*unique.values()], "sentences": placed, "step_summary": did}
