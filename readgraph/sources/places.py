"""Where the parts of a text stand in its source: page, chapter, heading, time or line."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

MOST_PLACES = 20_000
"""Places of one text; more are thinned evenly."""

LONGEST_TITLE = 80
"""Characters of a heading in a label."""

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Place:
    """From this character offset on, the text stands here in the source's own terms ("PDF page 12")."""

    start: int
    label: str


def place_at(places: Sequence[Place], offset: int) -> str | None:
    """The label of the place that holds a character offset; None before the first place."""
    number = bisect_right(places, offset, key=lambda place: place.start)
    return places[number - 1].label if number else None


def thinned(things: Sequence[Thing], most: int = MOST_PLACES) -> Sequence[Thing]:
    """At most so many of the things, the first among them, at even distances."""
    if len(things) <= most:
        return things
    return [things[number * len(things) // most] for number in range(most)]


def ordered(places: Iterable[Place]) -> tuple[Place, ...]:
    """Ascending and thinned; of places with one start the last is kept, which is the narrowest."""
    return tuple(thinned(sorted({place.start: place for place in places}.values(), key=lambda place: place.start)))


def on_one_line(title: str) -> str:
    """A title without line breaks, cut where it is long."""
    title = " ".join(title.split())
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1].rstrip() + "…"


class HeadingPath:
    """The headings above a point of a text, the widest first."""

    def __init__(self) -> None:
        self._titles: list[tuple[int, str]] = []

    def enter(self, level: int, title: str) -> str:
        """The label of the part that a heading of this level opens: "§ Installation > Linux"."""
        while self._titles and self._titles[-1][0] >= level:
            self._titles.pop()
        self._titles.append((level, on_one_line(title)))
        return "§ " + " > ".join(title for _, title in self._titles)
