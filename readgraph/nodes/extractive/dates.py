"""Dates as texts write them, and words such as "last Friday" as the dates that they mean on the day they were said."""

import re
from datetime import date, timedelta

from readgraph.nodes.extractive.calendar_dates import dates_in

MONTHS = tuple("January February March April May June July August September October November December".split())
WEEKDAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())
NUMBERS = tuple("one two three four five six seven eight nine ten eleven twelve".split())

_MONTH = "(?:" + "|".join(f"{month[:3]}(?:{month[3:]})?" if month[3:] else month for month in MONTHS) + r"|Sept)\.?"
_WEEKDAY = "|".join(f"{day[:3]}(?:{day[3:]})?" for day in WEEKDAYS)

_HAS_YEAR = re.compile(r"[12]\d{3}")
_MONTH_ALONE = re.compile(rf"\b(?:(?<=in )|(?<=last )|(?<=next )|(?<=since )|(?<=until ))(?:{_MONTH})(?!\w)")
_SAID = re.compile(
    r"\b(?:(?P<yesterday>yesterday|last night)|(?P<today>today|tonight|this (?:morning|afternoon|evening))"
    r"|(?P<tomorrow>tomorrow)"
    rf"|(?P<count>\d{{1,6}}|{'|'.join(NUMBERS)}|a couple of|a couple|a few|an?)"
    r" (?P<unit>day|week|weekend|month|year)s? ago"
    r"|(?P<which>last|past|previous|next|this|coming)"
    rf" (?:(?P<span>week|weekend|month|year|summer|winter|spring|fall|autumn)|(?P<weekday>{_WEEKDAY})"
    rf"|(?P<month>(?-i:{_MONTH})))(?!\w))",
    re.IGNORECASE,
)
_SHIFT = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}
_SIDE = {-1: "before", 0: "of", 1: "after"}


def date_in(text: str) -> date | None:
    """The first whole date (day, month and year) in a text, such as the name of a session; None where there is none."""
    for found in dates_in(text) if _HAS_YEAR.search(text) else ():
        if found.year and found.month and found.day:
            return date(found.year, found.month, found.day)
    return None


def written_dates(text: str) -> list[str]:
    """The dates, years and months that stand in a text, as it writes them."""
    dated = [(found.start, found.end) for found in dates_in(text)]
    alone = [found.span() for found in _MONTH_ALONE.finditer(text)]
    spans = sorted(
        [*dated, *(each for each in alone if all(each[1] <= start or each[0] >= end for start, end in dated))]
    )
    return [text[start:end].rstrip(".,") for start, end in spans]


def meant_by(text: str, said_on: date) -> str | None:
    """What the first words for a time ("yesterday", "two weeks ago") mean if they were said on this day.

    A day, month or year where they name one ("7 May 2023", "June 2023", "2022"), else how the time lies to that day
    ("The week before 9 June 2023"); None without such words.
    """
    found = _SAID.search(text)
    if not found:
        return None
    for word, days in (("yesterday", -1), ("today", 0), ("tomorrow", 1)):
        if found[word]:
            return day_name(said_on + timedelta(days))
    if found["count"]:
        return _ago(found["count"].lower(), found["unit"].lower(), said_on)
    shift = _SHIFT[found["which"].lower()]
    if found["weekday"]:
        weekday = next(day for day in WEEKDAYS if day[:3] == found["weekday"].lower()[:3])
        return f"The {weekday.title()} {_SIDE[shift or 1]} {day_name(said_on)}"
    if found["month"]:
        return _month(_month_number(found["month"]), shift, said_on)
    return _span(found["span"].lower(), shift, said_on)


def day_name(day: date) -> str:
    """A day in words: "7 May 2023"."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _ago(count: str, unit: str, said_on: date) -> str:
    number = int(count) if count.isdigit() else NUMBERS.index(count) + 1 if count in NUMBERS else 1
    couple = count.startswith("a couple")
    number = 2 if couple else number
    if count != "a few" and number < said_on.year:
        if unit == "year":
            return str(said_on.year - number)
        if unit == "month":
            return _months_on(-number, said_on)
        if unit == "day":
            return day_name(said_on - timedelta(number))
    units = f"{unit}s" if number != 1 or count == "a few" else unit
    return f"{'two' if couple else count} {units} before {day_name(said_on)}"


def _span(span: str, shift: int, said_on: date) -> str:
    if span == "year":
        return str(said_on.year + shift)
    if span == "month":
        return _months_on(shift, said_on)
    if span in ("week", "weekend"):
        return f"The {span} {_SIDE[shift]} {day_name(said_on)}"
    return f"{span} {said_on.year + shift}"


def _month(month: int, shift: int, said_on: date) -> str:
    """A month by its name: the last one before that day, the next one after it, or the one of its year."""
    crossed = (shift < 0 and month >= said_on.month) or (shift > 0 and month <= said_on.month)
    return f"{MONTHS[month - 1]} {said_on.year + (shift if crossed else 0)}"


def _months_on(months: int, said_on: date) -> str:
    year, month = divmod(said_on.year * 12 + said_on.month - 1 + months, 12)
    return f"{MONTHS[month]} {year}"


def _month_number(name: str) -> int:
    return next(number for number, month in enumerate(MONTHS, 1) if month[:3].lower() == name[:3].lower())
