"""Dates that stand in a text, in the words and orders of its language: "9 février 1921", "May 3", "05/03/2024"."""

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from readgraph.nodes.extractive.calendars import ENGLISH, calendars, month_names, order_of, spelled

_GAP = r"[ \t\u00a0\u202f]*\n?[ \t]*"
_YEAR = r"(?P<year>[12]\d{3})(?!\d)"
_DAY = r"(?P<day>\d{1,2})(?!\d)(?:[日일号º°ª]|-?[^\W\d_]{1,3}(?![^\W\d_]))?"
_BEFORE = r"(?<![\d.,:/_A-Za-z])(?<![\dA-Za-z]-)"
_WHOLE_CHARACTERS = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3]$")
"""Ends of names after which a word may follow at once."""

_NUMERIC = (
    re.compile(rf"{_BEFORE}(?P<year>[12]\d{{3}})([-./])\s?(?P<month>\d{{1,2}})\2\s?(?P<day>\d{{1,2}})(?!\d)"),
    re.compile(rf"{_BEFORE}(?P<year>[12]\d{{3}})-(?P<month>0[1-9]|1[0-2])(?![\w-])"),
    re.compile(
        rf"{_BEFORE}(?P<first>\d{{1,2}})(?P<mark>[-./])\s?(?P<second>\d{{1,2}})(?P=mark)\s?"
        r"(?P<year>\d{4}|\d{2})(?![\w/-]|\.\d)"
    ),
    re.compile(rf"{_BEFORE}(?<![$€£¥-])(?P<year>1\d{{3}}|20\d\d)(?:(?P<decade>s)|[-–/]\d{{2,4}})?(?![^\W年년]|[.,]\d)"),
)


class WrittenDate(NamedTuple):
    """A date at the characters `[start, end)` of a text: as much of it as is known."""

    start: int
    end: int
    year: int | None
    month: int | None = None
    day: int | None = None

    @property
    def iso(self) -> str | None:
        """YYYY-MM-DD, YYYY-MM or YYYY; None without a year."""
        if self.year is None:
            return None
        return "-".join([f"{self.year:04}", *(f"{part:02}" for part in (self.month, self.day) if part)])


def dates_in(text: str, language: str = "", order: str = "") -> list[WrittenDate]:
    """The dates, months with a year, and years that stand in a text, in their order.

    `language` is the text's ISO 639-1 code. Without it, the text is read as English or, if that gives no month with a
    year, by the whole names of all languages. `order` is "dmy" or "mdy", for numeric dates that could be either, by
    default the language's; without both, only the year of such a date is known.
    """
    if not re.search(r"\d", text):
        return []
    named = [*_named_dates(text, language or ENGLISH)]
    if not language and not any(date.year for date in named):  # to compile the patterns of all takes half a second
        named = [*_named_dates(text, "")]
    found = [*_numeric_dates(text, order or order_of(language)), *named]
    dates, end = list[WrittenDate](), 0
    for each in sorted(found, key=lambda date: (date.start, -date.end)):
        if each.start >= end:
            dates.append(each)
            end = each.end
    return dates


def order_in(text: str) -> str:
    """The order of day and month that the numeric dates of a text show: "dmy" or "mdy"; "" where they show none."""
    days = [(int(each["first"]) > 12, int(each["second"]) > 12) for each in _NUMERIC[2].finditer(text)]
    by_day, by_month = days.count((True, False)), days.count((False, True))
    return "" if by_day == by_month else "dmy" if by_day > by_month else "mdy"


def read_as(text: str, iso: str) -> tuple[str, str] | None:
    """A numeric date of a text that could be another one too, and in which order it gives this date."""
    for found in _NUMERIC[2].finditer(text):
        first, second = int(found["first"]), int(found["second"])
        if found["mark"] != "." and first != second and max(first, second) <= 12:
            for order, month, day in (("day/month/year", second, first), ("month/day/year", first, second)):
                if iso == f"{found['year']}-{month:02}-{day:02}":
                    return found.group(), order
    return None


