"""The lines of pages in reading order: columns, tables, and what stands apart from them."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from readgraph.sources.pdf.layout import FEWEST_LINES, group_rows, gutter_of, parts_columns, split_columns
from readgraph.sources.pdf.lines import PrintedPage, split_off_notes
from readgraph.sources.pdf.printed import PrintedLine
from readgraph.sources.pdf.raised import write_raised
from readgraph.sources.pdf.side_boxes import take_box
from readgraph.sources.pdf.tables import TableHeader, rows_as_lines

NEAR_GUTTER = 6.0  # points by which the gutters of a document's pages may differ


def lay_out_pages(pages: Sequence[list[PrintedLine]], aparts: Sequence[Sequence[PrintedLine]]) -> list[PrintedPage]:
    """The pages' lines in reading order, rows of tables under the names of their columns; notes and others apart."""
    letters = Counter[float]()
    for piece in chain.from_iterable(pages):
        letters[round(piece.size * 2) / 2] += len(piece.text)
    text_size = letters.most_common(1)[0][0] if letters else 0.0
    header: TableHeader | None = None
    printed = []
    for page, gutter, apart in zip(pages, _gutters(pages), aparts, strict=True):
        text, box = take_box(page) if gutter is None else (page, [])
        columns = [group_rows(column) for column in split_columns(text, gutter)]
        columns, notes = split_off_notes(columns, text_size)
        beside = group_rows(box)
        write_raised([*columns, beside], [*notes, *([line] for line in apart)])
        lines: list[PrintedLine] = []
        for column in filter(None, columns):
            _set_edges(column)
            printed_lines, header = rows_as_lines(column, header)
            lines += printed_lines
        printed.append(PrintedPage(lines, [*rows_as_lines(notes)[0], *_box_lines(beside), *apart]))
    return printed


def _set_edges(column: Sequence[list[PrintedLine]]) -> None:
    """Tell the lines of a column how far they go: most of them end there. Those beside a box know it."""
    ends = Counter(round(row[-1].end) for row in column)
    usual, count = ends.most_common(1)[0]
    is_usual = 4 * count >= len(column) and count > 2
    edge = float(usual) if is_usual else max(row[-1].end for row in column)
    for row in column:
        if row[-1].edge is None:
            row[-1].edge = row[0].edge = edge


def _box_lines(rows: Sequence[list[PrintedLine]]) -> list[PrintedLine]:
    lines, _ = rows_as_lines(rows)
    for line in lines[:1]:
        line.is_apart = True
    return lines


def _gutters(pages: Sequence[list[PrintedLine]]) -> list[float | None]:
    """Where each page's second column begins: where it does on most pages of its side, unless it is another page."""
    found = [gutter_of(page) for page in pages]
    for side in (0, 1):  # odd and even pages may have other margins
        own = found[side::2]
        counter = Counter(round(gutter) for gutter in own if gutter is not None)
        usual, count = counter.most_common(1)[0] if counter else (0, 0)
        if 3 * count > len(own):
            found[side::2] = [
                gutter if gutter is not None and abs(gutter - usual) < NEAR_GUTTER else _fit(page, usual, gutter)
                for page, gutter in zip(pages[side::2], own, strict=True)
            ]
    return found


def _fit(page: list[PrintedLine], usual: float, gutter: float | None) -> float | None:
    """The usual gutter, where lines that begin at it tell that the page has two columns there; else its own."""
    if gutter is not None:
        return usual if parts_columns(page, usual) else gutter
    heights = [piece.y for piece in page if abs(piece.x - usual) < NEAR_GUTTER]
    crossing = [piece.y for piece in page if piece.x < usual - NEAR_GUTTER and piece.end > usual + NEAR_GUTTER]
    if not heights:
        return None
    within = sum(min(heights) <= y <= max(heights) for y in crossing)
    return usual if 2 * within < len(heights) and (len(heights) >= FEWEST_LINES or not crossing) else None
