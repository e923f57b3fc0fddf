"""Write a summary from notes, sentence by sentence, each with the pages that it rests on.

Notes that don't fit the window are summarised in groups, and then the groups' summaries; a long summary is written
piece by piece, each from its stretch of the notes.
"""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.models.asking import ask
from readgraph.models.metering import fell_back
from readgraph.nodes.answering.in_view import compression_rate, percent_read
from readgraph.nodes.bounds import content_room
from readgraph.nodes.building.notes_language import writing_notes
from readgraph.nodes.prompts.style import note_line
from readgraph.nodes.prompts.summary import WrittenSummary, write_summary_prompt
from readgraph.nodes.step import StepNode
from readgraph.nodes.summary.extracting import extracted_summary
from readgraph.nodes.summary.material import (
    Item,
    Material,
    as_items,
    even_groups,
    groups_within,
    material_of,
    shown_text,
    words_of,
)
from readgraph.nodes.tasks import all_finished
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.page_store import page_store
from readgraph.state.reading import Sentence, Status, Usage
from readgraph.state.settings import Language, SummaryForm
from readgraph.state.summary import ShownPart, joined_sentences
from readgraph.state.text.sentences import sentence_spans
from readgraph.state.words import count_words, counted, first_words

MOST_AT_ONCE = 800
"""Most words of a summary that one reply holds."""

LEAST_SHARE = 0.7
"""The least words of a summary, as a share of those wanted, where the text has so many."""

LONGEST_OF_TEXT = 2 / 3
"""What is summarised has so many words if these are this share of it."""

FEWEST_WORDS = 20
"""A summary may have so many words, however short the text is."""

FEWEST_OF_GROUP, MOST_ROUNDS = 60, 8
"""Words that a group's summary may have at least; rounds of summarising groups."""


class WriteState(TypedDict):
    """What writing reads; `question_text` is what the summary is to be about."""

    document: str
    memory: str
    shown: list[ShownPart]
    question_text: str
    status: NotRequired[Status]
    usage: NotRequired[Usage]


class WriteUpdate(TypedDict):
    """What writing writes."""

    sentences: list[Sentence]
    answer: str | None
    choice: str | None
    status: Status
    by_rule: bool
    compression_rate: float | None
    percent_read: float | None
    step_summary: str


async def write_summary(state: WriteState, runtime: Runtime[ReaderContext]) -> WriteUpdate:
    """Ask the model for the summary, of at most `summary_words` words.

    A reply of the wrong length is asked for once more; then a long one is cut at the end of a sentence, and both are
    counted. Where no usable reply comes, sentences are extracted in its place.
    """
    material = await material_of(state["shown"], state["document"], state["memory"], runtime)
    _, in_language = await writing_notes(material.memory.recipe, material.document, runtime)
    writer = _Writer(material, runtime, state["question_text"], note_line(in_language.context.language))
    sentences = await writer.summary(material.items, runtime.context.summary_words)
    return await _update(material, state["shown"], sentences, runtime, replaced=writer.replaced)


async def write_without_model(state: WriteState, runtime: Runtime[ReaderContext]) -> WriteUpdate:
    """Extract the sentences that have most in common with the text, from all of its stretches."""
    material = await material_of(state["shown"], state["document"], state["memory"], runtime)
    most, about = runtime.context.summary_words, state["question_text"]
    in_full = {each["page"] for each in state["shown"] if each["full"]}
    notes = {page: note for page, note in material.notes.items() if page not in in_full}
    sentences = await asyncio.to_thread(extracted_summary, material.texts, notes, most, about)
    return await _update(material, state["shown"], sentences, runtime)


async def _update(
    material: Material,
    shown: Sequence[ShownPart],
    sentences: list[Sentence],
    runtime: Runtime[ReaderContext],
    *,
    replaced: bool = True,
) -> WriteUpdate:
    """The update; `replaced`: sentences were extracted, if only for a part, though they may be none."""
    text = joined_sentences(sentences)[0]
    by_rule = replaced and all(sentence["extracted"] for sentence in sentences)
    status: Status = "extracted" if by_rule else "summarised"
    pages = await page_store(runtime).pages(material.memory.id, [each["page"] for each in shown if each["full"]])
    seen = sum(count_words(item.text) for item in material.items)
    did = "extracted" if by_rule else "wrote"
    return {
        "sentences": sentences,
        "answer": text or None,
        "choice": None,
        "status": status if sentences else "no_answer",
        "by_rule": by_rule,
        "compression_rate": compression_rate(seen, material.document),
        "percent_read": percent_read(pages, material.document),
        "step_summary": f"{did} {counted(len(sentences), 'sentence')}, {counted(count_words(text), 'word')}",
    }


