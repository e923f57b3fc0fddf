"""What a source becomes: a text, and where its parts stand in the source."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from readgraph.sources.places import Place


@dataclass(frozen=True, slots=True)
class SourceText:
    """One source as text. `source` is an absolute path, or "-" for standard input."""

    title: str
    text: str
    source: str
    places: tuple[Place, ...]


class Converted(NamedTuple):
    """What a converter makes of a file's bytes; the title is empty where the file names none."""

    text: str
    places: tuple[Place, ...]
    title: str = ""


Converter = Callable[[bytes, str], Converted]
"""Makes text of a file's bytes; the second argument is the file's name in messages. Raises `BadInput`."""
