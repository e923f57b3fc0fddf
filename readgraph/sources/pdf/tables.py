"""Rows of a printed table: each cell with the name of its column, so that a row can be understood alone."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from readgraph.sources.converting import on_a_line
from readgraph.sources.pdf.printed import PrintedLine

FEWEST_ROWS = 3  # rows of a table, but for one whose first row is bold: that may have two
ALIGNED = 1.5  # points by which the cells of a column may begin, end, or have their middle, off each other
MOST_CELLS = 0.7  # the share of a column's cells that are aligned
WIDEST_STEP = 3.0  # font sizes down from a row to the next one of the same table
NEAR = 3.0  # points between columns of a table at least; and how far off those of its continuation may be
_NUMBER = re.compile(r"[-+−–~<>≤≥±$€£]*\s?\d[\d\s.,'’:/%°–—-]*\w{0,3}[*†‡]?|[-–—]|n/?a|\.{2,}", re.IGNORECASE)
_LEADERS = re.compile(r"(?:\. ?){5}")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d(?:[-–/]\d{2,4})?")


@dataclass(frozen=True)
class TableHeader:
    """A table's columns: where each begins and ends, and its name ("" where it has none)."""

    columns: list[tuple[float, float]]
    names: list[str]


def rows_as_lines(
    rows: Sequence[list[PrintedLine]], header: TableHeader | None = None
) -> tuple[list[PrintedLine], TableHeader | None]:
    """The rows of a column as lines: a line of text as it is, a row of a table with its cells under their names.

    `header`: of the table with which the column before ended. Gives the one with which this column ends, too.
    """
    lines: list[PrintedLine] = []
    begin, first = 0, header
    header = None
    while begin < len(rows):
        end = _table_end(rows, begin)
        goes_on = first is not None and _is_same(first.columns, _columns(rows[begin:end]))
        if not goes_on and not _is_table(rows[begin:end]):
            lines.append(_line(rows[begin]))
            begin, header, first = begin + 1, None, None
        else:
            table, header = _table(rows[begin:end], first)
            lines += table
            begin, first = end, None
    return lines, header


def _table_end(rows: Sequence[list[PrintedLine]], begin: int) -> int:
    """The number of the row after a table that begins with this one; `begin` where there is none."""
    if len(rows[begin]) < 2:
        return begin
    end = begin + 1
    while end < len(rows):
        above, row = rows[end - 1], rows[end]
        if above[0].y - row[0].y > WIDEST_STEP * max(row[0].size, above[0].size):
            break
        columns = _columns(rows[begin : end + 1])
        is_near = above[0].y - row[0].y < 1.6 * row[0].size
        if len(columns) < 2 or not (len(row) > 1 or (is_near and row[0].x > columns[0][1])):
            break  # a row of one piece stands in a column that is not the first
        end += 1
    while len(rows[end - 1]) < 2 and end - 1 > begin and rows[end - 1][0].x <= rows[begin][0].x + NEAR:
        end -= 1
    return end if len(_columns(rows[begin:end])) > 1 else begin


def _is_table(rows: Sequence[list[PrintedLine]]) -> bool:
    """Whether rows of pieces are a table's: their columns are aligned, which the words of stretched lines are not."""
    if len(rows) < FEWEST_ROWS and not (len(rows) == 2 and all(piece.bold for piece in rows[0])):
        return False
    if 3 * sum(any(_LEADERS.search(piece.text) for piece in row) for row in rows) >= len(rows):
        return False  # a table of contents
    columns = _columns(rows)
    aligned = [
        _is_aligned(
            [piece for row in rows for piece in row if begin <= piece.x and piece.end <= end], end == columns[-1][1]
        )
        for begin, end in columns[1:]
    ]
    stretched = 0  # rows with the same white space everywhere, as in a line of text that was made longer
    for row in rows:
        gaps = [right.x - left.end for left, right in pairwise(row)]
        stretched += len(gaps) > 1 and max(gaps) - min(gaps) < 0.25 * max(gaps)
    if 2 * stretched > len(rows):
        has_numbers = any(piece.text[0].isdecimal() for row in rows for piece in row)
        return all(aligned) and (has_numbers or len(rows) > FEWEST_ROWS)
    return 2 * sum(aligned) >= len(aligned) > 0


