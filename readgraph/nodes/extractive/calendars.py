"""How languages name the months and order a date: from the Unicode CLDR, by way of Babel.

`months.txt` has a line for each language: its ISO 639-1 code, the order of its numeric dates, the words that it puts
between the parts of a date, then for each month the names and, behind a semicolon, the short ones.
`tests/nodes/test_calendars.py` compares it with Babel, and writes it anew. Babel itself takes 33 MB, so it is no
dependency. The data has Unicode's licence (`LICENSE.unicode`).
"""

from functools import cache
from importlib.resources import files
from typing import NamedTuple
from unicodedata import normalize

ENGLISH = "en"


class Calendar(NamedTuple):
    """A language's names of the months with their numbers, its short ones, its order, and words inside of dates."""

    order: str
    between: tuple[str, ...]
    names: dict[str, int]
    short_names: dict[str, int]


@cache
def calendars() -> dict[str, Calendar]:
    """The calendar of each language, by its ISO 639-1 code."""
    text = files("readgraph.nodes.extractive").joinpath("months.txt").read_text(encoding="utf-8")
    return {line.partition("|")[0]: _calendar(line) for line in text.splitlines()}


def spelled(name: str) -> str:
    """A month's name as it stands in `months.txt`."""
    return normalize("NFC", name).casefold().rstrip(".").strip()


@cache
def month_names(language: str) -> dict[str, int]:
    """The names of the months in a language, short ones too, and in English.

    Without a language, the whole names of all languages; one that means two months ("listopad") is left out.
    """
    english = calendars()[ENGLISH]
    own = {**english.short_names, **english.names}
    if language:
        known = calendars().get(language, english)
        return {**own, **known.short_names, **known.names}
    numbers = dict[str, set[int]]()
    for calendar in calendars().values():
        for name, number in calendar.names.items():
            numbers.setdefault(name, set()).add(number)
    return {**{name: month.pop() for name, month in numbers.items() if len(month) == 1}, **own}


def order_of(language: str) -> str:
    """In which order a language writes day and month of a numeric date: "dmy" or "mdy"; "" without a language."""
    calendar = calendars().get(language)
    return "" if calendar is None else "mdy" if calendar.order == "mdy" else "dmy"


def _calendar(line: str) -> Calendar:
    _, order, between, *months = line.split("|")
    whole, short = dict[str, int](), dict[str, int]()
    for number, names in enumerate(months, 1):
        long_names, _, short_names = names.partition(";")
        whole.update(dict.fromkeys(filter(None, long_names.split(",")), number))
        short.update(dict.fromkeys(filter(None, short_names.split(",")), number))
    return Calendar(order, tuple(filter(None, between.split(","))), whole, short)
