"""Rows of a table in a text, in the forms in which conversion keeps them.

Markdown: `| a | b |` over a line of dashes. Web pages, Word and the like: `a | b` on lines that follow each other. PDF:
the same for the names of the columns, then `name: value; name: value`. CSV: `name: value | name: value`, each row a
paragraph.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

Cell = tuple[int, int, int]
Rows = list[list[Cell | None]]

MOST_ROWS = 500
"""A longer table is drawn as several."""

MOST_COLUMNS = 50
"""Rows with more columns than this are no table to look at."""

_DASHES = re.compile(r"\s*+\|?+\s*+:?+-++:?+\s*+(?:\|\s*+:?+-++:?+\s*+)*+\|?+\s*+")
_PIPE = re.compile(r"(?<!\\)\|")
_BAR = re.compile(r"(?:^|(?<=\s))\|(?=\s|$)")
_SEMICOLON = re.compile(r";(?=\s)")
_NAMED = re.compile(r"\s*([^\s:;|][^:;|]{0,79}):\s+(?=\S)")


class Line(NamedTuple):
    """A line that isn't empty: the offset where it begins, and its text without the white space at its end."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """The offset after the text."""
        return self.start + len(self.text)


class Found(NamedTuple):
    """Rows, the number of lines that they take, and whether the first one names the columns."""

    rows: Rows
    lines: int
    head: bool


def rows_at(text: str, lines: Sequence[Line], first: int) -> Found | None:
    """The rows that begin with this line; None where it isn't the first of two rows at least."""
    line = lines[first].text
    if first + 1 == len(lines) or not ("|" in line or "; " in line):
        return None
    if "|" not in line:
        return _named_rows(_run(text, lines, first, 1), _SEMICOLON, [])
    following = [*islice(_run(text, lines, first, 1), 2)]
    if len(following) < 2:
        return _named_rows(_run(text, lines, first, 2), _BAR, [])
    if "|" in following[1].text and _DASHES.fullmatch(following[1].text):
        return _markdown(_run(text, lines, first, 1))
    return _named_under(_run(text, lines, first, 1)) or _plain(_run(text, lines, first, 1))


def _run(text: str, lines: Sequence[Line], first: int, apart: int) -> Iterator[Line]:
    """The lines from this one on that are parted by this many line ends."""
    yield lines[first]
    for before, line in pairwise(lines[first : first + MOST_ROWS]):
        if text.count("\n", before.end, line.start) != apart or not ("|" in line.text or ": " in line.text):
            return
        yield line


def _cells(line: Line, parting: re.Pattern[str]) -> list[Cell]:
    """The cells between these signs, without the white space around them."""
    edges = [(0, 0), *(sign.span() for sign in parting.finditer(line.text)), (len(line.text), len(line.text))]
    cells = []
    for (_, begin), (end, _) in pairwise(edges):
        cell = line.text[begin:end]
        start = line.start + begin + len(cell) - len(cell.lstrip())
        cells.append((start, start, max(start, line.start + begin + len(cell.rstrip()))))
    return cells


def _markdown(lines: Iterable[Line]) -> Found:
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
    return Found([[*row[:columns]] for row in rows], taken, head=True)


def _plain(lines: Iterable[Line]) -> Found | None:
    rows = Rows()
    for line in lines:
        cells = _cells(line, _BAR)
        if len(cells) < 2 or not line.text.strip(" |") or (rows and len(cells) != len(rows[0])):
            break
        rows.append([*cells])
    return Found(rows, len(rows), head=False) if len(rows) > 1 else None


def _named_under(lines: Iterator[Line]) -> Found | None:
    """Rows whose cells have the names that the first line lists."""
    first = next(lines)
    head = _cells(first, _BAR)
    names = [first.text[begin - first.start : end - first.start] for begin, _, end in head]
    found = _named_rows(lines, _SEMICOLON, names, least=1)
    return Found([[*head], *found.rows], found.lines + 1, head=True) if found else None


def _named_rows(lines: Iterable[Line], parting: re.Pattern[str], names: Sequence[str], least: int = 2) -> Found | None:
    """Rows of cells with names: those of a header, or any that the rows share, in the order in which they come."""
    columns = list(names)
    found = list[dict[str, Cell]]()
    for line in lines:
        cells = _named_cells(line, parting, names)
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
    return Found([[row.get(name) for name in columns] for row in found], len(found), head=False)


def _named_cells(line: Line, parting: re.Pattern[str], names: Sequence[str]) -> dict[str, Cell]:
    """The cells of a row by their columns' names; empty where this isn't a row of such cells.

    A value may hold the sign that parts cells: what has no name goes on with the cell before. The first cell may have
    none, as the first column often has.
    """
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
