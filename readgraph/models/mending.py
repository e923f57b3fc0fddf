"""JSON that a model wrote with slips is mended, within a bounded number of steps.

`json_repair` looks ahead from each place where it must guess, so a text of `{` or of style sheets takes it a time that
grows with the square of the length, and more. Its every step looks at a place of the text, so the text counts.
"""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, SupportsIndex

from json_repair import repair_json

MOST_BRACES = 32
"""Places in a part of a reply that are tried as the beginning of its JSON."""

LOOKS_A_CHARACTER = 64
"""Looks at the text for each of its characters: what models write takes 1 to 3, with quotes of the wrong kind 18."""

FEWEST_LOOKS, MOST_LOOKS = 4_000, 200_000
"""Looks that any text may take, and that none may exceed; each takes one to three microseconds."""


def objects_mended(parts: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects that parts of a reply can be mended to, each with its place, in the order in which they are tried.

    Of the looks that are left each beginning gets half, so that a hopeless one leaves some to the next.
    """
    looks = min(FEWEST_LOOKS + LOOKS_A_CHARACTER * len(parts[0]), MOST_LOOKS)
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
    """What stands in a text, as JSON has it; nothing where that can't be seen."""
    try:
        left.take(len(text) // 8)  # for what goes through the text without looking at single places
        return json.loads(repair_json(_Watched(text, left)))
    except Exception:
        return None


class _TooMuch(Exception):
    """The looks are used up."""


class _Left:
    """How many looks are left."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def take(self, looks: int) -> None:
        """Count looks; raises `_TooMuch` where no more are left."""
        self.looks -= looks
        if self.looks < 0:
            raise _TooMuch


class _Watched(str):
    """A text that counts how often somebody looks at a place of it, also in what is made from it."""

    left: _Left

    def __new__(cls, text: str, left: _Left) -> "_Watched":
        made = super().__new__(cls, text)
        made.left = left
        return made

    def __getitem__(self, place: SupportsIndex | slice) -> str:
        found = super().__getitem__(place)
        self.left.take(1 + len(found) // 64)
        return _Watched(found, self.left) if isinstance(place, slice) else found

    def __add__(self, more: str) -> str:
        return _Watched(super().__add__(more), self.left)
