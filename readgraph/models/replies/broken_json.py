"""JSON of a reply that isn't whole or not valid: whether its text ends before its end, and what it can be repaired to.

`json_repair` looks ahead wherever it must guess, so a text of `{` or of style sheets takes it time that grows with the
square of the length, or faster. Each of its steps accesses the text: one that counts accesses bounds it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, SupportsIndex

MOST_TRIES = 32  # objects of a text that are tried as valid JSON
MOST_STARTS = 32  # the most positions in a text that are tried as the beginning of its JSON
LOOKS_PER_CHARACTER = 64  # accesses ("looks"): models' texts take 1 to 3, with quotes of the wrong kind 18
FEWEST_LOOKS, MOST_LOOKS = 4_000, 200_000  # that any text may take, and that none may exceed; each takes 1 to 3 µs
_TOKEN = re.compile(
    r"""
      "(?: [^"\\] | \\. | "(?!\s*(?:[,:}\]]|\Z)) )*+ (?P<shut>"?)
    | (?P<before>[{\[,:])\s*'(?: [^'\\] | \\. | '(?!\s*(?:[,:}\]]|\Z)) )*+ (?P<shut_too>'?)
    | (?P<open>[{\[]) | (?P<close>[}\]])
    """,
    re.VERBOSE | re.DOTALL,
)
_VALUE_END = re.compile(r"(?:[\"'”’}\]]|\b(?:true|false|null|none))\s*\Z", re.IGNORECASE)


def is_unclosed(text: str) -> bool:
    """Whether a text begins a JSON object and ends before its end."""
    return _depth_at_end(text) > 0


def ends_within_value(text: str) -> bool:
    """Whether a text ends within a value of its JSON, or before one: what is lacking is more than the last bracket."""
    text = text.rstrip(" \t\r\n`")
    depth = _depth_at_end(text)
    return depth > 1 or (depth == 1 and not _VALUE_END.search(text))


def _depth_at_end(text: str) -> int:
    """How many brackets are open at a text's end, and one more within a string; 0 where its JSON is whole."""
    start, tries = text.find("{"), 0
    while start >= 0:
        tries += 1
        if tries <= MOST_TRIES:  # an error takes time that grows with the length
            with suppress(ValueError, RecursionError):
                start = text.find("{", json.JSONDecoder(strict=False).raw_decode(text, start)[1])
                continue
        depth, end = _scan(text, start)
        if depth:
            return depth
        start = text.find("{", end)
    return 0


def _scan(text: str, start: int) -> tuple[int, int]:
    """The depth at the end of the object that begins at `start`, or of the text, and where that is."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += (token["open"] or token["before"] or "") in ("{", "[") and bool(token["open"] or token["before"])
        if token["shut"] == "" or token["shut_too"] == "":
            whole = text.endswith("}") and text.count("{", start) <= text.count("}", start)  # quotes were not escaped
            return (0 if whole else depth + 1), len(text)
        depth -= token["close"] is not None
        if depth <= 0:
            return 0, token.end()
    return depth, len(text)


def repair_objects(parts: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects that parts can be repaired to, with their positions; each try may use half of the looks left."""
    looks = min(FEWEST_LOOKS + LOOKS_PER_CHARACTER * len(parts[0]), MOST_LOOKS)
    for part in parts:
        for place in islice(re.finditer("{", part), MOST_STARTS):
            if looks < FEWEST_LOOKS // 100:
                return
            left = _LooksBudget(looks // 2)
            mended = _repair_value(part[place.start() :], left)
            looks -= looks // 2 - left.looks
            options = mended if isinstance(mended, list) else [mended]
            yield from ((place.start(), value) for value in reversed(options) if isinstance(value, dict) and value)


def _repair_value(text: str, left: "_LooksBudget") -> Any:
    from json_repair import repair_json  # only few replies need it

    try:
        left.take(len(text) // 8)  # for passes over the text that don't access single positions
        return json.loads(repair_json(_CountedText(text, left)))
    except Exception:
        return None


class _TooMuch(Exception):
    """All looks are used up."""


class _LooksBudget:
    def __init__(self, looks: int) -> None:
        self.looks = looks

    def take(self, looks: int) -> None:
        """Count looks; raises `_TooMuch` if no more are left."""
        self.looks -= looks
        if self.looks < 0:
            raise _TooMuch


class _CountedText(str):
    left: _LooksBudget

    def __new__(cls, text: str, left: _LooksBudget) -> "_CountedText":
        watched = super().__new__(cls, text)
        watched.left = left
        return watched

    def __getitem__(self, place: SupportsIndex | slice) -> str:
        part = super().__getitem__(place)
        self.left.take(1 + len(part) // 64)
        return _CountedText(part, self.left) if isinstance(place, slice) else part

    def __add__(self, more: str) -> str:
        return _CountedText(super().__add__(more), self.left)
