"""The rows of a table under the names of its columns: the rows of names are found, and what stands above them."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice, pairwise, takewhile
from statistics import median
from typing import NamedTuple

from readgraph.sources.places import shorten_label

SAMPLE = 50  # rows in which the names are looked for
_BELOW = 12  # rows that are looked at below a row that may hold names
_LONGEST_NAME = 120  # characters
_LONGEST_VALUE = 6  # words of a value that stands alone in its row
_USUAL_STEPS = {1, 5, 10}  # between two years that name columns
_MOST_LEVELS = 3  # rows of names
_SIGNS = ".,'’ \u202f\xa0%‰€$£¥₹₽₩₺₴₫฿₱/:"  # in numbers, with those of money
_NUMBER = re.compile(
    r"[-+−(]?(?:[A-Z]{3} ?)?(?:[A-Z]{1,2}(?=\$))?"
    rf"[\d{_SIGNS}−-]*\d[\d{_SIGNS})−-]*(?:[A-Z]{{3}}|kr|zł|Kč|Ft|E[+-]?\d+)?"
)
_DATE = re.compile(r"\d{1,4}[-./ ]{1,2}[^\W\d_]{3,9}\.?[-./ ]{0,2}\d{0,4}|\d{4}-\d\d-\d\d[T ].*|\d{1,2}:\d\d.*")
_TRUTH, _WORDS, _NOTHING = "yes or no", "words", ""  # kinds of values; of numbers they are "number" and "date"
_LONGEST_NOTHING = 5  # characters of what stands for no value, such as "n/a" or "–"
_FEW_PAIRS = 4
_LONGEST_KEY = 5  # words before a value of its own
_MOST_PAIRS = 40
_DAY = re.compile(r"\d{1,4}([-./])\d{1,2}\1\d{1,4}\.?")
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d(?:\s*[/–-]\s*\d{2,4})?")


class Row(NamedTuple):
    """A row: its number, and its cells by their columns (from 1); a cell may be known and have no text."""

    number: int
    cells: Mapping[int, str]

    @property
    def filled(self) -> dict[int, str]:
        """The cells with text."""
        return {column: text for column, text in self.cells.items() if text}


def name_cells(rows: Iterable[Row], heads: Collection[int] = ()) -> Iterator[tuple[int, str]]:
    """The text of each row with its number: "crop: rye | tons: 7"; titles and remarks stand for themselves.

    Args:
        rows: The rows in order; those without text may be missing.
        heads: The numbers of rows that are known to hold names.
    """
    filled = (row for row in rows if row.filled)
    ahead = list(islice(filled, SAMPLE))
    names, last = _Names([], []), 0
    may_begin = begins = True
    while ahead:
        row, taken = ahead[0], 1
        if begins or (may_begin and (row.number in heads or names.ends_before(ahead, after_gap=row.number > last + 1))):
            begins = may_begin = False  # what follows the names is a row of values
            found = _find_names_of_block(ahead, heads)
            taken = found.start + found.levels
            names = _Names(ahead[found.start : taken], ahead[taken:])
            for above in ahead[: found.start]:
                yield above.number, " | ".join(dict.fromkeys(above.filled.values()))
            if beside := names.without_values:
                yield names.number, " | ".join(beside)
        else:
            may_begin = True
            if text := names.label(
                names.take_names_beside(row, ahead[1 : 1 + _BELOW]), after_gap=row.number > last + 1
            ):
                yield row.number, text
        last = ahead[taken - 1].number if taken else last
        ahead = ahead[taken:]
        ahead += islice(filled, SAMPLE - len(ahead))


class _Found(NamedTuple):
    start: int  # the number of rows above
    levels: int  # the number of rows of names


class _Names:
    """The names of a table's columns, and what is known of its values."""

    def __init__(self, levels: list[Row], below: list[Row]) -> None:
        self.number = levels[-1].number if levels else 0
        self._names = _join_levels(levels)
        self._span = (min(self._names, default=1) - 1, max(self._names, default=0) + 1)
        self._levels = [list(level.filled.values()) for level in levels]
        sample, block = below[:SAMPLE], _block([*levels, *below])
        self._columns = {column for row in block for column in row.cells} | set(self._names)
        self._are_pairs = not levels and _are_pairs(block)
        self._values: list[Row] = []  # the first rows of values
        self.without_values = [
            name for column, name in self._names.items() if not any(column in row.cells for row in sample)
        ]

    def label(self, row: Row, *, after_gap: bool = False) -> str:
        """A row's values after their columns' names; "" for names that are repeated, as at the top of each page."""
        filled = row.filled
        if not filled or list(filled.values()) in self._levels:
            return ""
        self._values += [row] * (len(self._values) < SAMPLE)
        if not self._names:
            if len(self._columns) < 2 or next(iter(filled.values())).endswith(":"):
                return " ".join(filled.values())
            if self._are_pairs and len(filled) < 3:
                return ": ".join(filled.values())
            return " | ".join(f"column {column}: {text}" for column, text in filled.items())
        if len(filled) == 1 and len(self._names) > 1 and _is_remark(next(iter(filled.values())), after_gap=after_gap):
            return next(iter(filled.values()))
        return " | ".join(
            f"{name}: {text}" if (name := self._names.get(column, "")) else text for column, text in filled.items()
        )

    def take_names_beside(self, row: Row, below: list[Row]) -> Row:
        """The row without the names of another table that begins beside this one, apart from its columns."""
        first, last = self._span
        if not self._names or (min(row.cells) >= first and max(row.cells) <= last):
            return row
        apart = {column: text for column, text in row.filled.items() if not first <= column <= last}
        under = [Row(each.number, {column: each.cells.get(column, "") for column in apart}) for each in below]
        under = [each for each in under if each.filled]
        if len(apart) < 2 or not under or not _are_names(Row(row.number, apart), under):
            return row
        self._names |= apart
        self._span = (min(self._names) - 1, max(self._names) + 1)
        return Row(row.number, {column: text for column, text in row.cells.items() if column not in apart})

    def ends_before(self, ahead: list[Row], *, after_gap: bool) -> bool:
        """Whether another table begins with the first of these rows, after an empty one or with its title."""
        filled = ahead[0].filled
        if not after_gap and len(filled) > 1:
            return False
        if list(filled.values()) in self._levels or len(ahead) < 2:
            return False
        names = len(filled) > 1 and _are_names(ahead[0], ahead[1 : 1 + _BELOW])
        is_title = (
            len(filled) == 1
            and len(ahead) > 2
            and ahead[0].number + 3 > ahead[1].number
            and _are_names(ahead[1], ahead[2:_BELOW])
        )
        if self._are_pairs and len(filled) > 2 and names:
            return True
        other = filled if names else ahead[1].filled if is_title and len(ahead[1].filled) > 1 else {}
        apart = [column for column in other if column not in self._columns]
        words_for_numbers = any(is_word(text) and self._is_numeric(column) for column, text in other.items())
        return len(other) > 1 and (len(apart) * 2 > len(other) or words_for_numbers)

    def _is_numeric(self, column: int) -> bool:
        """Whether the values of a column so far are numbers; a few words ("free") may stand among them."""
        texts = [row.filled[column] for row in self._values if column in row.filled]
        words = sum(is_word(text) and (text.isalpha() or len(text) >= _LONGEST_NOTHING) for text in texts)
        return words * 4 < len(texts) - words


