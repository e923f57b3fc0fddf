"""A source as text, with the places of its parts in the source."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from readgraph.sources.places import Place


@dataclass(frozen=True, slots=True)
class SourceText:
    """One source as text. `source` is an absolute path, an address, or "-" for standard input.

    `problems` says, in a line each, which parts of the source could not be converted. `digest` is the hash of a
    converted file's bytes, "" where nothing had to be converted; `seconds` is how long that took.
    """

    title: str
    text: str
    source: str
    places: tuple[Place, ...]
    problems: tuple[str, ...] = ()
    digest: str = ""
    seconds: float = 0.0


class Converted(NamedTuple):
    """The result of a converter; the title is "" if the file names none."""

    text: str
    places: tuple[Place, ...]
    title: str = ""
    problems: tuple[str, ...] = ()


Converter = Callable[[bytes, str], Converted]
"""Converts a file's bytes to text; the second argument is the file's name in messages. Raises `BadInput`."""
