"""How pages are laid out: columns in reading order, without running heads, feet and page numbers."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from operator import itemgetter
from statistics import median

from readgraph.sources.pdf.page import COLUMN_GAP, PrintedLine

FEWEST_LINES = 5  # lines that begin at the same distance from the left, which make a column
FEWEST_WORDS = 3.0  # words of a column's line, on average: cells of a table have fewer
FULL_LINES = 0.5  # the share of its column's width that a line takes, on average: cells of a table take less
FEWEST_ROWS = 3  # rows of several short cells that make a table across the page
NEAR = 2.0  # points from the gutter at which a line of the second column begins
SAME_ROW = 0.3  # font sizes that pieces of one row may stand above or below each other


def gutter_of(pieces: Sequence[PrintedLine]) -> float | None:
    """Where a page's second column begins (points from the left); nothing where it has one column."""
    if len(pieces) < 2 * FEWEST_LINES:
        return None
    begin, end = min(piece.x for piece in pieces), max(piece.end for piece in pieces)
    middle = [piece for piece in pieces if 0.2 < (piece.x - begin) / ((end - begin) or 1.0) < 0.8]
    starts = Counter(round(piece.x / 2.0) for piece in middle)
    for start, _ in sorted(starts.items(), key=lambda counted: (-counted[1], counted[0]))[:4]:
        column = [piece.x for piece in middle if abs(round(piece.x / 2.0) - start) <= 1]
        if len(column) >= FEWEST_LINES and _parts_columns(pieces, min(column)):
            return min(column)
    return None


def split_columns(pieces: Sequence[PrintedLine], gutter: float | None) -> list[list[PrintedLine]]:
    """The columns of a page in the order in which they are read; what goes across the gutter parts them."""
    if not pieces:
        return []
    if gutter is None:
        return [list(pieces)]
    columns: list[list[PrintedLine]] = []
    for is_wide, rows in groupby(_rows_by_width(pieces, gutter), key=itemgetter(1)):
        found = [piece for row, _ in rows for piece in row]
        if is_wide:
            columns.append(found)
            continue
        left = [piece for piece in found if piece.x < gutter - 1.0]
        right = [piece for piece in found if piece.x >= gutter - 1.0]
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
        start = len(left.text) + 1
        joined[-1] = replace(
            left,
            text=f"{left.text} {piece.text}",
            size=left.size if len(left.text) >= len(piece.text) else piece.size,
            end=max(left.end, piece.end),
            marks=[*left.marks, *((start + at, mark) for at, mark in piece.marks)],
        )
    return joined


def _parts_columns(pieces: Sequence[PrintedLine], gutter: float) -> bool:
    """Whether lines of text stand on both sides, and few go across."""
    rows = [row for row, is_wide in _rows_by_width(pieces, gutter) if not is_wide]
    left = [piece for row in rows for piece in row if piece.x < gutter - 1.0]
    right = [piece for row in rows for piece in row if piece.x >= gutter - 1.0]
    return _is_column(left) and _is_column(right) and 3 * len(rows) > len(group_rows(pieces))


def _is_column(pieces: Sequence[PrintedLine]) -> bool:
    if len(pieces) < FEWEST_LINES:
        return False
    rows = group_rows(pieces)
    width = max(piece.end for piece in pieces) - min(piece.x for piece in pieces)
    words = sum(len(piece.text.split()) for piece in pieces) / len(rows)
    taken = sum(sum(piece.end - piece.x for piece in row) for row in rows) / len(rows)
    return words >= FEWEST_WORDS and taken >= FULL_LINES * width and not _is_table(rows)


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


