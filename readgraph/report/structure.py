"""Headings and tables in the text of a page, in the forms in which conversion keeps them: where they stand.

A report draws them from these spans, and every character of the text stays where it is. Offsets count code points,
from the beginning of the page.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from typing_extensions import TypedDict

from readgraph.report.rows import Line, Rows, rows_at

DEEPEST = 6
"""The deepest level of headings."""

_LINE = re.compile(r"[^\n]+")
_PLACE = re.compile(r"§ (.*?)(?:, PDF page \d+.*)?|chapter '(.*)'", re.DOTALL)
_HASHES = re.compile(r" {0,3}#{1,6}[ \t]+")
_END = re.compile(r"(?<![ \t])[ \t]++#+[ \t]*$")
_UNDERLINE = re.compile(r"\r?\n {0,3}(?:=+|-+)[ \t]*(?=\r?\n|$)")
_FOLDED = re.compile(r"[\W_]+")


class Heading(TypedDict):
    """A heading in `[start, end)`, its level from 1, and its words `[start, end)` without the signs of its notation."""

    kind: Literal["heading"]
    start: int
    end: int
    level: int
    words: tuple[int, int]


class Table(TypedDict):
    """Rows in `[start, end)`. A cell is `(start, start of its value, end)`: before the value stands its column's name.

    None is an empty cell. With `head`, the first row names the columns.
    """

    kind: Literal["table"]
    start: int
    end: int
    head: bool
    rows: Rows


def heading_lines(places: Sequence[tuple[int, str]]) -> dict[int, str]:
    """The places of a source that may begin with a heading, by their offsets: the headings above, highest first."""
    return {start: found[1] or found[2] for start, place in places if (found := _PLACE.fullmatch(place))}


def structure_of(text: str, start: int, headings: Mapping[int, str]) -> list[Heading | Table]:
    """The headings and tables of a page that begins at `start` of its document, in their order.

    A heading stands where the source has one, a table where rows of a converted source, or of Markdown, follow each
    other. The empty lines around belong to them.
    """
    blocks = list[Heading | Table]()
    before = 0
    for block in _found(text, start, headings):
        while block["start"] > before and text[block["start"] - 1] == "\n":
            block["start"] -= 1
        while block["end"] < len(text) and text[block["end"]] in "\r\n":
            block["end"] += 1
        before = block["end"]
        blocks.append(block)
    return blocks


def _found(text: str, start: int, headings: Mapping[int, str]) -> Iterator[Heading | Table]:
    lines = [Line(line.start(), line[0].rstrip()) for line in _LINE.finditer(text) if not line[0].isspace()]
    number = 0
    while number < len(lines):
        line = lines[number]
        path = headings.get(start + line.start)
        if path is not None and (heading := _heading(text, line, path)):
            yield heading
            while number < len(lines) and lines[number].start < heading["end"]:
                number += 1
        elif rows := rows_at(text, lines, number):
            last = lines[number + rows.lines - 1]
            yield {"kind": "table", "start": line.start, "end": last.end, "head": rows.head, "rows": rows.rows}
            number += rows.lines
        else:
            number += 1


def _heading(text: str, line: Line, path: str) -> Heading | None:
    """The heading that a line is, if it has the title with which its place ends."""
    titles = path.split(" > ")
    signs = _HASHES.match(line.text)
    begin = signs.end() if signs else 0
    closing = _END.search(line.text, begin) if signs else None
    words = line.text[begin : closing.start() if closing else None]
    if not _is_title(_folded(words), _folded(titles[-1])):
        return None
    underline = _UNDERLINE.match(text, line.end)
    first = line.start + begin
    return {
        "kind": "heading",
        "start": line.start,
        "end": underline.end() if underline else line.end,
        "level": min(len(titles), DEEPEST),
        "words": (first, first + len(words)),
    }


def _is_title(line: str, title: str) -> bool:
    """Whether a line has the words of a title; a long title was cut short, and a number may stand before it."""
    if not line or not title:
        return False
    is_short = len(line) < 2 * len(title) + 8
    return line == title or (is_short and (line.endswith(f" {title}") or line.startswith(title)))


def _folded(text: str) -> str:
    return _FOLDED.sub(" ", text).strip().casefold()
