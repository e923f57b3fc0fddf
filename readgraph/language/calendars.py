"""Dates of documents, and the names of the months in 96 languages.

`months.txt` has a line for each language, from the Unicode CLDR by way of Babel (33 MB, so no dependency): its ISO
639-1 code, the order of its numeric dates, the words between the parts of a date, then for each month the names and,
behind a semicolon, the short ones. `tests/nodes/test_calendars.py` writes it anew. Its licence: `LICENSE.unicode`.
"""

import re
from contextlib import suppress
from datetime import UTC, date, datetime
from functools import cache
from importlib.resources import files
from typing import NamedTuple
from unicodedata import normalize

from readgraph.language.detection import DEFAULT as ENGLISH
from readgraph.state.errors import BadInput


class Calendar(NamedTuple):
    """A language's names of the months with their numbers, its short ones, its order, and words inside of dates."""

    order: str
    between: tuple[str, ...]
    names: dict[str, int]
    short_names: dict[str, int]


@cache
def calendars() -> dict[str, Calendar]:
    """The calendar of each language, by its ISO 639-1 code."""
    text = files(__package__).joinpath("months.txt").read_text(encoding="utf-8")
    by_language = dict[str, Calendar]()
    for line in text.splitlines():
        language, order, between, *months = line.split("|")
        whole, short = dict[str, int](), dict[str, int]()
        for number, names in enumerate(months, 1):
            long_names, _, short_names = names.partition(";")
            whole.update(dict.fromkeys(filter(None, long_names.split(",")), number))
            short.update(dict.fromkeys(filter(None, short_names.split(",")), number))
        by_language[language] = Calendar(order, tuple(filter(None, between.split(","))), whole, short)
    return by_language


def fold_month_name(name: str) -> str:
    """A month's name as it stands in `months.txt`."""
    return normalize("NFC", name).casefold().rstrip(".").strip()


@cache
def month_names(language: str) -> dict[str, int]:
    """The names of the months in a language and in English; without a language, whole names that mean one month."""
    english = calendars()[ENGLISH]
    own = {**english.short_names, **english.names}
    if language:
        own_calendar = calendars().get(language, english)
        return {**own, **own_calendar.short_names, **own_calendar.names}
    numbers = dict[str, set[int]]()
    for calendar in calendars().values():
        for name, number in calendar.names.items():
            numbers.setdefault(name, set()).add(number)
    return {**{name: month.pop() for name, month in numbers.items() if len(month) == 1}, **own}


_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?(?!\d|([./])\d\d?\1\d)", re.ASCII)
_WRITTEN_DATES = (  # "2024/04/12"; "12.04.2024", "12. April 2024", "12th of April, 2024"; "April 12, 2024"
    re.compile(r"(?P<year>\d{4})(?P<mark>[./])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)\b"),
    re.compile(
        r"(?P<day>\d\d?)\.?[a-zº]* ?(?:\w\w )?(?P<month>\d\d?(?=\.)|[^\W\d_]+)\W?\s?(?:\w\w )?(?P<year>\d{4})\b"
    ),
    re.compile(r"(?P<month>[^\W\d_]+)\.? (?P<day>\d\d?)\w{0,2},? (?P<year>\d{4})\b"),
)


def find_date(text: str) -> str:
    """The date with which a text of a file's own data begins, as YYYY-MM-DD, YYYY-MM or YYYY; "" where it is none."""
    text = text.strip()
    match = _DATE.match(text)
    with suppress(ValueError):
        if match:
            return match.group() if date.fromisoformat(f"{match.group()}-01-01"[:10]) else ""
        for parts in filter(None, (pattern.match(text) for pattern in _WRITTEN_DATES)):
            month = month_names("").get(fold_month_name(parts["month"]), parts["month"])
            return date(int(parts["year"]), int(month), int(parts["day"])).isoformat()
    return ""


def check_date(given: str, what: str = "The date") -> str:
    """A date as it is kept: YYYY-MM-DD, YYYY-MM or YYYY; raises `BadInput` for anything else."""
    if not isinstance(given, str) or not given or find_date(given) != given:
        raise BadInput(f"{what} '{given}' can't be read: write YYYY-MM-DD, such as 2024-03-01, or YYYY-MM, or YYYY.")
    return given


def at_local_time(time: datetime) -> datetime:
    """The time in the local zone; as it is, or in UTC, where the system knows no such time (Windows before 1970)."""
    try:
        return time.astimezone()
    except (ValueError, OverflowError, OSError):
        return time if time.tzinfo else time.replace(tzinfo=UTC)
