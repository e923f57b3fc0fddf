"""Sizes are counted in words; every cut by words falls where the count says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readgraph.state.words import LONGEST_WORD, count_words, cut_evenly, end_after_words, first_words, format_count

PIECES = ["a", "lamp", "Zoë", "字", "かな", "ｶ", "한국어", "x" * 39, "x" * 41, "y" * 95, "1,873", "😀", "\0", "—", "。"]
GAPS = [" ", "\n", "\r\n", "\t", "\f", "\u00a0", "\u2028", "\u3000", "  \n  "]

texts = st.one_of(st.lists(st.sampled_from(PIECES + GAPS), max_size=40).map("".join), st.text(max_size=200))
gaps = st.sampled_from(GAPS)
quick = settings(deadline=None, max_examples=100)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        (" \n\t\f\u3000", 0),
        ("one", 1),
        ("  two  words\r\n", 2),
        ("it's a well-known, 3.5-fold rise", 5),
        ("no\u00a0break", 2),
        ("字", 1),
        ("我读书", 3),
        ("カタカナ", 4),
        ("ｶﾅ", 2),
        ("안녕 하세요", 2),
        ("the 字 stands", 3),
        ("the字stands", 3),
        ("\U00020000\U0002a6d6", 2),
        ("😀😀 😀", 2),
        ("a\0b", 1),
        ("x" * LONGEST_WORD, 1),
        ("x" * (LONGEST_WORD + 1), 2),
        ("é" * (LONGEST_WORD + 1), 2),
        ("x" * 100_000, 2_500),
        (f"{'x' * 41} {'x' * 41}", 4),
        (f"{'x' * 30}字{'x' * 30}", 3),
    ],
)
def test_words_of_known_texts(text: str, words: int) -> None:
    assert count_words(text) == words


@quick
@given(
    st.lists(st.sampled_from(["a", "é", "字", "x" * 39, "ß" * 40, "x" * 81, " ", "\n", "\x1f", "\u3000"])).map("".join)
)
def test_the_count_is_that_of_a_walk_through_the_characters(text: str) -> None:
    words, run = 0, 0
    for character in text:
        words += character == "字" or (not character.isspace() and run % LONGEST_WORD == 0)
        run = 0 if character == "字" or character.isspace() else run + 1
    assert count_words(text) == words


@quick
@given(texts, gaps, texts)
def test_counts_add_up_where_white_space_parts_two_texts(first: str, gap: str, second: str) -> None:
    assert count_words(first + gap + second) == count_words(first) + count_words(second)


@quick
@given(texts, gaps)
def test_white_space_around_a_text_counts_nothing(text: str, gap: str) -> None:
    assert count_words(gap + text + gap) == count_words(text)


@quick
@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=200))
def test_plain_ascii_counts_as_it_does_beside_other_letters(text: str) -> None:
    assert count_words(f"{text} é") == count_words(f"{text} 字") == count_words(text) + 1


@quick
@given(st.lists(st.sampled_from(["a", "lamp", "it's", "x" * 40]), max_size=30), gaps)
def test_ordinary_words_are_the_runs_between_white_space(words: list[str], gap: str) -> None:
    assert count_words(gap.join(words)) == len(words)


@quick
@given(texts, st.integers(1, 60))
def test_the_end_after_words_parts_the_count(text: str, words: int) -> None:
    total = count_words(text)
    end = end_after_words(text, 0, words)
    assert count_words(text[:end]) == min(words, total)
    assert count_words(text[end:]) == max(total - words, 0)


@quick
@given(texts, st.data(), st.integers(1, 20))
def test_the_end_is_counted_from_the_start_given(text: str, data: st.DataObject, words: int) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = end_after_words(text, start, words)
    assert start <= end <= len(text)
    assert end == start + end_after_words(text[start:], 0, words)


@quick
@given(texts, st.integers(1, 30))
def test_steps_of_words_reach_the_end_of_the_text(text: str, words: int) -> None:
    ends, total = [0], count_words(text)
    while ends[-1] < len(text):
        ends.append(end_after_words(text, ends[-1], words))
        assert ends[-1] > ends[-2]
    assert len(ends) - 1 <= total // words + 1


@quick
@given(texts, st.integers(-2, 60))
def test_first_words_are_the_text_up_to_their_end(text: str, words: int) -> None:
    first = first_words(text, words)
    assert text.startswith(first)
    assert count_words(first) == min(max(words, 0), count_words(text))
    assert first == (text[: end_after_words(text, 0, words)] if words > 0 else "")


def test_where_there_are_fewer_words_the_end_is_the_end_of_the_text() -> None:
    assert end_after_words("two words \n", 0, 3) == len("two words \n")
    assert end_after_words("", 0, 1) == 0
    assert first_words("two words \n", 3) == "two words \n"


def test_a_number_of_things_for_a_person() -> None:
    told = [format_count(1, "page"), format_count(0, "page"), format_count(2_000, "memory")]
    assert told == ["1 page", "0 pages", "2,000 memories"]


@pytest.mark.parametrize(
    ("words", "stretches", "parts"),
    [([5, 5, 5, 5], 2, [[0, 1], [2, 3]]), ([20, 1, 1], 4, [[0], [1, 2]]), ([0, 0], 3, [[0, 1]]), ([], 3, [])],
)
def test_texts_are_cut_evenly(words: list[int], stretches: int, parts: list[list[int]]) -> None:
    assert cut_evenly(words, stretches) == parts
