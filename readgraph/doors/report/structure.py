"""Headings and tables in the text of a page, in the forms in which conversion keeps them: where they stand.

A report draws them from these spans, and every character of the text stays where it is. Offsets count code points, from
the beginning of the page. Forms of rows: Markdown, `| a | b |` over a line of dashes; web pages, Word and the like,
`a | b` on lines that follow each other; PDF, the same for the names of the columns, then `name: value; name: value`;
CSV, `name: value | name: value`, each row a paragraph.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Literal, NamedTuple

from typing_extensions import TypedDict

Cell = tuple[int, int, int]
Rows = list[list[Cell | None]]
MOST_ROWS = 500  # a longer table is drawn as several
MOST_COLUMNS = 50  # rows with more columns than this are no table to look at
_DASHES = re.compile(r"\s*+\|?+\s*+:?+-++:?+\s*+(?:\|\s*+:?+-++:?+\s*+)*+\|?+\s*+")
_PIPE = re.compile(r"(?<!\\)\|")
_BAR = re.compile(r"(?:^|(?<=\s))\|(?=\s|$)")
_SEMICOLON = re.compile(r";(?=\s)")
_NAMED = re.compile(r"\s*([^\s:;|][^:;|]{0,79}):\s+(?=\S)")


class TextLine(NamedTuple):
    """A line that isn't empty: the offset where it begins, and its text without the white space at its end."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """The offset after the text."""
        return self.start + len(self.text)


class FoundRows(NamedTuple):
    """Rows, the number of lines that they take, and whether the first one names the columns."""

    rows: Rows
    lines: int
    head: bool


def rows_at(text: str, lines: Sequence[TextLine], first: int) -> FoundRows | None:
    """The rows that begin with this line; None where it isn't the first of two rows at least."""
    line = lines[first].text
    if first + 1 == len(lines) or not ("|" in line or "; " in line):
        return None
    if "|" not in line:
        return _rows_with_names(_run(text, lines, first, 1), _SEMICOLON, [])
    following = [*islice(_run(text, lines, first, 1), 2)]
    if len(following) < 2:
        return _rows_with_names(_run(text, lines, first, 2), _BAR, [])
    if "|" in following[1].text and _DASHES.fullmatch(following[1].text):
        return _markdown(_run(text, lines, first, 1))
    return _rows_under_header(_run(text, lines, first, 1)) or _plain(_run(text, lines, first, 1))


def _run(text: str, lines: Sequence[TextLine], first: int, apart: int) -> Iterator[TextLine]:
    """The lines from this one on that are parted by this many line ends."""
    yield lines[first]
    for before, line in pairwise(lines[first : first + MOST_ROWS]):
        if text.count("\n", before.end, line.start) != apart or not ("|" in line.text or ": " in line.text):
            return
        yield line


def _cells(line: TextLine, parting: re.Pattern[str]) -> list[Cell]:
    """The cells between these signs, without the white space around them."""
    edges = [(0, 0), *(sign.span() for sign in parting.finditer(line.text)), (len(line.text), len(line.text))]
    cells = []
    for (_, begin), (end, _) in pairwise(edges):
        cell = line.text[begin:end]
        start = line.start + begin + len(cell) - len(cell.lstrip())
        cells.append((start, start, max(start, line.start + begin + len(cell.rstrip()))))
    return cells


def _markdown(lines: Iterable[TextLine]) -> FoundRows:
    rows = Rows()
    taken = 0
    for number, line in enumerate(lines):
        if "|" not in line.text:
            break
        taken += 1
        if number != 1:
            signs = _cells(line, _PIPE)
            begin, end = line.text.lstrip().startswith("|"), line.text.endswith("|") and not line.text.endswith("\\|")
            rows.append([*signs[begin : len(signs) - end]])
    columns = len(rows[0])
    return FoundRows([[*row[:columns]] for row in rows], taken, head=True)


def _plain(lines: Iterable[TextLine]) -> FoundRows | None:
    rows = Rows()
    for line in lines:
        cells = _cells(line, _BAR)
        if len(cells) < 2 or not line.text.strip(" |") or (rows and len(cells) != len(rows[0])):
            break
        rows.append([*cells])
    return FoundRows(rows, len(rows), head=False) if len(rows) > 1 else None


def _rows_under_header(lines: Iterator[TextLine]) -> FoundRows | None:
    first = next(lines)
    head = _cells(first, _BAR)
    names = [first.text[begin - first.start : end - first.start] for begin, _, end in head]
    found_rows = _rows_with_names(lines, _SEMICOLON, names, least=1)
    return FoundRows([[*head], *found_rows.rows], found_rows.lines + 1, head=True) if found_rows else None


