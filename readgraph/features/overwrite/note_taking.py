"""Take notes on a question, anew after each of several pages a step, and answer from the last ones (MemAgent)."""

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import NotRequired

from langgraph.managed import RemainingSteps

from readgraph.features.overwrite import question_notes
from readgraph.features.overwrite.earlier_notes import EarlierNotes
from readgraph.features.overwrite.question_notes import (
    NewNotes,
    NoteLine,
    NotesAlone,
    OverwrittenNotes,
    count_note_words,
    format_notes,
)
from readgraph.features.overwrite.settings import LookingBack, NoteGates, NoteTaking
from readgraph.features.overwrite.state import FreshNotes
from readgraph.language.passages import Passage, passages_of, sentences_of
from readgraph.language.terms import content_words
from readgraph.library.search.okapi import rank
from readgraph.models.asking import ask_reply, can_ask
from readgraph.models.metering import count_fallback, current_meter
from readgraph.nodes.answering.citations import find_citation_on_page
from readgraph.nodes.answering.in_view import (
    STYLE,
    UNQUOTED,
    answer_from_notes_prompt,
    answer_request,
    instead_of_reply,
    read_answer,
    write_answer,
)
from readgraph.nodes.bounds import LAST_STEPS
from readgraph.nodes.contracts import AnswerDraft, AnswerUpdate, AskedPages, ReaderRuntime, StepUpdate
from readgraph.nodes.extractive import query_of
from readgraph.nodes.extractive.nearest import nearest_sentences
from readgraph.nodes.extractive.quoting import MOST_QUOTES, quote_passages
from readgraph.nodes.memory import format_parts, load_memory
from readgraph.nodes.opening import OpenState, OpenUpdate, open_document
from readgraph.nodes.prompts import note_line, question_alone
from readgraph.nodes.step import node
from readgraph.state.channels import empty_channels
from readgraph.state.errors import BudgetSpent
from readgraph.state.reading import Finding, Quote
from readgraph.state.records import Page, digest
from readgraph.state.settings import Language, Window
from readgraph.state.words import first_words, format_count, take_fitting

AT_ONCE, MOST_TURNS = 8, 64  # pages that a step reads at least, and the most steps that a text takes
MOST_QUERIES, QUERY_WORDS = 2, 30  # queries of a reply that are searched for, and most words of one


class NotesOpenUpdate(OpenUpdate, FreshNotes):
    """What opening writes where notes are taken on a question."""


@node(starts_question=True)
async def open_for_notes(state: OpenState, runtime: ReaderRuntime) -> NotesOpenUpdate:
    """Open a question to take notes on, and reset the notes of earlier questions."""
    return {**await open_document(state, runtime), **empty_channels(FreshNotes)}


class NotesState(AskedPages):
    blocks: list[str]
    block_order: list[int]
    earlier: str
    next_page: int
    reading: str
    remaining_steps: NotRequired[RemainingSteps]


class NotesUpdate(StepUpdate):
    """What taking notes writes: `pages_read` are the pages that the notes name, `findings` what they say of each."""

    notes: str
    blocks: list[str]
    block_order: list[int]
    earlier: str
    next_page: int
    reading: str
    pages_read: list[int]
    findings: list[Finding]
    continue_search: bool


@dataclass
class _NotesReading:
    """A question's reading on its way through the text.

    `order`: the blocks' indexes, the one that was used least recently first. `unchanged`: pages that had nothing on the
    question; `unusable`: those after which no reply could be used; `enough`: the model has the whole answer.
    """

    state: NotesState
    runtime: ReaderRuntime
    overwritten: OverwrittenNotes
    blocks: list[list[NoteLine]]
    order: list[int]
    earlier: list[NoteLine]
    unchanged: list[int] = field(default_factory=list)
    unusable: list[int] = field(default_factory=list)
    enough: bool = False

    @property
    def notes(self) -> list[NoteLine]:
        """The lines of all blocks."""
        return [line for block in self.blocks for line in block]


NoteAfter = Callable[[_NotesReading, Page, str], Awaitable[None]]
"""Brings a reading's notes up to date with a page and its text."""