def _numeric_dates(text: str, order: str) -> Iterator[WrittenDate]:
    for pattern in _NUMERIC:
        for found in pattern.finditer(text):
            parts = found.groupdict()
            if parts.get("first"):
                yield from _ordered(found, order)
            elif parts.get("decade"):
                yield WrittenDate(*found.span(), None)
            else:
                month, day = (int(parts[name]) if parts.get(name) else None for name in ("month", "day"))
                if month is None or month <= 12:
                    yield _checked(found, month, day)


def _ordered(found: re.Match[str], order: str) -> Iterator[WrittenDate]:
    """A date such as 05/03/2024; with points, the day comes first."""
    first, second = int(found["first"]), int(found["second"])
    order = "dmy" if first > 12 else "mdy" if second > 12 else "dmy" if found["mark"] == "." else order
    day, month = (first, second) if order == "dmy" else (second, first)
    if month <= 12 and day <= 31:
        is_known = bool(order) and len(found["year"]) == 4
        yield _checked(found, month, day) if is_known else WrittenDate(*found.span(), _year_of(found))


def _named_dates(text: str, language: str) -> Iterator[WrittenDate]:
    names, english = month_names(language), month_names(ENGLISH)
    known = calendars().get(language)
    own = {**known.names, **known.short_names} if known and language != ENGLISH else {}
    folded = spelled(text)
    if not any(name in folded for name in names):
        return
    for pattern in _patterns(language):
        for found in pattern.finditer(text):
            name, day = spelled(found["name"]), found.groupdict().get("day")
            may_be_a_verb = name in english and name not in own and found["name"][0].islower()
            if name in names and (_year_of(found) or not may_be_a_verb):
                yield _checked(found, names[name], int(day) if day else None)


def _checked(found: re.Match[str], month: int | None, day: int | None) -> WrittenDate:
    """The date, without a part that is in no calendar."""
    year = _year_of(found)
    if day is not None and not (month and 1 <= day <= monthrange(year or 2000, month)[1]):
        day = None
    return WrittenDate(*found.span(), year, month or None, day)


def _year_of(found: re.Match[str]) -> int | None:
    """The year; None where the century is left out."""
    year = found.groupdict().get("year")
    return int(year) if year and len(year) == 4 else None


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], ...]:
    """The forms of dates with a month's name, in a language or, without one, in all."""
    known = [calendars()[each] for each in (language or ENGLISH, ENGLISH) if each in calendars()]
    known = known if language else [*calendars().values()]
    words = {"of", "de", "del", "den", "năm"}.union(*(calendar.between for calendar in known))
    between = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    apart = rf"[.,]?{_GAP}(?:(?:{between})[.,]?{_GAP})?"
    all_names = month_names(language)
    name = _any_of(all_names)
    month_first = {*month_names(ENGLISH)}.union(
        *(each.names | each.short_names for each in known if each.order != "dmy")
    ) & {*all_names}
    year_first = {*all_names} & {
        name for each in known if each.order == "ymd" for name in each.names | each.short_names
    }
    forms = [
        rf"{_BEFORE}{_DAY}{apart}{name}\.?(?:{apart}{_YEAR})?",
        rf"(?<![^\W\d_]){name}\.?{_GAP}{_DAY}(?!:\d),?{_GAP}{_YEAR}",
        rf"(?<![^\W\d_]){_any_of(month_first)}\.?{_GAP}{_DAY}(?![:.,]?\d)(?:,?{_GAP}{_YEAR})?",
        rf"(?<![^\W\d_]){name}\.?{apart}{_YEAR}",
        rf"{_BEFORE}{_YEAR}\.?{_GAP}(?:{between}){_GAP}{_DAY}\.?{_GAP}{name}",
    ]
    if year_first:
        forms.append(rf"{_BEFORE}{_YEAR}{apart}{_any_of(year_first)}\.?(?:{_GAP}{_DAY})?")
    return tuple(re.compile(form, re.IGNORECASE) for form in forms)


def _any_of(names: Mapping[str, int] | set[str]) -> str:
    ordered = sorted(names, key=len, reverse=True)
    joined = [each for each in ordered if _WHOLE_CHARACTERS.search(each)]
    apart = [each for each in ordered if each not in joined]
    parts = [rf"(?:{'|'.join(map(re.escape, apart))})(?![^\W\d_])"] if apart else []
    parts += map(re.escape, joined)
    return f"(?P<name>{'|'.join(parts)})"