def _block(rows: list[Row]) -> list[Row]:
    """The rows up to the first empty one."""
    gap = next((at for at, (one, other) in enumerate(pairwise(rows), 1) if other.number > one.number + 1), len(rows))
    return rows[:gap]


def _are_pairs(rows: list[Row]) -> bool:
    """Whether rows are what is said of one thing, such as "Name | Anna Ohm", and not its values in two columns.

    A column has values of one kind; where all are words, only what no column is called tells.
    """
    rows = [*takewhile(lambda row: len(row.filled) > 1, rows)]
    pairs, same = [list(row.filled.values()) for row in rows], len({tuple(row.filled) for row in rows}) == 1
    if not same or len(pairs) < 2 or any(len(pair) != 2 for pair in pairs) or len(pairs) > _MOST_PAIRS:
        return False
    keys, values = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    are_keys = all(is_word(key) and len(key.split()) <= _LONGEST_KEY and key[-1] not in "?!" for key in keys)
    if not are_keys or len(set(keys)) < len(keys) or (keys[0] + values[0]).islower():
        return False
    kinds, first = {kind for value in values[1:] if (kind := _kind_of(value)) != _NOTHING}, _kind_of(values[0])
    if len(kinds) > 1 or (kinds and first == _TRUTH and kinds != {first}):
        return True
    is_name = len(values[0].split()) > 1 and values[0].istitle() and not keys[0].islower()
    return first == _WORDS and is_name and (kinds == {_WORDS} or len(pairs) < _FEW_PAIRS)


