"""Records as they are kept: those of a page are its note in a memory of their own, a line of JSON each."""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from readgraph.models.asking import ask
from readgraph.models.metering import fell_back
from readgraph.nodes.answering.quotes import find_quote
from readgraph.nodes.building.interfaces import WriteNote
from readgraph.nodes.extractive.calendar_dates import order_in
from readgraph.nodes.extractive.calendars import order_of
from readgraph.nodes.prompts.survey.pages import Records, key_of, records_reply, survey_records_prompt
from readgraph.nodes.survey.by_pattern import take_by_pattern
from readgraph.nodes.survey.values import value_of
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Note, Page
from readgraph.state.survey import Column, Programme
from readgraph.state.text.language import language_of
from readgraph.state.words import count_words, first_words

QUOTE_WORDS = 12
"""Words of a quote in a complaint about it."""

OrderAt = Callable[[int], str]
"""Gives the order of day and month in the numeric dates around an offset of a document: "dmy", "mdy", or ""."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record of a page: its values, "" where there is none, and the characters `[start, end)` of the page."""

    values: tuple[str, ...]
    start: int
    end: int

    @property
    def line(self) -> str:
        """The record as a line of JSON."""
        return json.dumps([*self.values, self.start, self.end], ensure_ascii=False)


def records_in(note: str, columns: int) -> list[Record]:
    """The records of a note; a line that holds none, such as one that a user wrote, is left out."""
    records = list[Record]()
    for line in note.split("\n"):
        with suppress(ValueError):
            *values, start, end = json.loads(line)
            if len(values) == columns and isinstance(start, int) and isinstance(end, int):
                records.append(Record(tuple(map(str, values)), start, end))
    return records


async def orders_in(store: PageStore, document: Document) -> OrderAt:
    """The order of numeric dates in each text of a document: as its dates show it, else as its language has it."""
    starts = [part.start for part in document.parts] or [0]
    texts = await store.spans(document, [*zip(starts, [*starts[1:], document.characters], strict=True)])
    orders = [order_in(text) or order_of(language_of(text)) for text in texts]
    return lambda offset: orders[bisect_right(starts, offset) - 1]


def take_records(programme: Programme, wanted: set[int], order_at: OrderAt) -> WriteNote:
    """Writes the notes of the wanted pages: the records that a page gives; other pages get empty notes.

    A record whose quote doesn't stand on the page is asked for again, then dropped and counted. A page without any
    usable reply has no records, and is counted.
    """
    columns = programme["columns"]
    reply_type = records_reply(columns)

    async def noted(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
        if page.number not in wanted:
            return Note(page.number, "", 0)
        usable = list[Records]()

        def complaint(reply: Records) -> str | None:
            usable[:] = [reply]
            missing = next((each.quote for each in reply.records if _span(each, text) is None), None)
            quote = first_words(missing or "", QUOTE_WORDS)
            return None if missing is None else f"the quote '{quote}' doesn't stand in the passage: copy its words"

        try:
            await ask(runtime, survey_records_prompt(text, programme["record"], columns), reply_type, complaint)
        except NoUsableReply:
            if not usable:
                fell_back("records")
                return Note(page.number, "", 0, fallback=True)
        return _note(page, _records(usable[0].records, columns, text, order_at(page.start)))

    return noted


def records_by_pattern(programme: Programme, wanted: set[int], order_at: OrderAt) -> WriteNote:
    """As `take_records`, without a model."""

    async def noted(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
        order = order_at(page.start)
        taken = take_by_pattern(text, programme, order) if page.number in wanted else ()
        kinds = [column["kind"] for column in programme["columns"]]
        values = ((map(value_of, kinds, values), start, end) for values, start, end in taken)
        return _note(page, [Record(tuple(each or "" for each in row), start, end) for row, start, end in values])

    return noted


def _records(given: Iterable[Any], columns: Sequence[Column], text: str, order: str) -> list[Record]:
    """The given records whose quotes stand in the text; lost ones, and values of the wrong kind, are counted."""
    records, lost, wrong, ends = list[Record](), 0, 0, dict[str, int]()
    for each in given:
        said = [getattr(each, key_of(number)) for number in range(len(columns))]
        values = [value_of(column["kind"], value, order) for column, value in zip(columns, said, strict=True)]
        span = _span(each, text, ends.get(each.quote, 0)) or _span(each, text)  # a text may have the same words twice
        if span is None or not any(values):
            lost += span is None
            continue
        ends[each.quote] = span[1]
        wrong += sum(bool(value) and kept is None for value, kept in zip(said, values, strict=True))
        records.append(Record(tuple(value or "" for value in values), *span))
    if lost:
        fell_back("quote_not_found", lost)
    if wrong:
        fell_back("value_not_understood", wrong)
    return _once(records)


def _once(records: Iterable[Record]) -> list[Record]:
    """Each record once: one with the same values, whose quote holds the other's, was only quoted in another way."""
    kept = dict[tuple[str, ...], list[Record]]()
    for each in records:
        alike = kept.setdefault(each.values, [])
        if not any(_within(each, other) or _within(other, each) for other in alike):
            alike.append(each)
    return [each for alike in kept.values() for each in alike]


def _within(one: Record, other: Record) -> bool:
    return other.start <= one.start and one.end <= other.end


def _span(record: Any, text: str, after: int = 0) -> tuple[int, int] | None:
    return find_quote(record.quote.strip(), text, after, len(text))


def _note(page: Page, records: Iterable[Record]) -> Note:
    lines = "\n".join(record.line for record in records)
    return Note(page.number, lines, count_words(lines))