MOST_ROWS = 3  # rows of a running head, or of a foot
FEWEST_PAGES = 3  # pages on which the same words stand at the same height, or numbers count up with the pages
FARTHEST = 2 * FEWEST_PAGES  # pages in which a section's head stands on the fewest: on odd ones, or on even ones
SAME_HEIGHT = 2.0  # points up or down
APART = 1.4  # usual steps from line to line that part a head from the text below
_PAGE_NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,4}|[ivxlcdm]{1,8})(?![\w,]|\.\w)", re.IGNORECASE)
_ROMAN = re.compile(r"m*(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE | re.ASCII)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_FOOTNOTE = re.compile(r"\d{1,3}\s*[^\W\d].*[.!?…][\"'”’»)]*")
_SEPARATOR = re.compile(r"\s+[|·•–—]\s+")
_ONLY_NUMBER = re.compile(
    r"[^\w#]*(?:page|seite|p\.|s\.)?[^\w#]*#(?:[^\w#]*(?:of|von|/)[^\w#]*\d+)?[^\w#]*", re.IGNORECASE
)


@dataclass(slots=True)
class _Row:
    """A row at the edge of a page; `key` is its text with the page's number as #."""

    page: int
    pieces: list[PrintedLine]
    text: str
    height: float
    size: float
    is_apart: bool
    is_outermost: bool
    is_top: bool
    key: str = ""

    @property
    def parts(self) -> set[str]:
        """What stands apart from each other in the row: "final report | rainfall" has two parts; a footnote none."""
        return set(filter(None, _SEPARATOR.split(self.key)))

    @property
    def is_numbered(self) -> bool:
        """Whether a page number stands at an end of the row; a foot that begins with one may be a footnote."""
        return self.is_apart and (self.key[-1:] == "#" or (self.is_top and self.key[:1] == "#"))


def without_margins(pages: Sequence[list[PrintedLine]]) -> list[list[PrintedLine]]:
    """The pages without running heads, feet and page numbers.

    A row goes where it stands at the same height on several pages with the same words, but for the page's number; where
    it is nothing but a page number that counts up with the pages; or where most rows at its height are such rows (heads
    that change with each section). Only the outermost rows are looked at, and a row with several cells that are no
    number goes only where white space parts it from the text, since a table may begin each page with its header.
    """
    dropped: set[int] = set()
    for is_top in (True, False):
        rows = [row for number, page in enumerate(pages) for row in _outer_rows(number, page, is_top=is_top)]
        offsets = _number_offsets(rows, len(pages))
        for row in rows:
            row.key = "" if not is_top and _FOOTNOTE.fullmatch(row.text) else _key_of(row, offsets)
        dropped |= {id(piece) for row in _find_repeated_rows(rows, len(pages)) for piece in row.pieces}
    return [[piece for piece in page if id(piece) not in dropped] for page in pages]


def roman_value(text: str) -> int:
    """The number that roman digits write; 0 where they write none."""
    if not _ROMAN.fullmatch(text):
        return 0
    values = [_ROMAN_VALUES[letter] for letter in text.lower()]
    return sum(-value if value < max(values[at:]) else value for at, value in enumerate(values))


def _outer_rows(number: int, page: list[PrintedLine], *, is_top: bool) -> Iterator[_Row]:
    """The outermost rows, from the edge inwards, with whether more white space than usual parts them from the text."""
    rows = group_rows(page)
    if not is_top:
        rows.reverse()
    steps = [abs(first[0].y - second[0].y) for first, second in pairwise(rows)]
    usual = median(steps) if steps else 0.0
    outer = rows[:MOST_ROWS]
    block = next((at + 1 for at, step in enumerate(steps[:MOST_ROWS]) if step >= APART * usual), int(len(rows) == 1))
    for at, row in enumerate(outer):
        height = row[0].y
        own = [piece for piece in page if abs(piece.y - height) < 0.3 * max(piece.size, row[0].size)]
        text = " | ".join(piece.text for piece in row)
        yield _Row(number, own, text, height, row[0].size, at < block, at == 0, is_top)


def _numbers_in(text: str) -> Iterator[tuple[re.Match[str], int]]:
    for match in _PAGE_NUMBER.finditer(text):
        if value := int(match[0]) if match[0].isdecimal() else roman_value(match[0]):
            yield match, value


def _number_offsets(rows: Sequence[_Row], number_of_pages: int) -> set[int]:
    """How far the printed numbers are from the pages' own, where they count up with the pages."""
    pages: dict[tuple[int, bool], set[int]] = defaultdict(set)
    for row in rows:
        for match, value in _numbers_in(row.text):
            pages[value - row.page, match[0].isdecimal()].add(row.page)
    fewest = max(FEWEST_PAGES, number_of_pages // 20)  # other arabic numbers, such as years, count up on a few pages
    return {offset for (offset, arabic), on in pages.items() if len(on) >= (fewest if arabic else FEWEST_PAGES)}


def _key_of(row: _Row, offsets: set[int]) -> str:
    text = row.text
    for match, value in reversed(list(_numbers_in(text))):
        if value - row.page in offsets:
            text = f"{text[: match.start()]}#{text[match.end() :]}"
    return " ".join(text.casefold().split())


def _find_repeated_rows(rows: Sequence[_Row], number_of_pages: int) -> list[_Row]:
    bands: dict[int, list[_Row]] = defaultdict(list)
    for row in rows:
        bands[round(row.height / SAME_HEIGHT)].append(row)
    found: list[_Row] = []
    for height, own in bands.items():
        near = [*bands.get(height - 1, ()), *own, *bands.get(height + 1, ())]
        pages: dict[str, list[int]] = defaultdict(list)
        for row in near:
            for part in {row.key, *row.parts}:
                pages[part].append(row.page)
        numbered = Counter(round(row.size) for row in near if row.is_numbered)
        sure = [
            row
            for row in own
            if _is_sure(row, pages, number_of_pages) or (row.is_numbered and numbered[round(row.size)] >= FEWEST_PAGES)
        ]
        found += sure
        sizes = [row.size for row in sure]
        if len(own) >= FEWEST_PAGES and 2 * len(sure) > len(own):
            found += [row for row in own if row not in sure and row.is_apart and abs(row.size - median(sizes)) < 1.0]
    return found


def _is_sure(row: _Row, pages: Mapping[str, list[int]], number_of_pages: int) -> bool:
    """Whether a row is no text, by the pages on which its words stand at its height."""
    if not row.key:  # a footnote
        return False
    if _ONLY_NUMBER.fullmatch(row.key):
        return True
    fewest = max(FEWEST_PAGES, number_of_pages // 10)  # what a text repeats by chance stands on few, far apart
    own = sorted(pages[row.key])
    if not row.is_apart:
        return row.is_outermost and len(own) >= fewest and len(row.pieces) == 1
    is_near = any(last - first <= FARTHEST for first, last in zip(own, own[FEWEST_PAGES - 1 :], strict=False))
    return is_near or any(len(pages[part]) >= fewest for part in row.parts)
