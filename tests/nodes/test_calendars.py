"""The names of the months are those of the Unicode CLDR (`READGRAPH_RENEW_SNAPSHOTS=1` writes them anew)."""

import os
import re
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest

import readgraph
from readgraph.nodes.extractive.dates import calendars, month_names, order_of

FILE = Path(readgraph.__path__[0]) / "nodes" / "extractive" / "months.txt"
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


@pytest.mark.slow
def test_they_are_those_of_babel() -> None:
    pytest.importorskip("babel")
    made = [line(code) for code in calendars()]
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
