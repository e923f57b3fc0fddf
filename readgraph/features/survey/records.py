"""Records as they are kept: those of a page are its note in a memory of their own, a line of JSON each."""

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, create_model

from readgraph.features.survey.matching import MatchedTables
from readgraph.features.survey.patterns import take_by_pattern
from readgraph.features.survey.state import Column, Programme
from readgraph.features.survey.values import value_of
from readgraph.language.dates import order_in, order_of
from readgraph.language.detection import language_of
from readgraph.library.page_store import PageStore
from readgraph.models.asking import ask_reply
from readgraph.models.metering import count_fallback
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced
from readgraph.models.rehearsed import RehearsedReply
from readgraph.models.reply import LenientReply
from readgraph.nodes.answering.citations import find_quote
from readgraph.nodes.building.parts import WriteNote
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.state.errors import NoUsableReply
from readgraph.state.records import Document, Note, Page
from readgraph.state.tables import ColumnKind
from readgraph.state.words import count_words, first_words, on_one_line, words_from

SURVEY_RECORDS = declare_wording(
    "survey_records",
    "You go through a long text, passage by passage, and write down every record of one kind that a passage gives. "
    "Write down what stands there and nothing else: no guess, nothing that you know from elsewhere. " + DATA_RULE,
    "Write down every record of this kind that the passage above gives: {record}. Its columns:\n{columns}\n"
    "A column that the passage doesn't fill is null. Give each record a quote: the words of the passage that show it, "
    "copied exactly, at most 30. If the passage gives no such record, the list is empty.",
    prompt="survey-records",
    shared="text",
)

FORMS: dict[ColumnKind, str] = {
    "text": "",
    "number": " (a number in digits, without its unit)",
    "date": " (YYYY-MM-DD, YYYY-MM or YYYY, as exactly as the passage says)",
}


def _value_as_text(value: Any) -> Any:
    """A value as text: some models give numbers as numbers, and several values as a list."""
    if isinstance(value, float) and isfinite(value):
        value = f"{Decimal(repr(value)):f}".removesuffix(".0")
    if isinstance(value, list):
        value = ", ".join(str(each) for each in value)
    return None if value is None or isinstance(value, dict) else " ".join(str(value).split())


