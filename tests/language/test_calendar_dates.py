"""Dates are found in the words and orders of each language."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph.features.survey.values import date_value
from readgraph.language.dates import dates_in, find_ambiguous_date, order_in

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("language", "text"),
    [
        *[("en", "on 9 February 1921"), ("en", "February 9th, 1921"), ("en", "the 9th of Feb. 1921")],
        *[("de", "am 9. Februar 1921"), ("fr", "le 9 février 1921"), ("es", "el 9 de febrero de 1921")],
        *[("it", "il 9 febbraio 1921"), ("pt", "em 9 de fevereiro de 1921"), ("nl", "op 9 februari 1921")],
        *[("ru", "9 февраля 1921 г."), ("pl", "9 lutego 1921"), ("cs", "9. února 1921"), ("sv", "den 9 februari 1921")],
        *[("hu", "1921. február 9-én"), ("lt", "1921 m. vasario 9 d."), ("lv", "1921. gada 9. februāris")],
        *[("ja", "彼は1921年2月9日に払った"), ("zh", "于1921年2月9日付款"), ("ko", "1921년 2월 9일에")],
        *[("ar", "في 9 فبراير 1921"), ("he", "ב-9 בפברואר 1921"), ("hi", "9 फ़रवरी 1921"), ("tr", "9 Şubat 1921")],
        *[("vi", "ngày 9 tháng 2 năm 1921"), ("fi", "9. helmikuuta 1921"), ("th", "9 กุมภาพันธ์ 1921")],
        *[
            ("en", "02/09/1921"),
            ("de", "09/02/1921"),
            ("en", "9.2.1921"),
            ("en", "1921-02-09"),
            ("hu", "1921. 02. 09."),
        ],
    ],
)
def test_day_and_month_are_kept_in_each_language(language: str, text: str) -> None:
    assert [date.iso for date in dates_in(text, language)] == ["1921-02-09"]
    if "/" not in text and "Feb." not in text:
        assert date_value(text) == "1921-02-09", "also where the language isn't known"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It cost 1.921,50 or 12/1921 and 400; he may 3 times march 12 miles.", []),
        ("in Mai 1921, 1921–23 and the 1920s", ["1921-05", "1921", None]),
        ("31/02/1921 and 05/13/1921", ["1921-02", "1921-05-13"]),
        ("05/03/24", [None]),
        ("version 1.2.3, at 19:40, in room B-1921", []),
    ],
)
def test_what_is_no_date_or_a_part_of_one(text: str, found: list[str | None]) -> None:
    assert [date.iso for date in dates_in(text, "de")] == found


def test_the_order_of_numeric_dates_is_that_of_the_text_and_is_told() -> None:
    assert order_in("05/03/2024, 25/03/2024") == "dmy" and order_in("05/03/2024, 03/25/2024") == "mdy"
    assert order_in("05/03/2024") == ""
    assert date_value("05/03/2024") == "2024" and date_value("05/03/2024", "dmy") == "2024-03-05"
    assert find_ambiguous_date("on 05/03/2024", "2024-03-05") == ("05/03/2024", "day/month/year")
    assert find_ambiguous_date("on 05/03/2024", "2024-05-03") == ("05/03/2024", "month/day/year")
    assert find_ambiguous_date("on 25/03/2024", "2024-03-25") is None


@given(st.text(alphabet="0123456789 .,/-maysMYeéуf年月"), st.sampled_from(["", "en", "fr", "ja", "ru"]))
def test_dates_lie_in_the_text_one_behind_the_other(text: str, language: str) -> None:
    dates = dates_in(text, language)
    assert all(one.end <= other.start for one, other in pairwise(dates))
    assert all(0 <= date.start < date.end <= len(text) for date in dates)
