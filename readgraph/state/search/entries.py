"""What is indexed and what is found."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Part = Literal["page", "header", "memo"]

PARTS: tuple[Part, ...] = ("page", "header", "memo")


@dataclass(frozen=True, slots=True)
class Entry:
    """What can be found of a page: its text, the line that places it in its document, and its note."""

    page: int
    text: str
    header: str = ""
    memo: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found. `score` compares within one ranking only; `part` is where the query was nearest."""

    page: int
    score: float
    part: Part


class VectorKey(NamedTuple):
    """What a vector stands for: a part of a page, or a window of that part."""

    page: int
    part: Part


@dataclass(frozen=True, slots=True)
class Extent:
    """How far an index has come: the number of pages in it, and the last of them (-1: none)."""

    count: int
    last: int