def _kind_of(text: str) -> str:
    """The kind of a value, of which a column has one; a small word among numbers ("free") stands for no other."""
    if text.casefold() in ("true", "false", "yes", "no"):
        return _TRUTH
    if is_word(text):
        return _NOTHING if (len(text) < _LONGEST_NOTHING and not text.isalpha()) or text.islower() else _WORDS
    return "date" if _DATE.fullmatch(text) or _DAY.fullmatch(text) else "number"


def _is_remark(text: str, *, after_gap: bool) -> bool:
    """Whether a cell that stands alone in its row is no value of its column."""
    return is_word(text) and (after_gap or len(text.split()) > _LONGEST_VALUE)


def _join_levels(levels: list[Row]) -> dict[int, str]:
    """The columns' names; of more rows of names, a name above holds for those right of it, up to the next."""
    names: dict[int, list[str]] = {}
    columns = sorted({column for level in levels for column in level.filled})
    for at, level in enumerate(levels):
        above = ""
        lower = {column for row in levels[at + 1 :] for column in row.filled}
        for column in columns:
            above = level.filled.get(column, above if column in lower else "")
            parts = names.setdefault(column, [])
            if above and above not in parts:
                parts.append(above)
    return {column: shorten_label(", ".join(parts).rstrip(": ")) for column, parts in names.items() if parts}


def _find_names_of_block(rows: list[Row], heads: Collection[int]) -> _Found:
    """Where the names of the first table are: in the rows up to an empty one, if these are a table of their own."""
    start = next((at for at, row in enumerate(rows) if len(row.filled) > 1), len(rows))
    block = _block(rows[start:])
    if block and not any(row.number in heads for row in rows):
        if _are_pairs(block):
            return _Found(start, 0)
        of_block = _find_names(rows[: start + len(block)], heads)
        if of_block.levels and of_block.start + of_block.levels < start + len(block):
            return of_block
    return _find_names(rows, heads)


def _find_names(rows: list[Row], heads: Collection[int]) -> _Found:
    """Where the names of the columns are; without any, above which row the values begin."""
    if head := next((at for at, row in enumerate(rows) if row.number in heads), None):
        joined = all(later.number == earlier.number + 1 for earlier, later in pairwise(rows[: head + 1]))
        before = None if joined else _find_names(rows[:head], ())
        return before if before and before.levels else _add_levels(rows, head)
    widths = [len(row.filled) for row in rows if len(row.filled) > 1]
    if not widths:
        return _find_name_of_column(rows)
    width, first = median(widths), min(min(row.filled) for row in rows if len(row.filled) > 1)
    best: int | None = None
    for at, row in enumerate(rows):
        below = rows[at + 1 : at + 1 + _BELOW]
        filled = row.filled
        if row.number in heads:
            best = at
            break
        size = len(filled) + (first not in filled and len(filled) + 1 >= width and len(filled) > 1)
        is_wide = size >= (width if width <= 4 else width * 0.7)
        if len(filled) > 1 and below and _are_names(row, below):
            best = at if best is None or size > len(rows[best].filled) else best
            if is_wide:
                break
        elif is_wide and not _are_words(row) and not (below and _groups(row, below[0])):
            break
    if best is None:
        at = next(at for at, row in enumerate(rows) if len(row.filled) > 1)
        return _Found(at, 0) if len(rows) > 1 or not _are_words(rows[at]) else _Found(at + 1, 0)
    return _add_levels(rows, best)


def _find_name_of_column(rows: list[Row]) -> _Found:
    """The name of a table's only column: a short one, over others that are short or numbers."""
    texts = [next(iter(row.filled.values())) for row in rows]
    is_name = is_word(texts[0]) and len(texts[0].split()) <= 4 and texts[0][-1] not in ".!?:;"
    is_list = len({min(row.filled) for row in rows}) == 1 and median(len(text.split()) for text in texts) <= 5
    return _Found(0, int(is_name and is_list and len(rows) > 1))


