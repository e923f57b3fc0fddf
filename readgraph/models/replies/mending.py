"""Repair of JSON that a model wrote with mistakes, within a bounded number of steps.

`json_repair` looks ahead from each position where it must guess, so a text of `{` or of style sheets takes it time that
grows with the square of the length, or faster. Each of its steps accesses the text, so a text that counts accesses
bounds it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, SupportsIndex

from json_repair import repair_json

MOST_BRACES = 32
"""The most positions in a part of a reply that are tried as the beginning of its JSON."""

LOOKS_PER_CHARACTER = 64
"""Accesses ("looks") allowed per character: models' texts take 1 to 3, with quotes of the wrong kind 18."""

FEWEST_LOOKS, MOST_LOOKS = 4_000, 200_000
"""Looks that any text may take, and that no text may exceed; each takes one to three microseconds."""


def objects_mended(parts: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects that parts of a reply can be repaired to, with their positions, in the order of trying.

    Each position may use half of the remaining looks, so that a hopeless one leaves some for the next.
    """
    looks = min(FEWEST_LOOKS + LOOKS_PER_CHARACTER * len(parts[0]), MOST_LOOKS)
    for part in parts:
        for place in islice(re.finditer("{", part), MOST_BRACES):
            if looks < FEWEST_LOOKS // 100:
                return
            left = _Left(looks // 2)
            mended = _mended(part[place.start() :], left)
            looks -= looks // 2 - left.looks
            options = mended if isinstance(mended, list) else [mended]
            yield from ((place.start(), value) for value in reversed(options) if isinstance(value, dict) and value)


def _mended(text: str, left: "_Left") -> Any:
    """The repaired JSON value in a text; None if there is none."""
    try:
        left.take(len(text) // 8)  # for passes over the text that don't access single positions
        return json.loads(repair_json(_Watched(text, left)))
    except Exception:
        return None


class _TooMuch(Exception):
    """All looks are used up."""


class _Left:
    """The number of looks that are left."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def take(self, looks: int) -> None:
        """Count looks; raises `_TooMuch` if no more are left."""
        self.looks -= looks
        if self.looks < 0:
            raise _TooMuch


class _Watched(str):
    """A text that counts accesses to it and to its slices."""

    left: _Left

    def __new__(cls, text: str, left: _Left) -> "_Watched":
        watched = super().__new__(cls, text)
        watched.left = left
        return watched

    def __getitem__(self, place: SupportsIndex | slice) -> str:
        part = super().__getitem__(place)
        self.left.take(1 + len(part) // 64)
        return _Watched(part, self.left) if isinstance(place, slice) else part

    def __add__(self, more: str) -> str:
        return _Watched(super().__add__(more), self.left)
