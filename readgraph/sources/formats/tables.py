"""Tables as plain text: a paragraph per row, each value under its column's name. Places are the rows: "row 12".

Here are CSV, and what it shares with workbooks of Excel.
"""

import csv
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import NamedTuple

from readgraph.sources.converting import Blocks, Converted, join_lines
from readgraph.sources.encodings import decode
from readgraph.sources.formats.table_names import Row, is_word, name_cells
from readgraph.sources.inputs import most_bytes
from readgraph.sources.left_out import LeftOut
from readgraph.sources.places import MOST_PLACES, Place, order_places
from readgraph.state.errors import BadInput

SEPARATORS = ";\t|,"  # of equally likely ones the first: a comma may also part the digits of numbers

MOST_ROW = 1_000_000
"""Most characters of a row: a longer one is no row of a table, and would take many times its size in memory."""

SAMPLE_LINES = 50  # lines from which the separator is found
_QUOTED = re.compile(r'"[^"]*"')
_LINE_END = re.compile(r"\r\n?|\n")
_ONE_WORD = re.compile(r"[^\W\d]\w*")


class Table(NamedTuple):
    """A table: its title ("sheet Rivers"), its rows, the numbers of rows that are known to hold names, and remarks.

    `remarks` are on rows, by their numbers; `after` gives what else belongs to the table, once its rows are read.
    """

    title: str
    rows: Iterable[Row]
    heads: Collection[int] = ()
    remarks: Mapping[int, Sequence[str]] = {}
    after: Callable[[], Iterable[str]] = tuple


def convert(data: bytes, name: str) -> Converted:
    """The rows of a table, such as "station: Lundeford | year: 1991"; places are "row 2" and so on, as in a sheet.

    Where there are too many rows, a place is several: "rows 2–6". Empty cells are left out. The names of the columns
    are found, also below a title, or in two rows; without any they are "column 1" and so on. Raises `BadInput` if there
    is no cell with text, or if the rows can't be told apart, or one is too long.
    """
    left_out = LeftOut()
    text = decode(data, name, say=left_out.say)
    filled = filter(None, (_row(number, cells) for number, cells in _cells(text, name)))
    first = list(islice(filled, 2))
    if len(first) == 1 and len(first[0].cells) > 1 and all(map(_ONE_WORD.fullmatch, first[0].cells.values())):
        raise BadInput(f"{name} holds no row below the names of its columns: there is nothing to read.")
    return convert_tables([Table("", chain(first, filled))], name)._replace(problems=left_out.problems(name))


def _row(number: int, cells: Sequence[str]) -> Row | None:
    texts = {column: text for column, cell in enumerate(cells, 1) if (text := join_lines(cell))}
    return Row(number, texts) if texts else None


def convert_tables(tables: Iterable[Table], name: str) -> Converted:
    """The rows of tables, as `convert` gives them; each place begins with its table's title."""
    blocks, most = Blocks(), most_bytes()
    rows: list[tuple[int, str, int]] = []
    for table in tables:
        for number, text in _with_remarks(table):
            rows.append((blocks.add(text), table.title, number))
            if blocks.length + 2 > most:
                raise BadInput(f"{name} would become more than {most // 1_000_000} MB of text: split it.")
    if not any(map(str.isalnum, blocks.text())):
        raise BadInput(f"{name} holds no row with text: there is nothing to read.")
    places, together = list[Place](), -(-len(rows) // MOST_PLACES)
    for title, of_table in groupby(rows, key=itemgetter(1)):
        listed = list(of_table)
        for first in range(0, len(listed), together):
            (start, _, number), (_, _, last) = listed[first], listed[min(first + together, len(listed)) - 1]
            label = f"row {number}" if last in (number, 0) else f"rows {number}–{last}"
            places.append(Place(start, ", ".join(filter(None, [title, label if number else ""]))))
    return Converted(blocks.text(), order_places(places))


def _with_remarks(table: Table) -> Iterator[tuple[int, str]]:
    """The texts of the rows with their numbers, each with the remarks on it; 0 for what belongs to no row."""
    waiting = sorted(table.remarks.items(), reverse=True)
    for number, text in name_cells(table.rows, table.heads):
        while waiting and waiting[-1][0] < number:
            at, remarks = waiting.pop()
            yield from ((at, remark) for remark in remarks)
        yield number, text
        if waiting and waiting[-1][0] == number:
            yield from ((number, remark) for remark in waiting.pop()[1])
    for at, remarks in reversed(waiting):
        yield from ((at, remark) for remark in remarks)
    yield from ((0, text) for text in table.after())


def _cells(table: str, name: str) -> Iterator[tuple[int, list[str]]]:
    remarks, read_to = _remarks_above(table)
    yield from ((number, [remark]) for number, remark in enumerate(remarks, 1))
    separator, skipped = _separator(table[read_to:])
    row_began = read_to

    def lines() -> Iterator[str]:
        nonlocal read_to
        number = 0
        while read_to < len(table):
            start, number = read_to, number + 1
            last = row_began + MOST_ROW
            match = _LINE_END.search(table, start, last + 2)
            end, read_to = match.span() if match else (len(table), len(table))
            if end > last:
                raise BadInput(
                    f"Line {number} of {name} ends a row of more than {MOST_ROW:,} characters, which is none of a "
                    "table: put each row on a line of its own, or give the file as .txt."
                )
            yield f"{table[start:end]}\n"

    reader = csv.reader(lines(), delimiter=separator, skipinitialspace=True)
    try:
        for number, row in enumerate(reader, 1 - skipped):
            row_began = read_to
            if number > 0:
                yield number + len(remarks), row
    except csv.Error:
        most = csv.field_size_limit()
        raise BadInput(
            f"Line {reader.line_num} of {name} has a cell of more than {most:,} characters: "
            "is the quotation mark at its end missing?"
        ) from None


def _remarks_above(table: str) -> tuple[list[str], int]:
    """The lines of a table's beginning that only remark on it, as "#" marks them, and where what follows begins.

    The last one may name the columns of rows with as many cells.
    """
    remarks, at = list[str](), 0
    while table.startswith("#", at) and (end := _LINE_END.search(table, at)):
        line, following = table[at + 1 : end.start()], table[end.end() :].lstrip("#").partition("\n")[0]
        separator, _ = _separator(table[end.end() :])
        names = [cell.strip() for cell in line.split(separator)]
        below = [cell.strip() for cell in following.split(separator)]
        is_last = not table.startswith("#", end.end())
        if is_last and len(names) == len(below) > 1 and all(names) and not all(map(is_word, below)):
            return remarks, at + 1
        remarks.append(line.strip())
        at = end.end()
    return remarks, at


def _separator(table: str) -> tuple[str, int]:
    """The character between cells, and the number of first lines that only name it ("sep=;", for Excel)."""
    lines = [line for line in _LINE_END.split(table[:100_000])[:SAMPLE_LINES] if line.strip()]
    if lines and (named := re.fullmatch(r'"?sep=(.)"?,*', lines[0].strip(" "))):
        return named[1], 1
    counts = {separator: [_QUOTED.sub("", line).count(separator) for line in lines] for separator in SEPARATORS}
    # The separator stands equally often in every line; a comma inside of sentences or numbers doesn't.
    return max(SEPARATORS, key=lambda each: (_share_of_commonest(counts[each]), sum(counts[each]))), 0


def _share_of_commonest(counts: Sequence[int]) -> float:
    """The share of lines with the commonest count, of the lines that hold the character; 0 if none does."""
    used = [count for count in counts if count]
    return max(map(used.count, used)) / len(counts) if used else 0
