"""The tables that stand in a text: their rows and the names of their columns, with the place of each row.

Two forms are known, in which every kind of file that has tables is converted: rows of cells with "|" (or tabs) between,
under one or two rows of names, and rows in which each cell has its column's name before it ("town: Alton").
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

_LINE = re.compile(r"[^\n]+")
_RULE = re.compile(r"(?=[^-=]{0,20}[-=])[\s|+:=-]+")
_BAR = re.compile(r"(?<!\\)\|")
_MARKS = re.compile(
    r"<br ?/?>|(\*\*|__|`)(?=\S)(.{1,300}?)(?<=\S)\1|\[([^\]\n]{0,300})\]\([^)\s]{0,300}\)", re.IGNORECASE
)
_NAMED = re.compile(r"([^:|\n]{1,120}):\s+(\S[^\n]*)")
_BEFORE_NAME = re.compile(r"; (?=[^:;|\n]{1,120}:\s)")  # as between the cells of a PDF's table
_DIGIT = re.compile(r"\d")
_TOTAL = re.compile(
    r"(?:(?:grand|sub)?-? ?total|totals|sum|overall|gesamt|gesamtsumme|summe|insgesamt|zusammen|total général|ensemble"
    r"|suma|totale|somma|soma|totaal|som|i alt|sum(?:ma)?|yhteensä|razem|ogółem|celkem|spolu|összesen|итого|всего|разом"
    r"|всього|合計|总计|總計|合计|합계|toplam)(?!\w).{0,40}",
    re.IGNORECASE,
)


class Row(NamedTuple):
    """The cells of a row, and its characters `[start, end)`."""

    cells: list[str]
    start: int
    end: int


@dataclass
class SourceTable:
    """A table: the names of its columns, the rows that hold these, those below them, and the line above it.

    `is_ruled`: a line of dashes says which rows hold the names. `gap`: what is between it and the table before it.
    """

    names: list[str]
    rows: list[Row]
    start: int
    end: int
    heads: list[Row] = field(default_factory=list)
    above: str = ""
    gap: str = ""
    is_ruled: bool = False

    def values(self) -> list[Row]:
        """The rows that say something of one thing: no sums, no names again, no heading over all columns."""
        known = [self.names, *(head.cells for head in self.heads)]
        return [
            row
            for row in self.rows
            if any(row.cells)
            and row.cells not in known
            and not _TOTAL.fullmatch(next(filter(None, row.cells)).rstrip(": "))
            and not (len(row.cells) > 2 and len({*row.cells}) == 1 and not _DIGIT.search(row.cells[0]))
        ]

    def transpose(self) -> "SourceTable":
        """The table whose names stand in the first column; each row is cited with the whole table."""
        lines = [self.names, *(row.cells for row in self.rows)]
        width = min(map(len, lines))
        rows = [Row([line[at] for line in lines], self.start, self.end) for at in range(1, width)]
        return SourceTable([line[0] for line in lines], rows, self.start, self.end, above=self.above)


def tables_in(text: str) -> Iterator[SourceTable]:
    """The tables of a text, in its order."""
    lines, above, before = [*_LINE.finditer(text)], "", 0
    at = 0
    while at < len(lines):
        read = _named_table if _named_cells(lines[at][0]) else _table_of_cells
        taken, table = read(text, lines, at)
        if table:
            table.above, table.gap = above, text[before : table.start]
            before = table.end
            yield table
        else:
            above = lines[at][0].strip()
        at += taken


def _cells(line: str) -> list[str]:
    """The cells of a line; none where it is no row."""
    if _BAR.search(line):
        bare = line.strip()
        bare = bare.removeprefix("|")
        bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
        cells = _BAR.split(bare)
    else:
        cells = line.strip().split("\t")
    is_row = len(cells) > 1 or line.strip().startswith("|")
    return [_plain(cell) for cell in cells] if is_row else []


def _plain(cell: str) -> str:
    """A cell without its marks of Markdown."""
    cell = _MARKS.sub(lambda found: found[2] or found[3] or " ", cell.replace("\\|", "|"))
    return " ".join(cell.split())


def _table_of_cells(text: str, lines: Sequence[re.Match[str]], at: int) -> tuple[int, SourceTable | None]:
    """The table that begins with a line, and how many lines it takes; 1 and None where none begins."""
    rows, ruled, end = list[Row](), 0, at
    while end < len(lines) and (end == at or text[lines[end - 1].end() : lines[end].start()].count("\n") == 1):
        line = lines[end][0]
        if _RULE.fullmatch(line):
            ruled = ruled or len(rows)
        elif cells := _cells(line):
            rows.append(Row(cells, *lines[end].span()))
        else:
            break
        end += 1
    if not rows:
        return max(1, end - at), None
    levels = ruled if ruled in (1, 2) else 1 if len(rows) < 3 else _levels(rows)
    names, heads = _join_names([row.cells for row in rows[:levels]]), rows[:levels]
    return end - at, SourceTable(names, rows[levels:], rows[0].start, rows[-1].end, heads, is_ruled=bool(ruled))


def _levels(rows: Sequence[Row]) -> int:
    """How many rows hold names: two where the first has a name for several columns."""
    upper, lower, values = (row.cells for row in rows[:3])
    shares = any(one and one == other for one, other in zip(upper, lower, strict=False))
    groups = len({*filter(None, upper)}) < len(upper) or len(upper) < len(lower)
    words = not any(map(_DIGIT.search, (*upper, *lower))) and any(map(_DIGIT.search, values))
    return 2 if groups and (shares or words) and not any(map(_DIGIT.search, lower)) else 1


def _join_names(levels: Sequence[list[str]]) -> list[str]:
    """The names of columns; a name of several columns stands before each of theirs."""
    if len(levels) == 1:
        return levels[0]
    upper, lower = levels
    spread, last = list[str](), ""
    for at in range(len(lower)):
        last = upper[at] if at < len(upper) and upper[at] else last
        spread.append(last)
    return [" ".join(dict.fromkeys(filter(None, pair))) for pair in zip(spread, lower, strict=True)]


def _named_cells(line: str) -> dict[str, str]:
    """The cells of a row by their columns' names; none where one has no name, or there is only one."""
    cells = line.split(" | ") if " | " in line else _BEFORE_NAME.split(line)
    matches = [_NAMED.fullmatch(cell.strip()) for cell in cells]
    named = {match[1]: match[2] for match in matches if match}
    return named if len(named) == len(matches) > 1 else {}


def _named_table(text: str, lines: Sequence[re.Match[str]], at: int) -> tuple[int, SourceTable | None]:
    """The table of rows with names that begins with a line; of a row alone, its only name must be known."""
    found, names, end = list[tuple[dict[str, str], re.Match[str]]](), dict[str, None](), at
    while end < len(lines) and (end == at or text[lines[end - 1].end() : lines[end].start()].count("\n") <= 2):
        line = lines[end]
        named = _named_cells(line[0])
        alone = None if named or "|" in line[0] else _NAMED.fullmatch(line[0].strip())
        if alone and (alone[1] in names or _goes_on(lines, end, alone[1])):
            named = {alone[1]: alone[2]}
        if not named or (names and names.keys().isdisjoint(named)):
            break
        names |= dict.fromkeys(named)
        found.append((named, line))
        end += 1
    rows = [Row([named.get(name, "") for name in names], *line.span()) for named, line in found]
    return end - at, SourceTable([*names], rows, rows[0].start, rows[-1].end)


def _goes_on(lines: Sequence[re.Match[str]], at: int, name: str) -> bool:
    return at + 1 < len(lines) and name in _named_cells(lines[at + 1][0])