async def write_notes_without_model(state: NotesState, runtime: ReaderRuntime) -> NotesUpdate:
    """Without a model: the notes are those sentences of all pages so far that are nearest to the question."""
    return await _read_on(state, runtime, _keep_nearest)


@node(without_model=write_notes_without_model, settings=(NoteTaking, LookingBack, NoteGates, Language, Window))
async def write_notes(state: NotesState, runtime: ReaderRuntime) -> NotesUpdate:
    """Read the next pages, and after each write the notes anew; what no reply served, and what is cut, is counted."""
    return await _read_on(state, runtime, _ask_for_notes)


async def _read_on(state: NotesState, runtime: ReaderRuntime, note: NoteAfter) -> NotesUpdate:
    memory, context = await load_memory(runtime, state), runtime.context
    document, pages = memory.document, await memory.pages()
    log, first, name = EarlierNotes(memory.store.store), state["next_page"], state["reading"]
    if not name and context.model and context.look_back:  # else nothing is searched, and so nothing is kept
        collections = [state["memory"], state["question_text"], state["choices"]]
        how = [context.model, context.sample, question_notes.most_note_words(context), context.language]
        gates = [context.update_gate, context.exit_gate, context.heads > 1 and context.heads]
        how += [gates] if any(gates) else []
        name = digest(["notes", *collections, *how])  # one that is begun anew after a kill has the same
        await log.begin(document.id, name)
    given = [*state["blocks"], *[""] * context.heads][: max(context.heads, len(state["blocks"]))]
    blocks = [question_notes.lines_in(block, first) for block in given]
    order = state["block_order"] or [*range(len(blocks))]
    earlier = question_notes.lines_in(state["earlier"], first)
    reading = _NotesReading(state, runtime, OverwrittenNotes(log, name), blocks, order, earlier)
    steps_left = state.get("remaining_steps", sys.maxsize)  # a node that runs inside of another is told of none
    at, stop = first, min(first + pages_at_once(len(pages), steps_left), len(pages))
    for page in pages[first:stop]:
        text = (await memory.store.page_texts(document, [page]))[page.number]
        try:
            await note(reading, page, text)
        except BudgetSpent:
            if at == first:
                raise
            break
        at += 1
        current_meter().report(done=page.end, of=document.characters, pages=at, notes=len(reading.notes))
        if reading.enough:
            break
    if name and (reading.enough or at == len(pages)):
        await log.end(document.id, name)
    return _update(reading, name, range(first, at), len(pages))


