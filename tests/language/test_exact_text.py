"""Exact text: found as it is written, with `*` for anything, and no pattern takes long."""

import re
from fnmatch import translate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph.language.exact_text import LONGEST_MATCH, ExactText, fold_case
from readgraph.state.errors import BadInput
from readgraph.state.words import on_one_line


def matched(pattern: str, text: str) -> list[str]:
    line = on_one_line(text)
    return [line[start:end] for start, end in ExactText(pattern).spans(line)]


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("the lamp", "The\n  LAMP. the lamps", ["The LAMP", "the lamp"]),
        ('it\'s "on"', "It’s “on”, IT'S «on»", ["It’s “on”", "IT'S «on»"]),
        ("20-B", "20\u2011b, 20–B, 20B", ["20\u2011b", "20–B"]),
        ("a*c", "a b c, abc", ["a b c", "abc"]),
        ("xa*aa", "xaaa", ["xaaa"]),
        ("*goat*", "A goat.", ["goat"]),
        ("aa", "aaaa", ["aa", "aa"]),
        ("İ", "İstanbul", ["İ"]),
        ("[a-z]+$", "abc", []),
        ("a*z", "a" + "-" * LONGEST_MATCH + "a z", ["a z"]),
        ("a*z", "a" + "-" * LONGEST_MATCH + "z", []),
        ("短い*本", "これは短い 一冊の本だ", ["短い 一冊の本"]),
    ],
)
def test_what_is_found(pattern: str, text: str, found: list[str]) -> None:
    assert matched(pattern, text) == found


@pytest.mark.parametrize("pattern", ["", "  ", "*", " * ** ", "x" * 301, "*".join("abcdefghijk")])
def test_a_pattern_without_text_or_out_of_bounds_is_refused(pattern: str) -> None:
    with pytest.raises(BadInput):
        ExactText(pattern)


small = st.text("ab *", min_size=1, max_size=8)


@given(small.filter(lambda pattern: pattern.replace("*", " ").strip()), st.text("ab ", max_size=30))
def test_it_finds_what_a_shell_s_pattern_finds(pattern: str, text: str) -> None:
    pieces = [on_one_line(piece) for piece in pattern.split("*")]
    wanted = re.compile(translate("*" + "*".join(pieces) + "*"))
    assert bool(matched(pattern, text)) == bool(wanted.match(on_one_line(text)))


@given(st.text(max_size=20))
def test_each_character_keeps_its_place(text: str) -> None:
    assert len(fold_case(text)) == len(text)


def test_no_pattern_takes_long() -> None:
    looked, text = 0, "a" * 200_000

    class Counted(str):
        def find(self, *given: object) -> int:
            nonlocal looked
            looked += 1
            return str.find(self, *given)  # type: ignore[arg-type]

    class Line(Counted):
        def translate(self, table: object) -> "Line":
            return self

        def lower(self) -> "Line":
            return self

    for pattern in ("a*b", "a*a*a*a*a*b", "a*" * 9 + "b", "ab*a"):
        assert not [*ExactText(pattern).spans(Line(text))]
    assert looked < 50, "a piece that does not come any more is not looked for again"
    assert [*ExactText("a*b").spans(Line(text + "b"))] == [(200_001 - LONGEST_MATCH, 200_001)]
    assert looked < 60
