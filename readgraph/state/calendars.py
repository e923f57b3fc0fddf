"""The names of the months in 96 languages.

`months.txt` has a line for each language, from the Unicode CLDR by way of Babel (33 MB, so no dependency): its ISO
639-1 code, the order of its numeric dates, the words between the parts of a date, then for each month the names and,
behind a semicolon, the short ones. `tests/nodes/test_calendars.py` writes it anew. Its licence: `LICENSE.unicode`.
"""

from functools import cache
from importlib.resources import files
from typing import NamedTuple
from unicodedata import normalize

from readgraph.state.languages import DEFAULT as ENGLISH


class Calendar(NamedTuple):
    """A language's names of the months with their numbers, its short ones, its order, and words inside of dates."""

    order: str
    between: tuple[str, ...]
    names: dict[str, int]
    short_names: dict[str, int]


@cache
def calendars() -> dict[str, Calendar]:
    """The calendar of each language, by its ISO 639-1 code."""
    text = files("readgraph.state").joinpath("months.txt").read_text(encoding="utf-8")
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