def pages_at_once(pages: int, remaining_steps: int) -> int:
    """How many pages a step reads; all that are left, where the run may not take many steps more."""
    return max(AT_ONCE, -(-pages // MOST_TURNS)) if remaining_steps > LAST_STEPS else pages


async def _ask_for_notes(reading: _NotesReading, page: Page, text: str) -> None:
    """Ask for the notes anew, or for the block that was used least recently; what the gates say is done.

    Lines that were found of earlier notes stay in view until a reply has seen them.
    """
    if not text.strip():
        return
    context, note_lines = reading.runtime.context, [*reading.notes, *reading.earlier]
    reply = await _request_notes(reading, page, text)
    if reply is None:
        reading.unusable.append(page.number)
        return
    reading.enough, reading.earlier = context.exit_gate and getattr(reply, "enough", False), []
    if context.update_gate and getattr(reply, "unchanged", False):
        reading.unchanged.append(page.number)
    else:
        await _take_block(reading, reply, page, note_lines)
    if isinstance(reply, NewNotes):
        queries = [first_words(query, QUERY_WORDS) for query in reply.look_back[:MOST_QUERIES]]
        most = question_notes.most_found_words(context)
        reading.earlier = await reading.overwritten.find(queries, reading.notes, page.number + 1, most)


async def _take_block(reading: _NotesReading, reply: NotesAlone, page: Page, note_lines: Sequence[NoteLine]) -> None:
    """Put the new lines in the place of the block used least recently, which then was used last, with those named."""
    block, before, most = reading.order[0], reading.notes, question_notes.most_block_words(reading.runtime.context)
    lines = question_notes.lines_from_reply(reply.notes, page.number, note_lines) or reading.blocks[block]
    if count_note_words(lines) > most:
        count_fallback("notes_cut")
    reading.blocks[block] = question_notes.fit_lines(lines, most)
    used = {block, *(number - 1 for number in getattr(reply, "used", []))}
    reading.order.sort(key=lambda each: (each in used, each == block))
    if isinstance(reply, NewNotes):
        await reading.overwritten.keep(page.number, before, lines)


async def _request_notes(reading: _NotesReading, page: Page, text: str) -> NotesAlone | None:
    """The model's notes after a page, longer than they may be only where they were too long twice."""
    state, context, note_lines = reading.state, reading.runtime.context, [*reading.notes, *reading.earlier]
    most = question_notes.most_block_words(context)
    notes, earlier = question_notes.format_blocks(reading.blocks), format_notes(reading.earlier)
    in_blocks = len(reading.blocks) > 1
    gates = {name: getattr(context, name) for name in ("look_back", "update_gate", "exit_gate")}
    prompt = question_notes.take_notes_prompt(
        *(text, notes, earlier, state["question_text"], state["choices"]),
        page=page.number,
        most_words=most,
        block=reading.order[0] + 1 if in_blocks else None,
        **gates,
    )
    too_long = list[int]()

    def complaint(reply: NotesAlone) -> str | None:
        words = count_note_words(question_notes.lines_from_reply(reply.notes, page.number, note_lines))
        if words <= most or too_long:
            return None
        too_long.append(words)
        return f"the notes have {words} words, and may have {most} at most: leave out what matters least"

    reply_type = question_notes.notes_reply(**gates, in_blocks=in_blocks)
    prompt = prompt.adding(note_line(context.language))
    return await ask_reply(reading.runtime, prompt, reply_type, complaint, fallback="take_notes")


async def _keep_nearest(reading: _NotesReading, page: Page, text: str) -> None:
    """Of the notes so far and the sentences of the page, keep those that rank first, in the order of the text."""
    query, room = query_of(reading.state), question_notes.most_note_words(reading.runtime.context)
    nearest = nearest_sentences(query, passages_of({page.number: text}))
    new = [NoteLine(" ".join(sentence.text.split()), (page.number,)) for sentence in nearest]
    before = [*dict.fromkeys([*reading.notes, *reading.earlier])]
    lines = [*dict.fromkeys([*before, *new])]
    ranked = [number for number, _ in rank(query, [line.text for line in lines])]
    wanted = dict.fromkeys([*ranked, *range(len(before))])
    fitting = take_fitting(wanted, lambda number: count_note_words([lines[number]]), room, skips=True)
    reading.blocks, reading.order, reading.earlier = [[lines[number] for number in sorted(fitting)]], [0], []
    await asyncio.sleep(0)  # lets others work between two pages


def _update(reading: _NotesReading, name: str, read: range, pages: int) -> NotesUpdate:
    named = question_notes.pages_named(reading.notes, reading.earlier)
    did = f"read parts {read[0]}-{read[-1]} of {pages}" if len(read) > 1 else f"read {format_parts([*read])} of {pages}"
    did += f"; notes of {count_note_words(reading.notes)} words from {format_parts(named)}"
    if reading.earlier:
        did += f"; found {format_count(len(reading.earlier), 'earlier note')}"
    if reading.unchanged:
        did += f"; nothing on the question in {format_parts(reading.unchanged)}"
    if reading.enough:
        did += f"; enough was noted, {format_count(pages - read.stop, 'part')} left unread"
    if reading.unusable:
        did += f"; no usable reply at {format_parts(reading.unusable)}: the notes before stay"
    findings = list[Finding]()
    for page in named:
        text = "\n".join(line.text for line in [*reading.notes, *reading.earlier] if page in line.pages)
        findings.append(Finding(page=page, answers=False, text=text, choice=None, quotes=[]))
    return {
        "notes": format_notes(reading.notes),
        "blocks": [format_notes(block) for block in reading.blocks],
        "block_order": reading.order,
        "earlier": format_notes(reading.earlier),
        "next_page": read.stop,
        "reading": name,
        "pages_read": named,
        "findings": findings,
        "continue_search": read.stop < pages and not reading.enough,
        "step_summary": did,
    }


SHARED = 0.5  # a sentence of a page shows a note where it has this share of the note's content words

_QUOTED = re.compile(r"[\"“„«‘]([^\"“”„«»]{3,600}?)[\"”“»’](?!\w)")


class LastNotesState(AskedPages):
    notes: str
    earlier: str
    next_page: int
    fallbacks: dict[str, int]


@node(settings=STYLE)
async def answer(state: LastNotesState, runtime: ReaderRuntime) -> AnswerUpdate:
    """Answer from the last notes, and what was still found of earlier ones; all pages that were read count as seen.

    Without notes nobody is asked; without a model or a usable reply, the answer quotes the pages that the notes name.
    """
    memory = await load_memory(runtime, state)
    words = sum(page.words for page in await memory.pages(range(state["next_page"])))
    lines = question_notes.lines_in(f"{state['notes']}\n{state['earlier']}", state["next_page"])
    named = question_notes.pages_named(lines)
    by_rule = "take_notes" in state["fallbacks"] or state["status"] == "budget"
    if not lines:
        nothing = AnswerDraft(None, None, [], words, "nothing was noted", nearest=by_rule)
        return await write_answer(nothing, memory.document, state, runtime)
    texts, reply = await memory.texts(named), None
    if can_ask(runtime):
        notes = "\n".join(line.text for line in lines)
        prompt = answer_from_notes_prompt(notes, "", state["question_text"], state["choices"])
        reply = await ask_reply(runtime, *answer_request(prompt, state, runtime, UNQUOTED), fallback="answer")
    if reply is None:
        quoted = await quote_passages(_noted_passages(texts, lines), memory.document, state, runtime)
        draft = instead_of_reply(quoted, runtime)
    else:
        answer, letter = read_answer(reply, state["choices"])
        quotes = _quotes_for_notes(f"{question_alone(state)} {answer}", lines, texts) if answer else []
        did = f"answered from {format_count(len(lines), 'note')}" if answer else "found no answer in the notes"
        draft = AnswerDraft(answer, letter, quotes, summary=did, nearest=by_rule and not answer)
    return await write_answer(draft._replace(words=words), memory.document, state, runtime)


def _noted_passages(texts: dict[int, str], lines: list[NoteLine]) -> list[Passage]:
    """The sentences of these pages that were noted as they stand; without any, all passages."""
    passages, noted = passages_of(texts), {line.text for line in lines}
    kept = [
        passage._replace(start=sentence.start, end=sentence.end, text=sentence.text)
        for passage in passages
        for sentence in sentences_of(passage)
        if " ".join(sentence.text.split()) in noted
    ]
    return kept or passages


def _quotes_for_notes(query: str, lines: list[NoteLine], texts: dict[int, str]) -> list[Quote]:
    """What the text says of the notes that an answer rests on most: their own quotations, else the nearest sentence."""
    quotes = list[Quote]()
    ranked = [number for number, _ in rank(query, [line.text for line in lines])]
    for number in ranked or range(len(lines)):
        if len(quotes) < MOST_QUOTES and (quote := _find_line_quote(lines[number], texts)) and quote not in quotes:
            quotes.append(quote)
    return quotes


def _find_line_quote(line: NoteLine, texts: dict[int, str]) -> Quote | None:
    """Words of a page that the line names and that show what it says; None where none do."""
    on = {page: texts[page] for page in line.pages if page in texts}
    for quotation in sorted(_QUOTED.findall(line.text), key=len, reverse=True):
        for page, text in on.items():
            if citation := find_citation_on_page(page, 0, text, quotation):
                return Quote(page=page, quote=citation["quote"])
    words = {*content_words(line.text)}
    for sentence in nearest_sentences(line.text, passages_of(on))[:1]:
        if len(words & {*content_words(sentence.text)}) >= SHARED * len(words):
            return Quote(page=sentence.page, quote=sentence.text)
    return None
