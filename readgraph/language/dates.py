"""Dates in a text, in the words and order of its language, and what "last Friday" meant when it was said."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from readgraph.language.calendars import calendars, fold_month_name, month_names
from readgraph.language.detection import DEFAULT as ENGLISH


def order_of(language: str) -> str:
    """In which order a language writes day and month of a numeric date: "dmy" or "mdy"; "" without a language."""
    calendar = calendars().get(language)
    return "" if calendar is None else "mdy" if calendar.order == "mdy" else "dmy"


_GAP = r"[ \t\u00a0\u202f]*\n?[ \t]*"
_YEAR = r"(?P<year>[12]\d{3})(?!\d)"
_DAY = r"(?P<day>\d{1,2})(?!\d)(?:[日일号º°ª]|-?[^\W\d_]{1,3}(?![^\W\d_]))?"
_BEFORE = r"(?<![\d.,:/_A-Za-z])(?<![\dA-Za-z]-)"
_WHOLE_CHARACTERS = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3]$")  # ends of names after which a word may follow at once

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

    `language`: the text's ISO 639-1 code; without it, English or, if that gives no month with a year, any language.
    `order`: "dmy" or "mdy", for numeric dates that could be either; by default the language's, else the year alone.
    """
    if not re.search(r"\d", text):
        return []
    named = [*_dates_with_month_names(text, language or ENGLISH)]
    if not language and not any(date.year for date in named):  # to compile the patterns of all takes half a second
        named = [*_dates_with_month_names(text, "")]
    dates, end = list[WrittenDate](), 0
    written_dates = [*_numeric_dates(text, order or order_of(language)), *named]
    for written in sorted(written_dates, key=lambda date: (date.start, -date.end)):
        if written.start >= end:
            dates.append(written)
            end = written.end
    return dates


def order_in(text: str) -> str:
    """The order of day and month that the numeric dates of a text show: "dmy" or "mdy"; "" where they show none."""
    days = [(int(numeric["first"]) > 12, int(numeric["second"]) > 12) for numeric in _NUMERIC[2].finditer(text)]
    by_day, by_month = days.count((True, False)), days.count((False, True))
    return "" if by_day == by_month else "dmy" if by_day > by_month else "mdy"


def find_ambiguous_date(text: str, iso: str) -> tuple[str, str] | None:
    """A numeric date of a text that could be another one too, and in which order it gives this date."""
    for numeric in _NUMERIC[2].finditer(text):
        first, second = int(numeric["first"]), int(numeric["second"])
        if numeric["mark"] != "." and first != second and max(first, second) <= 12:
            for order, month, day in (("day/month/year", second, first), ("month/day/year", first, second)):
                if iso == f"{numeric['year']}-{month:02}-{day:02}":
                    return numeric.group(), order
    return None


def _numeric_dates(text: str, order: str) -> Iterator[WrittenDate]:
    for pattern in _NUMERIC:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            if parts.get("first"):
                yield from _read_numeric_date(match, order)
            elif parts.get("decade"):
                yield WrittenDate(*match.span(), None)
            else:
                month, day = (int(parts[name]) if parts.get(name) else None for name in ("month", "day"))
                if month is None or month <= 12:
                    yield _make_valid_date(match, month, day)


def _read_numeric_date(match: re.Match[str], order: str) -> Iterator[WrittenDate]:
    """A date such as 05/03/2024; with points, the day comes first."""
    first, second = int(match["first"]), int(match["second"])
    order = "dmy" if first > 12 else "mdy" if second > 12 else "dmy" if match["mark"] == "." else order
    day, month = (first, second) if order == "dmy" else (second, first)
    if month <= 12 and day <= 31:
        is_known = bool(order) and len(match["year"]) == 4
        yield _make_valid_date(match, month, day) if is_known else WrittenDate(*match.span(), _year_of(match))


def _dates_with_month_names(text: str, language: str) -> Iterator[WrittenDate]:
    names, english = month_names(language), month_names(ENGLISH)
    folded = fold_month_name(text)
    if not any(name in folded for name in names):
        return
    calendar = calendars().get(language)
    own = {**calendar.names, **calendar.short_names} if calendar and language != ENGLISH else {}
    for pattern in _patterns(language):
        for match in pattern.finditer(text):
            name, day = fold_month_name(match["name"]), match.groupdict().get("day")
            may_be_a_verb = name in english and name not in own and match["name"][0].islower()
            if name in names and (_year_of(match) or not may_be_a_verb):
                yield _make_valid_date(match, names[name], int(day) if day else None)


def _make_valid_date(match: re.Match[str], month: int | None, day: int | None) -> WrittenDate:
    year = _year_of(match)
    if day is not None and not (month and 1 <= day <= monthrange(year or 2000, month)[1]):
        day = None
    return WrittenDate(*match.span(), year, month or None, day)


def _year_of(match: re.Match[str]) -> int | None:
    """The year; None where the century is left out."""
    year = match.groupdict().get("year")
    return int(year) if year and len(year) == 4 else None


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], ...]:
    """The forms of dates with a month's name, in a language or, without one, in all."""
    languages = [*calendars().values()]
    if language:
        languages = [calendars()[code] for code in (language, ENGLISH) if code in calendars()]
    words = {"of", "de", "del", "den", "năm"}.union(*(calendar.between for calendar in languages))
    between = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    apart = rf"[.,]?{_GAP}(?:(?:{between})[.,]?{_GAP})?"
    all_names = {*month_names(language)}
    name = _any_of(all_names)
    orders = [(calendar.order, {*calendar.names, *calendar.short_names}) for calendar in languages]
    month_first = all_names & {*month_names(ENGLISH)}.union(*(names for order, names in orders if order != "dmy"))
    year_first = all_names & set[str]().union(*(names for order, names in orders if order == "ymd"))
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


