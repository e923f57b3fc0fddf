"""How pages are laid out: columns in reading order."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from operator import itemgetter

from readgraph.sources.pdf.printed import PrintedLine
from readgraph.sources.pdf.words import COLUMN_GAP

FEWEST_LINES = 5  # lines that begin at the same distance from the left, which make a column
FEWEST_WORDS = 3.0  # words of a column's line, on average: cells of a table have fewer
FULL_LINES = 0.5  # the share of its column's width that a line takes, on average: cells of a table take less
NARROW_FULL = 0.68  # the same where lines have fewer words
FEWEST_ROWS = 3  # rows of several short cells that make a table across the page
NEAR = 2.0  # points from the gutter at which a line of the second column begins
MOST_COLUMNS = 6
ENTRY = 4  # letters by which the entries of an index are compared
WIDEST_INDENT = 60.0  # points
SAME_ROW = 0.3  # font sizes that pieces of one row may stand above or below each other


def gutter_of(pieces: Sequence[PrintedLine], most: int = MOST_COLUMNS) -> float | None:
    """Where a page's second column, of `most`, begins (points from the left); nothing where it has one column."""
    if len(pieces) < 2 * FEWEST_LINES:
        return None
    begin, end = min(piece.x for piece in pieces), max(piece.end for piece in pieces)
    middle = [piece for piece in pieces if 0.2 < (piece.x - begin) / ((end - begin) or 1.0) < 0.8]
    starts = Counter(round(piece.x / 2.0) for piece in middle)
    for start, _ in sorted(starts.items(), key=lambda counted: (-counted[1], counted[0]))[:4]:
        column = [piece.x for piece in middle if abs(round(piece.x / 2.0) - start) <= 1]
        if len(column) < FEWEST_LINES:
            continue
        gutter = _column_edge(pieces, min(column))
        if parts_columns(pieces, gutter, most):
            return gutter
    return None


def _column_edge(pieces: Sequence[PrintedLine], start: float) -> float:
    """Where a column begins in which many lines begin at `start`: these may be indented, others then stand out."""
    edge, fewest = start, sum(piece.x < start - 1.0 and piece.end > start for piece in pieces)
    for at in sorted({piece.x for piece in pieces if start - WIDEST_INDENT < piece.x < start - NEAR}, reverse=True):
        across = sum(piece.x < at - 1.0 and piece.end > at for piece in pieces)
        if across < fewest:
            edge, fewest = at, across
    return edge


def split_columns(pieces: Sequence[PrintedLine], gutter: float | None) -> list[list[PrintedLine]]:
    """The columns of a page in the order in which they are read; what goes across the gutter parts them."""
    if not pieces:
        return []
    if gutter is None:
        return [list(pieces)]
    columns: list[list[PrintedLine]] = []
    for is_wide, rows in groupby(_rows_by_width(pieces, gutter), key=itemgetter(1)):
        printed_lines = [piece for row, _ in rows for piece in row]
        if is_wide:
            columns.append(printed_lines)
            continue
        left = [piece for piece in printed_lines if piece.x < gutter - 1.0]
        right = [piece for piece in printed_lines if piece.x >= gutter - 1.0]
        columns += [*split_columns(left, gutter_of(left)), *split_columns(right, gutter_of(right))]
    return columns


def _rows_by_width(pieces: Sequence[PrintedLine], gutter: float) -> Iterator[tuple[list[PrintedLine], bool]]:
    """The rows, and whether each goes across the gutter: by a piece of text, or as a row of a wide table."""
    rows = group_rows(pieces, gutter)
    most = 0.6 * (gutter - min(piece.x for piece in pieces))
    are_cells = [
        len(row) > 2 and all(piece.end - piece.x < most and abs(piece.x - gutter) > NEAR for piece in row)
        for row in rows
    ]
    for is_of_table, group in groupby(zip(rows, are_cells, strict=True), key=itemgetter(1)):
        found = [row for row, _ in group]
        for row in found:
            crosses = any(piece.x < gutter - 1.0 and piece.end > gutter for piece in row)
            yield row, crosses or (is_of_table and len(found) >= FEWEST_ROWS)


def group_rows(pieces: Sequence[PrintedLine], gutter: float | None = None) -> list[list[PrintedLine]]:
    """Pieces by the rows in which they stand, each row from left to right; what begins at the gutter stays apart."""
    rows: list[list[PrintedLine]] = []
    for piece in sorted(pieces, key=lambda piece: -piece.y):
        if rows and abs(rows[-1][0].y - piece.y) < SAME_ROW * max(piece.size, rows[-1][0].size):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [_join_drawn_parts(sorted(row, key=lambda piece: piece.x), gutter) for row in rows]


