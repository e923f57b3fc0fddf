"""Tables in CSV as plain text: one paragraph per row, each value under its column's name; places are the rows."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, zip_longest
from operator import itemgetter

from readgraph.sources.converting import Blocks, Converted, on_a_line
from readgraph.sources.encodings import decode
from readgraph.sources.inputs import most_bytes
from readgraph.sources.places import MOST_PLACES, Place, order_places, shorten_label
from readgraph.state.errors import BadInput

SEPARATORS = ",;\t|"

MOST_ROW = 1_000_000
"""Most characters of a row: a longer one is no row of a table, and would take many times its size in memory."""

SAMPLE_LINES = 20  # lines from which the separator is found
_NUMBER = re.compile(r"[-+(]?[\d.,' %€$£/:-]*\d[\d.,' %€$£/:)-]*")
_QUOTED = re.compile(r'"[^"]*"')
_LINE_END = re.compile(r"\r\n?|\n")


def convert(data: bytes, name: str) -> Converted:
    """The rows of a table, such as "station: Lundeford | year: 1991"; places are "row 2" and so on, as in a sheet.

    Where there are too many rows, a place is several: "rows 2–6". Empty cells are left out. A first row of different
    words names the columns; without one they are "column 1" and so on. Raises `BadInput` if there is no cell with text,
    or if the rows can't be told apart, or one is too long.
    """
    return convert_tables([("", _cells(decode(data, name), name))], name)


def convert_tables(tables: Iterable[tuple[str, Iterable[tuple[int, list[str]]]]], name: str) -> Converted:
    """The rows of tables, each with its title ("sheet Rivers") and its numbered rows of cells, as `convert` does."""
    blocks, most = Blocks(), most_bytes()
    rows: list[tuple[int, str, int]] = []
    for title, cells in tables:
        for number, row in _rows(cells):
            rows.append((blocks.add(row), title, number))
            if blocks.length + 2 > most:
                raise BadInput(f"{name} would become more than {most // 1_000_000} MB of text: split it.")
    if not rows:
        raise BadInput(f"{name} holds no row with text: there is nothing to read.")
    places, together = list[Place](), -(-len(rows) // MOST_PLACES)
    for title, of_table in groupby(rows, key=itemgetter(1)):
        table = list(of_table)
        for first in range(0, len(table), together):
            (start, _, number), (_, _, last) = table[first], table[min(first + together, len(table)) - 1]
            label = f"row {number}" if last == number else f"rows {number}–{last}"
            places.append(Place(start, ", ".join(filter(None, [title, label]))))
    return Converted(blocks.text(), order_places(places))


def _rows(table: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, str]]:
    columns: list[str] | None = None
    for number, row in table:
        cells = [on_a_line(cell) for cell in row]
        filled = [cell for cell in cells if cell]
        if not filled:
            continue
        if columns is None:
            is_head = len(set(filled)) == len(filled) and not any(map(_NUMBER.fullmatch, filled))
            columns = [shorten_label(cell) for cell in cells] if is_head else []
            if is_head:
                continue
        named = zip_longest(cells, columns[: len(cells)], fillvalue="")
        labelled = [f"{column or f'column {at}'}: {cell}" for at, (cell, column) in enumerate(named, 1) if cell]
        yield number, " | ".join(labelled)


def _cells(table: str, name: str) -> Iterator[tuple[int, list[str]]]:
    separator, skipped = _separator(table)
    row_began = read_to = 0

    def lines() -> Iterator[str]:
        nonlocal read_to
        number = 0
        while read_to < len(table):
            start, number = read_to, number + 1
            last = row_began + MOST_ROW
            found = _LINE_END.search(table, start, last + 2)
            end, read_to = found.span() if found else (len(table), len(table))
            if end > last:
                raise BadInput(
                    f"Line {number} of {name} ends a row of more than {MOST_ROW:,} characters, which is none of a "
                    "table: put each row on a line of its own, or give the file as .txt."
                )
            yield f"{table[start:end]}\n"

    reader = csv.reader(lines(), delimiter=separator)
    try:
        for number, row in enumerate(reader, 1 - skipped):
            row_began = read_to
            if number > 0:
                yield number, row
    except csv.Error:
        most = csv.field_size_limit()
        raise BadInput(
            f"Line {reader.line_num} of {name} has a cell of more than {most:,} characters: "
            "is the quotation mark at its end missing?"
        ) from None


def _separator(table: str) -> tuple[str, int]:
    """The character between cells, and the number of first lines that only name it ("sep=;", as Excel writes)."""
    lines = [line for line in _LINE_END.split(table[:100_000])[:SAMPLE_LINES] if line.strip()]
    if lines and (named := re.fullmatch(r"sep=(.)", lines[0])):
        return named[1], 1
    counts = {each: [_QUOTED.sub("", line).count(each) for line in lines] for each in SEPARATORS}
    # The separator stands equally often in every line; a comma inside of sentences or numbers doesn't.
    return max(SEPARATORS, key=lambda each: (_share_of_commonest(counts[each]), sum(counts[each]))), 0


def _share_of_commonest(counts: Sequence[int]) -> float:
    """The share of lines with the commonest count, of the lines that hold the character; 0 if none does."""
    used = [count for count in counts if count]
    return max(map(used.count, used)) / len(counts) if used else 0