class Records(LenientReply):
    """The records of one page; `records_reply` makes the type with the columns of a programme."""

    records: list[Any]

    @classmethod
    def rehearse(cls, reply: RehearsedReply) -> dict[str, Any]:
        """One to three records with quotes from all over the passage; for the most, many."""
        columns = [name for name in reply.schema["$defs"]["SurveyRecord"]["properties"] if name != "quote"]
        passage, many = on_one_line(reply.fenced["passage"]), 12 if reply.longest else 1 + reply.chance % 3
        starts = [place * count_words(passage) // many for place in range(many)]
        return {
            "records": [
                {
                    **{name: words_from(passage, at + 3 * n, 3) for n, name in enumerate(columns)},
                    "quote": words_from(passage, at, 30 if reply.longest else 16),
                }
                for at in starts
            ]
        }


def key_of(number: int) -> str:
    """The name of a column's field in replies: a model's own name may be no name of a field."""
    return f"column_{number + 1}"


@lru_cache(64)
def records_reply(columns: tuple[tuple[str, str], ...]) -> type[Records]:
    """The reply's type: a list of records with a field for each column, by name and meaning, and a quote."""
    written = Annotated[str | None, BeforeValidator(_value_as_text)]
    fields: dict[str, Any] = {
        key_of(number): (written, Field(description=f"{name}: {meaning}"))
        for number, (name, meaning) in enumerate(columns)
    }
    quote = Annotated[str, BeforeValidator(lambda value: _value_as_text(value) or "")]
    record = create_model(
        "SurveyRecord", __base__=LenientReply, **fields, quote=(quote, Field(description="Exact words."))
    )
    return create_model("SurveyRecords", __base__=Records, records=(list[record], Field(description="May be empty.")))  # type: ignore[valid-type]


def survey_records_prompt(passage: str, record: str, columns: Sequence[Column]) -> Prompt:
    """Ask for the records of a passage."""
    listed = "\n".join(
        f"- {key_of(number)}, {column['name']}: {column['meaning'] or column['name']}{FORMS[column['kind']]}"
        for number, column in enumerate(columns)
    )
    return SURVEY_RECORDS.ask(fenced("passage", passage), record=record, columns=listed)


QUOTE_WORDS = 12  # words of a quote in a complaint about it
NO_QUOTE, NO_VALUE = "quote_not_found", "value_not_understood"  # or a value is no number or date
OrderAt = Callable[[int], str]  # of day and month in numeric dates around an offset: "dmy", "mdy", or ""


@dataclass(frozen=True, slots=True)
class SurveyRecord:
    """A record of a page: its values, "" where there is none, and the characters `[start, end)` of the page."""

    values: tuple[str, ...]
    start: int
    end: int

    @property
    def line(self) -> str:
        """The record as a line of JSON."""
        return json.dumps([*self.values, self.start, self.end], ensure_ascii=False)


def records_in(note: str, columns: int) -> list[SurveyRecord]:
    """The records of a note; a line that holds none, such as one that a user wrote, is left out."""
    records = list[SurveyRecord]()
    for line in note.split("\n"):
        with suppress(ValueError, TypeError):
            *values, start, end = json.loads(line)
            if len(values) == columns and isinstance(start, int) and isinstance(end, int):
                records.append(SurveyRecord(tuple(map(str, values)), start, end))
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
    """Writes the notes of pages: the records that a page gives, and how much of what was given could not be used."""
    columns = programme["columns"]
    reply_type = records_reply(tuple((column["name"], column["meaning"]) for column in columns))

    async def take_page_records(text: str, page: Page, runtime: ReaderRuntime) -> Note:
        usable = list[Records]()

        def complaint(reply: Records) -> str | None:
            usable[:] = [reply]
            return next(filter(None, (_problem(record, columns, text) for record in reply.records)), None)

        try:
            await ask_reply(runtime, survey_records_prompt(text, programme["record"], columns), reply_type, complaint)
        except NoUsableReply:
            if not usable:
                count_fallback("records")
                return Note(page.number, "", 0, fallback=True)
        return _note(page, *_records(usable[0].records, columns, text, order_at(page.start)))

    return take_page_records


def with_table_rows(tables: MatchedTables, write_note: WriteNote | None) -> WriteNote:
    """Writes the notes of pages: the rows of tables that begin there, then what `write_note` takes from the rest."""

    async def take_page_rows(text: str, page: Page, runtime: ReaderRuntime) -> Note:
        own = tables.rows_in(page.start, page.end)
        rows = _note(page, [SurveyRecord(row.values, row.start - page.start, row.end - page.start) for row in own])
        rest = tables.without(text, page.start)
        if write_note is None or not re.search(r"\w", rest):
            return rows
        note = await write_note(rest, page, runtime)
        lines = "\n".join(filter(None, [rows.text, note.text]))
        return replace(note, text=lines, words=count_words(lines))

    return take_page_rows


def records_by_pattern(programme: Programme, order_at: OrderAt) -> WriteNote:
    """As `take_records`, without a model."""
    kinds = [column["kind"] for column in programme["columns"]]

    async def match_page_records(text: str, page: Page, runtime: ReaderRuntime) -> Note:
        records = [
            SurveyRecord(tuple(value or "" for value in map(value_of, kinds, values)), start, end)
            for values, start, end in take_by_pattern(text, programme, order_at(page.start))
        ]
        return _note(page, records)

    return match_page_records


def _records(
    given: Iterable[Any], columns: Sequence[Column], text: str, order: str
) -> tuple[list[SurveyRecord], Counter[str]]:
    """The given records whose quotes stand in the text, and how many were lost, or have values of the wrong kind."""
    records, losses, ends = list[SurveyRecord](), Counter[str](), dict[str, int]()
    for each in given:
        said, values = _reply_values(each, columns), _values(each, columns, order)
        span = _span(each, text, ends.get(each.quote, 0)) or _span(each, text)  # a text may have the same words twice
        if span is None:
            losses[NO_QUOTE] += 1
            continue
        ends[each.quote] = span[1]
        if wrong := sum(bool(value) and kept is None for value, kept in zip(said, values, strict=True)):
            losses[NO_VALUE] += wrong
        if any(values):
            records.append(SurveyRecord(tuple(value or "" for value in values), *span))
    survey_records = dict[tuple[str, ...], list[SurveyRecord]]()
    for record in records:  # one with the same values, whose quote holds the other's, was only quoted in another way
        alike = survey_records.setdefault(record.values, [])
        if not any(_is_within(record, other) or _is_within(other, record) for other in alike):
            alike.append(record)
    return [record for alike in survey_records.values() for record in alike], losses


def _problem(record: Any, columns: Sequence[Column], text: str) -> str | None:
    """Why a record can't be used: its quote stands nowhere, or no value is of its column's kind."""
    if _span(record, text) is None:
        quote = first_words(record.quote, QUOTE_WORDS)
        return f"the quote '{quote}' doesn't stand in the passage: copy its words"
    if any(said := _reply_values(record, columns)) and not any(_values(record, columns)):
        kind, value = next((column["kind"], value) for column, value in zip(columns, said, strict=True) if value)
        return f"'{first_words(str(value), QUOTE_WORDS)}' is no {kind}"
    return None


def _reply_values(record: Any, columns: Sequence[Column]) -> list[Any]:
    return [getattr(record, key_of(number)) for number in range(len(columns))]


def _values(record: Any, columns: Sequence[Column], order: str = "") -> list[str | None]:
    pairs = zip(columns, _reply_values(record, columns), strict=True)
    return [value_of(column["kind"], value, order) for column, value in pairs]


def _is_within(one: SurveyRecord, other: SurveyRecord) -> bool:
    return other.start <= one.start and one.end <= other.end


def _span(record: Any, text: str, after: int = 0) -> tuple[int, int] | None:
    return find_quote(record.quote.strip(), text, after, len(text))


def _note(page: Page, records: Sequence[SurveyRecord], losses: Mapping[str, int] | None = None) -> Note:
    """The note of a page; one of whose records none could be used is no more than a fall-back."""
    lines = "\n".join([*(record.line for record in records), *([json.dumps(losses)] if losses else [])])
    return Note(page.number, lines, count_words(lines), fallback=bool(losses) and not records)
