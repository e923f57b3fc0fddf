"""What values mean, and which are the same."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph.features.survey.plan import by_rule
from readgraph.features.survey.records import SurveyRecord, records_in
from readgraph.features.survey.table import (
    CombinedTable,
    Mention,
    RecordsState,
    TableEntry,
    group_rows,
    join_rows,
    sort_rows,
)
from readgraph.features.survey.values import date_value, number_in, same_as


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *[
            ("1,200", "1200"),
            ("1.200,50 €", "1200.50"),
            ("$3.5 million", "3500000"),
            ("12 000", "12000"),
            ("0,5", "0.5"),
        ],
        *[("1, 2", "1"), ("3 4", "3"), ("12 000 000,5", "12000000.5"), ("5, about", "5")],
        *[("−4", "-4"), ("1'000'000", "1000000"), ("about 7.", "7"), ("0.125", "0.125"), ("1,234,567.8", "1234567.8")],
        *[
            ("12 Millionen Mark", "12e6"),
            ("1,5 Mrd. €", "1.5e9"),
            ("12 тыс. руб.", "12000"),
            ("2,5 miliarda zł", "2.5e9"),
        ],
        *[("3 mil millones", "3e9"), ("12万3000円", "123000"), ("1억 5천만 원", "150000000"), ("£2m", "2e6")],
        *[("1.234 million", "1234000"), ("1.234 millones", "1234e6"), ("12m of rope", "12"), ("6 milliners", "6")],
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, number: str) -> None:
    assert number_in(text) == Decimal(number)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        *[("1912-3-1", "1912-03-01"), ("1912-13", "1912"), ("1912-02-30", "1912-02"), ("1912", "1912")],
        *[("3 May 1912", "1912-05-03"), ("in May 1912", "1912-05"), ("the winter of 1912", "1912"), ("soon", None)],
    ],
)
def test_dates_are_as_exact_as_they_are_known(text: str, date: str | None) -> None:
    assert date_value(text) == date


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        *[
            ("Émile", "emile", True),
            ("The Ma\u0301sha", "masha", True),
            ("ﬁne", "fine", True),
            ("St. Mary", "st mary", True),
        ],
        *[("かき", "かぎ", False), ("май", "маи", False), ("C++", "C#", False), ("กา", "ก่า", False)],
    ],
)
def test_what_is_written_otherwise_is_the_same_and_another_letter_is_not(one: str, other: str, same: bool) -> None:
    assert (same_as(one) == same_as(other)) == same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("3", "3.00", True), ("-5", "5", False), ("0.5", "5", False), (f"1{'0' * 30}", f"1{'0' * 29}1", False)],
)
def test_numbers_are_the_same_by_their_value(one: str, other: str, same: bool) -> None:
    entries = [TableEntry((value,), (Mention(0, 0, 1),)) for value in (one, other)]
    assert len(join_rows(CombinedTable(["paid"], ["number"], entries), ["paid"], apart=False).entries) == 2 - same


@given(st.text())
def test_any_text_has_a_value_or_none(text: str) -> None:
    number_in(text), date_value(text)
    assert same_as(text).strip() == same_as(text)


@given(st.lists(st.text(), min_size=1), st.integers(0, 9), st.integers(0, 9))
def test_records_are_kept_as_they_are(values: list[str], start: int, end: int) -> None:
    record = SurveyRecord(tuple(values), start, end)
    assert records_in(f"{record.line}\nwhat a user wrote\n[1]\n5\nnull", len(values)) == [record]


@given(st.lists(st.tuples(st.sampled_from(["Ann", "ann", "The Bé", "be", ""]), st.integers(-99, 99))))
def test_sums_and_counts_are_exact_in_any_order(rows: list[tuple[str, int]]) -> None:
    entries = [TableEntry((name, str(number)), (Mention(0, at, at + 1),)) for at, (name, number) in enumerate(rows)]
    table = CombinedTable(["who", "paid"], ["text", "number"], entries)
    sums = {
        same_as(name): (int(many), int(total))
        for name, many, total in (e.values for e in group_rows(table, "who", "paid").entries)
    }
    for name in {same_as(name) for name, _ in rows}:
        paid = [number for each, number in rows if same_as(each) == name]
        assert sums[name] == (len(paid), sum(paid))
    together = join_rows(table, ["who"], apart=False).entries
    assert sum(len(entry.mentions) for entry in together) == len(rows)
    programme = {**by_rule("who paid most?", []), "sort_by": "paid", "descending": True}
    numbers = [int(entry.values[1]) for entry in sort_rows(table, programme).entries]  # type: ignore[arg-type]
    assert numbers == sorted(numbers, reverse=True)


def test_joining_names_reads_the_records_and_no_other_memory() -> None:
    assert {*RecordsState.__annotations__} == {"document", "records", "programme"}