def _join_drawn_parts(row: list[PrintedLine], gutter: float | None) -> list[PrintedLine]:
    """A row's pieces, those joined that a file draws in parts; a large heading may stand near the left column."""
    joined = row[:1]
    for piece in row[1:]:
        left = joined[-1]
        sizes = piece.size, left.size
        at_gutter = gutter is not None and abs(piece.x - gutter) <= NEAR
        if piece.x - left.end >= COLUMN_GAP * (min(sizes) if at_gutter else max(sizes)):
            joined.append(piece)
            continue
        joined[-1] = replace(
            left,
            text=f"{left.text} {piece.text}",
            size=left.size if len(left.text) >= len(piece.text) else piece.size,
            end=max(left.end, piece.end),
            is_row=left.is_row or piece.is_row,
        )
    return joined


def parts_columns(pieces: Sequence[PrintedLine], gutter: float, most: int = MOST_COLUMNS) -> bool:
    """Whether lines of text, or entries in the order of letters, stand on both sides, and few go across.

    On the right, there may be more columns, of `most` in all.
    """
    rows = [row for row, is_wide in _rows_by_width(pieces, gutter) if not is_wide]
    left = [piece for row in rows for piece in row if piece.x < gutter - 1.0]
    right = [piece for row in rows for piece in row if piece.x >= gutter - 1.0]
    if 3 * len(rows) <= len(group_rows(pieces)):
        return False
    if _go_on_in_order(left, right):
        return True
    return _is_column(left) and (_is_column(right) or (most > 2 and gutter_of(right, most - 1) is not None))


def _is_column(pieces: Sequence[PrintedLine]) -> bool:
    if len(pieces) < FEWEST_LINES:
        return False
    rows = group_rows(pieces)
    width = max(piece.end for piece in pieces) - min(piece.x for piece in pieces)
    words = sum(len(piece.text.split()) for piece in pieces) / len(rows)
    taken = sum(sum(piece.end - piece.x for piece in row) for row in rows) / len(rows)
    if words < FEWEST_WORDS:  # narrow columns have lines of two words, which are full, as cells are not
        return words >= FEWEST_WORDS - 1.0 and taken >= NARROW_FULL * width and _has_sentences(pieces)
    return taken >= FULL_LINES * width and not _is_table(rows)


def _has_sentences(pieces: Sequence[PrintedLine]) -> bool:
    """Whether lines go on within sentences, and sentences end: cells do neither."""
    lower = sum(piece.text[0].islower() for piece in pieces)
    return 4 * lower >= len(pieces) and any(piece.text[-1] in ".!?" for piece in pieces)


def _go_on_in_order(left: Sequence[PrintedLine], right: Sequence[PrintedLine]) -> bool:
    """Whether entries stand in the order of letters, down the left side and on down the right one, as in an index."""
    first, second = _entries(left), _entries(right)
    if min(len(first), len(second)) < FEWEST_LINES or first[-1] > second[0] or first[0] == second[-1]:
        return False
    pairs = [*pairwise(first), *pairwise(second)]
    return 10 * sum(above <= below for above, below in pairs) >= 9 * len(pairs)


def _entries(pieces: Sequence[PrintedLine]) -> list[str]:
    """The beginnings of lines that stand out furthest to the left, from above; letters only."""
    edge = min((piece.x for piece in pieces), default=0.0)
    own = sorted((piece for piece in pieces if piece.x - edge < NEAR), key=lambda piece: -piece.y)
    beginnings = (re.sub(r"[\W\d_]+", "", piece.text)[:ENTRY].casefold() for piece in own)
    return [beginning for beginning in beginnings if len(beginning) > 1]


def _is_table(rows: Sequence[list[PrintedLine]]) -> bool:
    """Whether most rows have several cells, most of them in line with others; words of stretched lines are not."""
    several = [row for row in rows if len(row) > 2]
    if 2 * len(several) <= len(rows):
        return False
    edges = [
        tuple(round(edge / NEAR) for edge in (piece.x, (piece.x + piece.end) / 2, piece.end))
        for row in several
        for piece in row[1:]
    ]
    counted = [Counter(found) for found in zip(*edges, strict=True)]
    needed = 0.4 * len(several)
    in_line = sum(any(count[at] >= needed for count, at in zip(counted, found, strict=True)) for found in edges)
    return 2 * in_line > len(edges)
