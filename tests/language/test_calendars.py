"""The names of the months are those of the Unicode CLDR (`READGRAPH_RENEW_SNAPSHOTS=1` writes them anew)."""

import os
import re
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest

import readgraph
from readgraph.language.calendars import calendars, month_names
from readgraph.language.dates import order_of

FILE = Path(readgraph.__path__[0]) / "language" / "months.txt"
MORE = {"en": "en_GB", "de": "de_AT", "ar": "ar_LB"}
"""Regions that have other names of months."""


def line(code: str) -> str:
    """A language's line of the file."""
    from babel import Locale, localedata  # type: ignore[import-not-found,import-untyped,unused-ignore]
    from babel.dates import get_date_format, get_month_names  # type: ignore[import-not-found,unused-ignore]

    localedata._cache.clear()  # Babel mixes up languages that are loaded one after the other
    locales = [Locale.parse("fil" if code == "tl" else code), *map(Locale.parse, filter(None, [MORE.get(code)]))]

    def forms(month: int, width: Literal["wide", "abbreviated"]) -> list[str]:
        names = [get_month_names(width, form, each)[month] for each in locales for form in ("format", "stand-alone")]
        return [normalize("NFC", name).casefold().rstrip(".").strip() for name in names]

    months = []
    for month in range(1, 13):
        whole = dict.fromkeys(forms(month, "wide"))
        short = [each for each in dict.fromkeys(forms(month, "abbreviated")) if each not in whole]
        months.append(",".join(whole) + (f";{','.join(short)}" if short else ""))
    numeric = re.sub("'[^']*'", "", get_date_format("short", locales[0]).pattern).lower().replace("l", "m")
    words = re.sub("'([^']*)'|[GyMdL]+", lambda found: found[1] or " ", get_date_format("long", locales[0]).pattern)
    between = sorted({word.casefold() for word in re.findall(r"[^\W\d_]+", words)})
    return "|".join([code, "".join(dict.fromkeys(re.sub("[^dmy]", "", numeric))), ",".join(between), *months])


def merge(kept: str, newer: str) -> str:
    """A language's line with the names that it has, then a newer version's others."""
    *head, names = kept.split("|", 3)
    months = []
    for old, new in zip(names.split("|"), newer.split("|")[3:], strict=True):
        (whole, _, short), (more, _, more_short) = old.partition(";"), new.partition(";")
        known = dict.fromkeys(filter(None, [*whole.split(","), *more.split(",")]))
        known_short = [name for name in dict.fromkeys([*short.split(","), *more_short.split(",")]) if name not in known]
        months.append(",".join(known) + (f";{','.join(filter(None, known_short))}" if any(known_short) else ""))
    return "|".join([*head, *months])


@pytest.mark.slow
def test_the_names_of_babel_are_known() -> None:
    """Names that a newer CLDR leaves out stay, since texts have them."""
    pytest.importorskip("babel")
    kept = FILE.read_text(encoding="utf-8").splitlines()
    newer = [line(code) for code in calendars()]
    made = [old if "|m01|" in new else merge(old, new) for old, new in zip(kept, newer, strict=True)]
    if os.environ.get("READGRAPH_RENEW_SNAPSHOTS"):
        FILE.write_text("\n".join(made) + "\n", encoding="utf-8")
    assert FILE.read_text(encoding="utf-8").splitlines() == made


def test_each_language_has_twelve_months_and_an_order() -> None:
    assert len(calendars()) > 90 and order_of("") == ""
    for code, calendar in calendars().items():
        assert {*calendar.names.values()} == {*range(1, 13)}, code
        assert sorted(calendar.order) == ["d", "m", "y"] and order_of(code) in ("dmy", "mdy"), code


def test_a_name_of_two_months_is_understood_in_its_language_alone() -> None:
    assert (month_names("hr")["listopada"], month_names("pl")["listopada"]) == (10, 11)
    assert "listopada" not in month_names("") and month_names("")["février"] == 2
