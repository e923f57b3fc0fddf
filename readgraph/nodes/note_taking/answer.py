"""Answer from the question and the last notes alone (MemAgent: the answer-generation module)."""

import re
from collections.abc import Sequence

from langgraph.runtime import Runtime

from readgraph.nodes.answering.in_view import InView, answering, known
from readgraph.nodes.answering.quotes import quoted_on
from readgraph.nodes.answering.said import ask_for_answer
from readgraph.nodes.contracts import AnswerUpdate, AskedState, SaidAnswer
from readgraph.nodes.extractive import (
    MOST_QUOTES,
    nearest_sentences,
    passages_of,
    question_alone,
    quote_passages,
)
from readgraph.nodes.extractive.passages import Passage
from readgraph.nodes.extractive.ranking import sentences_of
from readgraph.nodes.memory_view import memory_pages
from readgraph.nodes.note_taking.lines import NoteLine, lines_in, pages_named
from readgraph.nodes.prompts.answering.answer import answer_from_notes_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.reading import Quote
from readgraph.state.records import Document, Page
from readgraph.state.search.okapi import rank
from readgraph.state.search.terms import content_words
from readgraph.state.words import counted

SHARED = 0.5
"""A sentence of a page shows a note where it has this share of the note's content words."""

_QUOTED = re.compile(r"[\"“„«‘]([^\"“”„«»]{3,600}?)[\"”“»’](?!\w)")


class LastNotesState(AskedState):
    """What an answer from the last notes reads."""

    notes: str
    earlier: str
    next_page: int
    fallbacks: dict[str, int]


async def last_notes_in_view(state: LastNotesState, runtime: Runtime[ReaderContext]) -> InView:
    """Answer from the last notes, and what was still found of earlier ones; all pages that were read count as seen.

    Where nothing was noted nobody is asked: status `no_answer`, by rule where replies were unusable. Where a part could
    not be read, it is by rule, too, that the notes hold no answer. Without a model, and where no usable reply came, the
    answer quotes the pages that the notes name: sentences that stand in the notes, if there are any.
    """
    document, pages = await memory_pages(runtime, state["document"], state["memory"])
    words = sum(page.words for page in pages[: state["next_page"]])
    lines = [line for part in (state["notes"], state["earlier"]) for line in lines_in(part, state["next_page"])]
    named = [pages[number] for number in pages_named(lines)]
    by_rule = "take_notes" in state["fallbacks"] or state["status"] == "budget"
    if not lines:
        return known(document, SaidAnswer(None, None, [], words, "nothing was noted", nearest=by_rule))

    async def ask() -> SaidAnswer:
        notes = "\n".join(line.text for line in lines)
        prompt = answer_from_notes_prompt(notes, "", state["question_text"], state["choices"])
        said = await ask_for_answer(runtime, prompt, state, quoting=False)
        quotes = _shown_by(f"{question_alone(state)} {said.answer}", lines, await _texts(named, document, runtime))
        did = f"answered from {counted(len(lines), 'note')}" if said.answer else "found no answer in the notes"
        nearest = by_rule and not said.answer
        return said._replace(quotes=quotes if said.answer else [], words=words, summary=did, nearest=nearest)

    async def quote() -> SaidAnswer:
        passages = passages_of(await _texts(named, document, runtime))
        said = await quote_passages(_noted(passages, lines) or passages, document, state, runtime)
        return said._replace(words=words)

    return InView(document, quote, ask)


async def _texts(pages: list[Page], document: Document, runtime: Runtime[ReaderContext]) -> dict[int, str]:
    texts = await page_store(runtime).spans(document, [(page.start, page.end) for page in pages])
    return {page.number: text for page, text in zip(pages, texts, strict=True)}


def _noted(passages: Sequence[Passage], lines: Sequence[NoteLine]) -> list[Passage]:
    """The sentences of these passages that stand in notes made without a model, each with its heading and speaker."""
    noted = {line.text for line in lines}
    sentences = [(passage, sentence) for passage in passages for sentence in sentences_of(passage)]
    return [
        passage._replace(start=sentence.start, end=sentence.end, text=sentence.text)
        for passage, sentence in sentences
        if " ".join(sentence.text.split()) in noted
    ]


def _shown_by(query: str, lines: list[NoteLine], texts: dict[int, str]) -> list[Quote]:
    """What the text says of the notes that an answer rests on most: their own quotations, else the nearest sentence."""
    quotes = list[Quote]()
    ranked = [number for number, _ in rank(query, [line.text for line in lines])]
    for number in ranked or range(len(lines)):
        if len(quotes) < MOST_QUOTES and (quote := _shown(lines[number], texts)) and quote not in quotes:
            quotes.append(quote)
    return quotes


def _shown(line: NoteLine, texts: dict[int, str]) -> Quote | None:
    """Words of a page that the line names and that show what it says; None where none do."""
    on = {page: texts[page] for page in line.pages if page in texts}
    for quotation in sorted(_QUOTED.findall(line.text), key=len, reverse=True):
        for page, text in on.items():
            if found := quoted_on(page, 0, text, quotation):
                return Quote(page=page, quote=found["quote"])
    words = {*content_words(line.text)}
    for sentence in nearest_sentences(line.text, passages_of(on))[:1]:
        if len(words & {*content_words(sentence.text)}) >= SHARED * len(words):
            return Quote(page=sentence.page, quote=sentence.text)
    return None


answer = answering(last_notes_in_view, writes=AnswerUpdate)
