"""Footnotes: set apart from the text of their page, and their marks taken out of it."""

import re
from collections.abc import Iterable, Sequence

from readgraph.sources.pdf.lines import NOTE
from readgraph.sources.pdf.page import Piece

NOTE_SIZE = 0.93
"""The share of the text's font size from which on small print at a page's foot may be a note."""

LOWEST_PART = 0.7
"""Notes stand in this share of the page, from below."""

_UNIT = re.compile(r"(?:^|[\s/·(])(?:[kcmdµμ]?m|ft|in|s|h|kg|km)$")


def parted_notes(
    columns: Sequence[list[list[Piece]]], size: float
) -> tuple[list[list[list[Piece]]], list[list[Piece]]]:
    """The rows of each column without notes, and the rows of the notes; `size` is the text's font size.

    Notes are the small print at a column's end, below which no larger print stands, from a line on that begins with a
    mark (a number, *, †).
    """
    pieces = [piece for column in columns for row in column for piece in row]
    if not pieces or not size:
        return list(columns), []
    lowest, highest = min(piece.y for piece in pieces), max(piece.y for piece in pieces)
    limit = lowest + LOWEST_PART * (highest - lowest)
    larger = [piece for piece in pieces if piece.size > NOTE_SIZE * size]
    kept: list[list[list[Piece]]] = []
    notes: list[list[Piece]] = []
    for column in columns:
        begin = _notes_begin(column, larger, limit, size)
        kept.append(column[:begin])
        notes += column[begin:]
    return kept, notes


def _notes_begin(column: list[list[Piece]], larger: Sequence[Piece], limit: float, size: float) -> int:
    """The number of the row with which a column's notes begin; that after the last where it has none."""
    begin = len(column)
    while begin and _is_small_print(column[begin - 1], larger, limit, size):
        begin -= 1
    return next((at for at in range(begin, len(column)) if NOTE.match(column[at][0].text)), len(column))


def _is_small_print(row: list[Piece], larger: Sequence[Piece], limit: float, size: float) -> bool:
    left, right, height = row[0].x, row[-1].end, row[0].y
    if height > limit or len(row) > 2 or any(piece.size > NOTE_SIZE * size for piece in row):
        return False
    return not any(piece.y < height and piece.x < right and piece.end > left for piece in larger)


def numbers_of(notes: Iterable[list[Piece]]) -> set[str]:
    """The marks with which notes begin."""
    return {match[1] for row in notes if (match := NOTE.match(row[0].text))}


def place_marks(piece: Piece, notes: set[str]) -> None:
    """Take the marks of a page's notes out of a line; write other raised numbers so that they belong to no word."""
    text = piece.text
    for offset, mark in reversed(piece.marks):
        before, after = text[:offset], text[offset:]
        if mark in notes:
            text = before + after
        elif not mark.isdecimal() or _UNIT.search(before):
            text = before + mark + after
        elif before[-1:].isdecimal():
            text = f"{before}^{mark}{after}"
        else:
            text = f"{before} [{mark}]{after}"
    piece.text, piece.marks = text, []
