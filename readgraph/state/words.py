"""Sizes are counted in words, as the papers do; a variable of the environment sets how many a text may have."""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, islice
from typing import TypeVar

from readgraph.state.errors import BadInput

LONGEST_WORD = 40  # a run of characters without a space counts as one word for every 40 characters
SPLIT_AT_ONCE = 100_000  # characters; longer texts are counted line by line: a list of words is many times as large
_SHAPES, _LONG_RUN = bytes(32 if chr(code).isspace() else 120 for code in range(256)), b"x" * (LONGEST_WORD + 1)
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_LINE = re.compile(r"[^\n]+")
_ANY_CJK = re.compile(f"[{_CJK}]")
_WORD = rf"[{_CJK}]|[^\s{_CJK}]{{1,{LONGEST_WORD}}}+"
_UNIT = re.compile(_WORD)
AT_ONCE = 50
_MANY = re.compile(rf"(?:\s*+(?:{_WORD})){{{AT_ONCE}}}+")  # as many words, found in a third of the time


def count_words(text: str) -> int:
    """The number of words: runs between white space. Each CJK character is a word; very long runs count as several."""
    if len(text) <= SPLIT_AT_ONCE and text.isascii():  # in a third of the time of a list of the words
        shape = b" " + text.encode().translate(_SHAPES)
        if _LONG_RUN not in shape:
            return shape.count(b" x")
    if len(text) <= SPLIT_AT_ONCE and (text.isascii() or not _ANY_CJK.search(text)):
        runs = text.split()
        if len(text) <= LONGEST_WORD or max(sizes := [*map(len, runs)], default=0) <= LONGEST_WORD:
            return len(runs)
        return len(runs) + sum([(size - 1) // LONGEST_WORD for size in sizes if size > LONGEST_WORD])
    if "\n" in text:
        return sum(count_words(line[0]) for line in _LINE.finditer(text))
    return sum(1 for _ in _UNIT.finditer(text))


def end_after_words(text: str, start: int, words: int) -> int:
    """The offset after the first `words` words from `start` on (the text's end if there are fewer)."""
    if words <= 0:
        return start
    while words > AT_ONCE and (many := _MANY.match(text, start)):
        start, words = many.end(), words - AT_ONCE
    last = next(islice(_UNIT.finditer(text, start), words - 1, None), None)
    return last.end() if last else len(text)


def first_words(text: str, words: int) -> str:
    """The first `words` words of a text, unchanged."""
    return text[: end_after_words(text, 0, words)]


def words_from(text: str, first: int, words: int) -> str:
    """So many words of a text, unchanged, from the one with this number on, counted from 0."""
    start = end_after_words(text, 0, first)
    return text[start : end_after_words(text, start, words)].strip()


def last_words(text: str, words: int) -> str:
    """The last `words` words of a text, with the white space before them."""
    return text[end_after_words(text, 0, count_words(text) - words) :]


T = TypeVar("T")


def take_fitting(items: Iterable[T], size: Callable[[T], int], room: int, *, skips: bool = False) -> list[T]:
    """The items in this order, as long as they fit these words; `skips`: after one that doesn't, others may."""
    kept = list[T]()
    for item in items:
        if (words := size(item)) <= room:
            kept.append(item)
            room -= words
        elif not skips:
            break
    return kept


def cut_evenly(words: Sequence[int], stretches: int) -> list[list[int]]:
    """The numbers of texts with so many words each, in at most so many stretches of much the same length."""
    parts, total, before = [list[int]() for _ in range(stretches)], sum(words), 0
    for number, own in enumerate(words):
        parts[min(before * stretches // max(total, 1), stretches - 1)].append(number)
        before += own
    return [part for part in parts if part]


def format_count(number: int, thing: str) -> str:
    """A count with its noun: "1 page", "1,200 pages", "2 histories"."""
    plural = f"{thing[:-1]}ies" if thing.endswith("y") else f"{thing}s"
    return f"{number:,} {thing if number == 1 else plural}"


def with_numbers(thing: str, numbers: Sequence[int | str]) -> str:
    """A noun with the numbers of what it stands for: "part 3", "parts 3, 5"; "no part" without any."""
    if not numbers:
        return f"no {thing}"
    return f"{thing}{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def with_ranges(thing: str, numbers: Sequence[int]) -> str:
    """As `with_numbers`, with three or more ascending numbers that follow each other as one: "parts 0, 2–31"."""
    runs = [[number for _, number in run] for _, run in groupby(enumerate(numbers), lambda item: item[1] - item[0])]
    shown = [f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return f"{thing}s {', '.join(shown)}" if len(numbers) > 1 else with_numbers(thing, numbers)


TEXT_WORDS, MOST_WORDS = "READGRAPH_MAX_TEXT_WORDS", 20_000_000  # the variable, and the most words of a text without it


def limit_set(variable: str, usual: int, unit: str) -> int:
    """The number in a variable of the environment, else the usual one; raises `BadInput` for what is none."""
    setting = os.environ.get(variable) or str(usual)
    try:
        most = int(setting)
    except ValueError:
        most = 0
    if most < 1:
        raise BadInput(f"{variable} can't be '{setting}': it must be a number of {unit}, such as {usual}.")
    return most


def check_words(words: int, name: str) -> None:
    """Raise `BadInput` for a text with more words than may be stored."""
    if words > (most := limit_set(TEXT_WORDS, MOST_WORDS, "words")):
        raise BadInput(
            f"{name} has {words:,} words, more than {most:,}: split it, or set {TEXT_WORDS} to a larger number."
        )


def on_one_line(text: str) -> str:
    """The text with a single space for all white space between words."""
    return " ".join(text.split())