def _is_aligned(cells: Sequence[PrintedLine], is_last: bool) -> bool:
    edges = [[cell.x for cell in cells], [(cell.x + cell.end) / 2 for cell in cells]]
    numbers = sum(bool(_NUMBER.fullmatch(cell.text)) for cell in cells)
    if not is_last or 2 * numbers >= len(cells):  # the last words of stretched lines all end at the edge
        edges.append([cell.end for cell in cells])
    return any(
        sum(abs(edge - median(found)) <= ALIGNED for edge in found) >= MOST_CELLS * len(found)
        for found in edges
        if found
    )


def _columns(rows: Sequence[list[PrintedLine]]) -> list[tuple[float, float]]:
    """Where the columns of these rows begin and end: nothing stands between two."""
    columns: list[tuple[float, float]] = []
    for begin, end in sorted((piece.x, piece.end) for row in rows for piece in row):
        if columns and begin < columns[-1][1] + NEAR:
            columns[-1] = (columns[-1][0], max(columns[-1][1], end))
        else:
            columns.append((begin, end))
    return columns


def _table(
    rows: Sequence[list[PrintedLine]], before: TableHeader | None
) -> tuple[list[PrintedLine], TableHeader | None]:
    columns = _columns(rows)
    cells, firsts = list[list[str]](), list[list[PrintedLine]]()
    for row in rows:
        own = [
            " ".join(on_a_line(piece.text) for piece in row if begin - 1.0 <= piece.x and piece.end <= end + 1.0)
            for begin, end in columns
        ]
        is_near = bool(cells) and firsts[-1][0].y - row[0].y < 1.6 * row[0].size
        if is_near and not own[0] and len(row) <= len(firsts[-1]):  # the next line of the same cells
            cells[-1] = [" ".join(filter(None, pair)) for pair in zip(cells[-1], own, strict=True)]
        else:
            cells.append(own)
            firsts.append(row)
    header: TableHeader | None = None
    if _is_header(cells, firsts):
        header = TableHeader(columns, cells[0])
    elif before and _is_same(before.columns, columns):
        header = before
    lines = []
    for own, row in zip(cells, firsts, strict=True):
        if header is None or own == header.names:
            text = " | ".join(own)
        else:  # such as "Station: Lundeford; Year: 1991"
            named = [f"{name}: {cell}" if name else cell for name, cell in zip(header.names, own, strict=True) if cell]
            text = "; ".join(named)
        lines.append(_line(row, text))
    return lines, header


def _is_header(cells: Sequence[list[str]], rows: Sequence[list[PrintedLine]]) -> bool:
    """Whether the first row names the columns: by bold print, or with a name above numbers (or a year, as often)."""
    if len(cells) < 2 or sum(map(bool, cells[0])) < 2:
        return False
    if len(cells[0]) > 2 and cells[0][0].isdecimal() and cells[0][-1].isdecimal():
        return False  # "1 | Introduction | 5", in a table of contents
    if all(piece.bold for piece in rows[0]) and not all(piece.bold for row in rows[1:] for piece in row):
        return True
    names = [not cell or not _NUMBER.fullmatch(cell) or bool(_YEAR.fullmatch(cell)) for cell in cells[0]]
    below = [[cell for cell in column if cell] for column in zip(*cells[1:], strict=True)]
    return all(names) and any(
        all(any(sign.isdecimal() for sign in cell) for cell in column)
        and not (_YEAR.fullmatch(name) and any(map(_YEAR.fullmatch, column)))
        and (not any(sign.isdecimal() for sign in name) or _YEAR.fullmatch(name))
        for name, column in zip(cells[0], below, strict=True)
        if name and column
    )


def _is_same(before: Sequence[tuple[float, float]], columns: Sequence[tuple[float, float]]) -> bool:
    """Whether columns are those of the table before, which may stand in another column of the page."""
    if len(before) != len(columns) or len(columns) < 2:
        return False
    to_the_right = columns[0][0] - before[0][0]
    moved = [(begin + to_the_right, end + to_the_right) for begin, end in before]
    return all(a[0] < b[1] and b[0] < a[1] for a, b in zip(moved, columns, strict=True))


def _line(row: list[PrintedLine], text: str | None = None) -> PrintedLine:
    first, last = row[0], row[-1]
    written = " ".join(piece.text for piece in row) if text is None else text
    return PrintedLine(
        written,
        first.x,
        first.y,
        first.size,
        last.end,
        first.edge,
        first.first,
        first.bold,
        is_row=text is not None or any(piece.is_row for piece in row),
    )