def _add_levels(rows: list[Row], at: int) -> _Found:
    """The rows of names around one: groups above it, units below it."""
    start, end = at, at + 1
    while start and end - start < _MOST_LEVELS and _groups(rows[start - 1], rows[start]):
        start -= 1
    if end + 1 < len(rows) and rows[end].number == rows[at].number + 1:
        lower, values = rows[end], rows[end + 1 : end + 1 + _BELOW]
        numeric = {column for row in values for column, text in row.filled.items() if not is_word(text)}
        covers = _groups(rows[at], lower) and len(lower.filled) > 1 and _are_words(lower) and bool(numeric)
        are_units = _are_words(lower) and set(lower.filled) <= numeric
        end += covers or are_units
    return _Found(start, end - start)


def _groups(upper: Row, lower: Row) -> bool:
    """Whether a row holds names of groups of the columns that are named below it."""
    below = lower.filled
    above = {column: text for column, text in upper.filled.items() if column <= max(below)}  # a remark may stand beside
    if upper.number + 1 != lower.number or not above or max(map(len, below.values())) > _LONGEST_NAME:
        return False
    repeated = len(set(above.values())) < len(above)
    apart = min(above) not in below or min(above) > min(below) or len(set(below.values())) < len(below)
    gaps = bool(set(below) - set(above)) and (apart or any(map(_YEAR.fullmatch, above.values())))
    is_title = len(set(above.values())) < 2
    return (
        not is_title
        and (repeated or gaps)
        and not any(text.endswith(":") for text in above.values())
        and (_are_words(upper) or all(is_word(text) or _YEAR.fullmatch(text) for text in above.values()))
    )


def _are_words(row: Row) -> bool:
    return all(map(is_word, row.filled.values()))


def is_word(text: str) -> bool:
    """Whether a cell holds neither a number nor a date."""
    return not (_NUMBER.fullmatch(text) or _DATE.fullmatch(text))


def _are_names(row: Row, below: list[Row]) -> bool:
    """Whether a row may name columns with these values: different words, or years and the like above other values."""
    filled = row.filled
    numbers = {column: text for column, text in filled.items() if not is_word(text)}
    colons = sum(text.endswith(":") for text in filled.values())
    if 0 < colons < len(filled) or any(len(text) > _LONGEST_NAME for text in filled.values()):
        return False
    different = len(set(filled.values()))
    has_numbers_below = any(
        not is_word(each.filled[column])
        for column, text in filled.items()
        for each in below
        if column in each.filled and (column not in numbers or _YEAR.fullmatch(text))
    )
    if different < len(filled) and not (has_numbers_below and different * 2 >= len(filled)):
        return False
    has_words = len(numbers) < len(filled) or _has_empty_corner(row, below)
    return not numbers or _is_series(numbers, below, has_words=has_words)


def _has_empty_corner(row: Row, below: list[Row]) -> bool:
    return any(each.filled and min(each.filled) < min(row.filled) for each in below)


def _is_series(numbers: Mapping[int, str], below: list[Row], *, has_words: bool) -> bool:
    """Whether numbers are years, dates or running numbers that name columns."""
    texts = list(numbers.values())
    under = [row.filled[column] for row in below for column in numbers if column in row.filled]
    if all(map(_YEAR.fullmatch, texts)):
        years = sorted({int(text[:4]) for text in texts})
        steps = {later - earlier for earlier, later in pairwise(years)}
        is_even = len(steps) == 1 and (len(years) > 2 or steps <= _USUAL_STEPS)
        return bool(under) and ((is_even and has_words) or not any(map(_YEAR.fullmatch, under)))
    if not has_words:
        return False
    if all(map(_DATE.fullmatch, texts)) or all(
        re.fullmatch(r"\d{1,4}[-./]\d\d?([-./]\d{2,4})?", text) for text in texts
    ):
        return bool(under) and not any(map(_DATE.fullmatch, under)) and not set(under) & set(texts)
    if len(texts) > 2 and all(text.isdecimal() and len(text) < 4 for text in texts):
        return {int(later) - int(earlier) for earlier, later in pairwise(texts)} == {1}
    return False
