"""Records as they are kept: those of a page are its note in a memory of their own, a line of JSON each."""

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
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

NO_QUOTE, NO_VALUE = "quote_not_found", "value_not_understood"
"""What can be wrong with a record that a model gives: its quote stands nowhere, or a value is no number or date."""

NOTHING_LOST: Mapping[str, int] = {}

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
        with suppress(ValueError, TypeError):
            *values, start, end = json.loads(line)
            if len(values) == columns and isinstance(start, int) and isinstance(end, int):
                records.append(Record(tuple(map(str, values)), start, end))
    return records


def losses_in(note: str) -> Counter[str]:
    """How much could not be used of what a model gave for a page, by what was wrong with it, as its note says."""
    losses = Counter[str]()
    for line in note.split("\n"):
        with suppress(ValueError):
            if isinstance(said := json.loads(line), dict):
                losses.update({kind: said[kind] for kind in (NO_QUOTE, NO_VALUE) if isinstance(said.get(kind), int)})
    return losses


async def orders_in(store: PageStore, document: Document) -> OrderAt:
    """The order of numeric dates in each text of a document: as its dates show it, else as its language has it."""
    starts = [part.start for part in document.parts] or [0]
    texts = await store.spans(document, [*zip(starts, [*starts[1:], document.characters], strict=True)])
    orders = [order_in(text) or order_of(language_of(text)) for text in texts]
    return lambda offset: orders[bisect_right(starts, offset) - 1]


def take_records(programme: Programme, order_at: OrderAt) -> WriteNote:
    """Writes the notes of pages: the records that a page gives, and how much of what was given could not be used.

    A record whose quote doesn't stand on the page is asked for again, then dropped. A page without any usable reply is
    counted; like one of whose records none could be used, it counts as not read.
    """
    columns = programme["columns"]
    reply_type = records_reply(columns)

    async def noted(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
        usable = list[Records]()

        def complaint(reply: Records) -> str | None:
            usable[:] = [reply]
            return next(filter(None, (_problem(each, columns, text) for each in reply.records)), None)

        try:
            await ask(runtime, survey_records_prompt(text, programme["record"], columns), reply_type, complaint)
        except NoUsableReply:
            if not usable:
                fell_back("records")
                return Note(page.number, "", 0, fallback=True)
        return _note(page, *_records(usable[0].records, columns, text, order_at(page.start)))

    return noted


def records_by_pattern(programme: Programme, order_at: OrderAt) -> WriteNote:
    """As `take_records`, without a model."""

    async def noted(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
        order = order_at(page.start)
        taken = take_by_pattern(text, programme, order)
        kinds = [column["kind"] for column in programme["columns"]]
        values = ((map(value_of, kinds, values), start, end) for values, start, end in taken)
        return _note(page, [Record(tuple(each or "" for each in row), start, end) for row, start, end in values])

    return noted


def _records(
    given: Iterable[Any], columns: Sequence[Column], text: str, order: str
) -> tuple[list[Record], Counter[str]]:
    """The given records whose quotes stand in the text, and how many were lost, or have values of the wrong kind."""
    records, losses, ends = list[Record](), Counter[str](), dict[str, int]()
    for each in given:
        said, values = _said(each, columns), _values(each, columns, order)
        span = _span(each, text, ends.get(each.quote, 0)) or _span(each, text)  # a text may have the same words twice
        if span is None:
            losses[NO_QUOTE] += 1
            continue
        ends[each.quote] = span[1]
        if wrong := sum(bool(value) and kept is None for value, kept in zip(said, values, strict=True)):
            losses[NO_VALUE] += wrong
        if any(values):
            records.append(Record(tuple(value or "" for value in values), *span))
    return _once(records), losses


def _problem(record: Any, columns: Sequence[Column], text: str) -> str | None:
    """Why a record can't be used: its quote stands nowhere, or no value is of its column's kind."""
    if _span(record, text) is None:
        quote = first_words(record.quote, QUOTE_WORDS)
        return f"the quote '{quote}' doesn't stand in the passage: copy its words"
    if any(said := _said(record, columns)) and not any(_values(record, columns)):
        kind, value = next((column["kind"], value) for column, value in zip(columns, said, strict=True) if value)
        return f"'{first_words(str(value), QUOTE_WORDS)}' is no {kind}"
    return None


def _said(record: Any, columns: Sequence[Column]) -> list[Any]:
    return [getattr(record, key_of(number)) for number in range(len(columns))]


def _values(record: Any, columns: Sequence[Column], order: str = "") -> list[str | None]:
    pairs = zip(columns, _said(record, columns), strict=True)
    return [value_of(column["kind"], value, order) for column, value in pairs]


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


def _note(page: Page, records: Sequence[Record], losses: Mapping[str, int] = NOTHING_LOST) -> Note:
    """The note of a page; one of whose records none could be used is no more than a fall-back."""
    lines = "\n".join([*(record.line for record in records), *([json.dumps(losses)] if losses else [])])
    return Note(page.number, lines, count_words(lines), fallback=bool(losses) and not records)