@dataclass
class _Writer:
    """Writes summaries of items; `line` says in which language, `replaced` whether anything was extracted instead."""

    material: Material
    runtime: Runtime[ReaderContext]
    about: str
    line: str
    replaced: bool = False

    @property
    def room(self) -> int:
        return content_room(self.runtime.context, self.about)

    async def summary(self, items: Sequence[Item], most: int) -> list[Sentence]:
        """The summary: in one piece, or in several, each of which becomes a paragraph."""
        at_once = min(MOST_AT_ONCE, self.room // 2)
        pieces = even_groups(items, math.ceil(most / at_once))
        shares = [max(most * words_of(piece) // max(words_of(items), 1), 1) for piece in pieces]
        written = await all_finished(
            self._piece(piece, min(share, at_once)) for piece, share in zip(pieces, shares, strict=True) if piece
        )
        return [{**sentence, "paragraph": number} for number, piece in enumerate(written) for sentence in piece]

    async def _piece(self, items: Sequence[Item], most: int) -> list[Sentence]:
        """A summary in one reply; items that don't fit the window are summarised in groups before."""
        for _ in range(MOST_ROUNDS):
            if words_of(items) <= self.room:
                break
            groups = groups_within(items, self.room)
            each = max(FEWEST_OF_GROUP, self.room // (2 * len(groups)))
            shorter = await all_finished(self._asked(group, min(each, self.room // 2)) for group in groups)
            items = as_items([sentence for sentences in shorter for sentence in sentences])
        return await self._asked(items, most)

    async def _asked(self, items: Sequence[Item], most: int) -> list[Sentence]:
        """One reply: its sentences, of at most this many words."""
        pages = sorted({page for item in items for page in item.pages})
        held = sum(count_words(item.text) for item in items)
        most = min(most, max(held, FEWEST_WORDS))
        least = 0 if self.about else int(LEAST_SHARE * min(most, held * LONGEST_OF_TEXT))
        lengths = list[int]()

        def complaint(reply: WrittenSummary) -> str | None:
            sentences = _sentences(reply, pages)
            if len(sentences) < len(reply.sentences) or not (sentences or self.about):
                return f"each sentence needs a text and the number of a page that is shown: {_listed(pages)}"
            words = count_words(joined_sentences(sentences)[0])
            lengths.append(words)
            if len(lengths) == 1 and not least <= words <= most:
                return f"the summary has {words} words, and must have {least} to {most}"
            return None

        prompt = write_summary_prompt(shown_text(items), least, most, self.about).adding(self.line)
        try:
            reply = await ask(self.runtime, prompt, WrittenSummary, complaint)
        except NoUsableReply:
            fell_back("summary")
            self.replaced = True
            texts = {page: text for page, text in self.material.texts.items() if page in pages}
            return await asyncio.to_thread(extracted_summary, texts, {}, most, self.about)
        if not least <= lengths[-1] <= most:
            fell_back("summary_length")
        return _cut(_sentences(reply, pages), most)


def _sentences(reply: WrittenSummary, known: Sequence[int]) -> list[Sentence]:
    """The sentences of a reply that name a known page; what holds several sentences is taken apart."""
    found = list[Sentence]()
    for written in reply.sentences:
        pages, text = sorted({*written.pages} & {*known}), " ".join(written.text.split())
        if pages and text:
            found += [_sentence(text[slice(*span)], pages) for span in sentence_spans(text)]
    return found


def _sentence(text: str, pages: Sequence[int]) -> Sentence:
    return {
        "text": text,
        "pages": [*pages],
        "places": [None for _ in pages],
        "quotes": [],
        "supported": None,
        "extracted": False,
        "paragraph": 0,
    }


def _cut(sentences: list[Sentence], most: int) -> list[Sentence]:
    """The sentences up to the first that goes beyond this many words; of a first one that does, its beginning."""
    kept, room = list[Sentence](), most
    for sentence in sentences:
        room -= count_words(sentence["text"])
        if room < 0:
            break
        kept.append(sentence)
    return kept or [{**each, "text": first_words(each["text"], most)} for each in sentences[:1]]


def _listed(pages: Sequence[int]) -> str:
    """Page numbers in a few words: "3, 4, 9", or from the first to the last where they are many."""
    return ", ".join(map(str, pages)) if len(pages) <= FEWEST_OF_GROUP else f"{pages[0]} to {pages[-1]}"


write = StepNode(write_summary, write_without_model, settings=(SummaryForm, Language))