def _rows_with_names(
    lines: Iterable[TextLine], parting: re.Pattern[str], names: Sequence[str], least: int = 2
) -> FoundRows | None:
    """Rows of cells with names: those of a header, or any that the rows share, in the order in which they come."""
    columns = list(names)
    found = list[dict[str, Cell]]()
    for line in lines:
        cells = _cells_by_name(line, parting, names)
        if not cells or (found and not names and not {*cells} & {*columns}):
            break
        known = [*columns, *(name for name in cells if name not in columns)]
        places = [known.index(name) for name in cells]
        if len(known) > MOST_COLUMNS or places != sorted(places):
            break
        columns = known
        found.append(cells)
    if len(found) < least or len(columns) < 2:
        return None
    return FoundRows([[row.get(name) for name in columns] for row in found], len(found), head=False)


def _cells_by_name(line: TextLine, parting: re.Pattern[str], names: Sequence[str]) -> dict[str, Cell]:
    """The cells of a row by their columns' names, empty where it has none; what has no name goes on with the last."""
    cells = dict[str, Cell]()
    last = ""
    for start, _, end in _cells(line, parting):
        named = _NAMED.match(line.text, start - line.start, end - line.start)
        name = named[1] if named else ""
        if named and name not in cells and (not names or name in names):
            cells[name], last = (start, line.start + named.end(), end), name
        elif not cells and (not names or "" in names):
            cells[""] = (start, start, end)
        elif cells and (names or last):
            begin, value, _ = cells[last]
            cells[last] = (begin, value, end)
        else:
            return {}
    return cells if {*cells} != {""} and (names or len(cells) > 1 or parting is _BAR) else {}


DEEPEST = 6  # the deepest level of headings
_LINE = re.compile(r"[^\n]+")
_PLACE = re.compile(r"§ (.*?)(?:, PDF page \d+.*)?|chapter '(.*)'", re.DOTALL)
_HASHES = re.compile(r" {0,3}#{1,6}[ \t]+")
_END = re.compile(r"(?<![ \t])[ \t]++#+[ \t]*$")
_UNDERLINE = re.compile(r"\r?\n {0,3}(?:=+|-+)[ \t]*(?=\r?\n|$)")
_FOLDED = re.compile(r"[\W_]+")


class HeadingBlock(TypedDict):
    """A heading in `[start, end)`, its level from 1, and its words `[start, end)` without the signs of its notation."""

    kind: Literal["heading"]
    start: int
    end: int
    level: int
    words: tuple[int, int]


class TableBlock(TypedDict):
    """Rows of cells `(start, start of value, end)` or None, in `[start, end)`; `head`: the first names the columns."""

    kind: Literal["table"]
    start: int
    end: int
    head: bool
    rows: Rows


def heading_lines(places: Sequence[tuple[int, str]]) -> dict[int, str]:
    """The places of a source that may begin with a heading, by their offsets: the headings above, highest first."""
    return {start: match[1] or match[2] for start, place in places if (match := _PLACE.fullmatch(place))}


def structure_of(text: str, start: int, headings: Mapping[int, str]) -> list[HeadingBlock | TableBlock]:
    """The headings and tables of a page that begins at `start` of its document, with the empty lines around them."""
    blocks = list[HeadingBlock | TableBlock]()
    before = 0
    for block in _find_blocks(text, start, headings):
        while block["start"] > before and text[block["start"] - 1] == "\n":
            block["start"] -= 1
        while block["end"] < len(text) and text[block["end"]] in "\r\n":
            block["end"] += 1
        before = block["end"]
        blocks.append(block)
    return blocks


def _find_blocks(text: str, start: int, headings: Mapping[int, str]) -> Iterator[HeadingBlock | TableBlock]:
    lines = [TextLine(line.start(), line[0].rstrip()) for line in _LINE.finditer(text) if not line[0].isspace()]
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


def _heading(text: str, line: TextLine, path: str) -> HeadingBlock | None:
    """The heading that a line is, if it has the title with which its place ends."""
    titles = path.split(" > ")
    signs = _HASHES.match(line.text)
    begin = signs.end() if signs else 0
    closing = _END.search(line.text, begin) if signs else None
    words = line.text[begin : closing.start() if closing else None]
    folded, title = _fold_title(words), _fold_title(titles[-1])
    # A long title was cut short, and a number may stand before it.
    is_part = len(folded) < 2 * len(title) + 8 and (folded.endswith(f" {title}") or folded.startswith(title))
    if not folded or not title or not (folded == title or is_part):
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


def _fold_title(text: str) -> str:
    return _FOLDED.sub(" ", text).strip().casefold()