def _any_of(names: set[str]) -> str:
    ordered = sorted(names, key=len, reverse=True)
    joined = [name for name in ordered if _WHOLE_CHARACTERS.search(name)]
    apart = [name for name in ordered if name not in joined]
    parts = [rf"(?:{'|'.join(map(re.escape, apart))})(?![^\W\d_])"] if apart else []
    parts += map(re.escape, joined)
    return f"(?P<name>{'|'.join(parts)})"


MONTHS = tuple("January February March April May June July August September October November December".split())
WEEKDAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())
NUMBERS = tuple("one two three four five six seven eight nine ten eleven twelve".split())

_MONTH = "(?:" + "|".join(f"{month[:3]}(?:{month[3:]})?" if month[3:] else month for month in MONTHS) + r"|Sept)\.?"
_WEEKDAY = "|".join(f"{day[:3]}(?:{day[3:]})?" for day in WEEKDAYS)

_YEAR_ALONE, _NUMBER = re.compile(r"(?<!\d)[12]\d{3}(?!\d)"), re.compile(r"\d+")
_SAID = re.compile(
    r"(?P<of>\b(?:the|a|an|every|each|my|your|his|her|its|our|their|[\w'’]+['’]s) )?(?:"
    r"\b(?P<before>the day before yesterday)|\b(?P<after>the day after tomorrow)"
    r"|\b(?P<yesterday>yesterday|last night)|\b(?P<tomorrow>tomorrow)"
    rf"|\b(?P<count>\d{{1,6}}|{'|'.join(NUMBERS)}|a couple of|a couple|a few|an?)"
    r" (?P<unit>day|week|weekend|month|year)s? ago"
    rf"|\b(?P<which>last|next) (?:(?P<span>week|weekend|month|year)|(?P<weekday>{_WEEKDAY})"
    rf"|(?P<month>(?-i:{_MONTH})))(?!\w| of\b|['’]s\b))(?!\w)",
    re.IGNORECASE,
)
_SHIFT, _SIDE = {"last": -1, "next": 1}, {-1: "before", 1: "after"}


def date_in(text: str) -> date | None:
    """The last whole date (day, month and year) in a text, such as the name of a session; None where there is none."""
    may_be_one = _YEAR_ALONE.search(text) and len(_NUMBER.findall(text)) > 1  # beside the year, at least the day
    dates = dates_in(text) if may_be_one else []
    whole = [date(year, month, day) for *_, year, month, day in dates if year and month and day]
    return whole[-1] if whole else None


def resolve_time_words(text: str, said_on: date) -> dict[str, str]:
    """What words for a time in a text ("yesterday", "last Sunday") mean if they were said on this day, by the words.

    Such as "7 May 2023", "June 2023", or how the time lies to that day ("the week before 9 June 2023"). What may mean
    more than one time is left out: "the last Friday of the month", "next Friday" in that Friday's own week.
    """
    meant = dict[str, str]()
    for words in _SAID.finditer(text):
        relative = words["which"] or words["count"]
        if not (words["of"] and relative) and (meaning := _meaning(words, said_on)):
            meant[" ".join(words.group()[len(words["of"] or "") :].split()).rstrip(".")] = meaning
    return meant


def _meaning(words: re.Match[str], said_on: date) -> str:
    """What words for a time mean; "" where that is not certain."""
    for word, days in (("before", -2), ("yesterday", -1), ("tomorrow", 1), ("after", 2)):
        if words[word]:
            return day_name(said_on + timedelta(days))
    if words["count"]:
        return _ago(words["count"].lower(), words["unit"].lower(), said_on)
    shift = _SHIFT[words["which"].lower()]
    if words["weekday"]:
        weekday = next(number for number, day in enumerate(WEEKDAYS) if day[:3] == words["weekday"].lower()[:3])
        until = (weekday - said_on.weekday()) % 7
        in_own_week = shift > 0 and weekday > said_on.weekday()
        return "" if in_own_week else day_name(said_on + timedelta(until - 7 if shift < 0 else until or 7))
    if words["month"]:
        name = words["month"][:3].lower()
        month = next(number for number, month_name in enumerate(MONTHS, 1) if month_name[:3].lower() == name)
        crossed = (shift < 0 and month >= said_on.month) or (shift > 0 and month <= said_on.month)
        return f"{MONTHS[month - 1]} {said_on.year + (shift if crossed else 0)}"
    span = words["span"].lower()
    if span == "month":
        return _months_on(shift, said_on)
    return str(said_on.year + shift) if span == "year" else f"the {span} {_SIDE[shift]} {day_name(said_on)}"


def day_name(day: date) -> str:
    """A day in words: "7 May 2023"."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _ago(count: str, unit: str, said_on: date) -> str:
    number = int(count) if count.isdigit() else NUMBERS.index(count) + 1 if count in NUMBERS else 1
    some = count.startswith("a couple") or count == "a few"
    if not some and number < said_on.year:
        if unit == "year":
            return str(said_on.year - number)
        if unit == "month":
            return _months_on(-number, said_on)
        if unit == "day":
            return day_name(said_on - timedelta(number))
    return f"{count} {unit}{'s' * (number != 1 or some)} before {day_name(said_on)}"


def _months_on(months: int, said_on: date) -> str:
    year, month = divmod(said_on.year * 12 + said_on.month - 1 + months, 12)
    return f"{MONTHS[month]} {year}"
