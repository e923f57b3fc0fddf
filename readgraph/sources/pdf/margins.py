"""Running heads, feet and page numbers: what repeats at the edges of pages leaves the flow of their text."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from readgraph.sources.pdf.layout import group_rows
from readgraph.sources.pdf.printed import PrintedLine

MOST_ROWS = 3  # rows of a running head, or of a foot
FEWEST_PAGES = 3  # pages on which the same words stand at the same height, or numbers count up with the pages
FARTHEST = 2 * FEWEST_PAGES  # pages in which a section's head stands on the fewest: on odd ones, or on even ones
SAME_HEIGHT = 2.0  # points up or down
APART = 1.4  # usual steps from line to line that part a head from the text below
_PAGE_NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,4}|[ivxlcdm]{1,8})(?![\w,]|\.\w)", re.IGNORECASE)
_ROMAN = re.compile(r"m*(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE | re.ASCII)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_FOOTNOTE = re.compile(r"\d{1,3}\s*[^\W\d].*[.!?…][\"'”’»)]*")
_LETTERS = re.compile(r"[^\W\d_]{2}|[\u2e80-\u9fff\uac00-\ud7af]")
_NUMBERS = re.compile(r"^(?:[^\W\d_]+\s)?(?:\d[\d.]*|[a-z]|[ivxlc]+)[:.)]?\s+|\s+\d+$")
_SEPARATOR = re.compile(r"\s+[|·•–—]\s+")
_ONLY_NUMBER = re.compile(
    r"[^\w#]*(?:page|seite|blatt|p[áa]g(?:ina)?|sid[ae]|strona|str|стр(?:аница)?|第|p|s)?[^\w#]*#(?:\s?[页頁ページ]+)?"
    r"(?:[^\w#]*(?:of|von|de|sur|di|av|af|van|z|из|/)[^\w#]*[\d#]+)?[^\w#]*",
    re.IGNORECASE,
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


def part_margins(pages: Sequence[list[PrintedLine]]) -> tuple[list[list[PrintedLine]], list[list[PrintedLine]]]:
    """The pages without running heads, feet and page numbers; and what of these says something that no page says.

    A row goes where it stands at the same height on several pages with the same words, but for the page's number; where
    it is nothing but a page number that counts up with the pages; or where most rows at its height are such rows (heads
    that change with each section). Only the outermost rows are looked at, and a row with several cells that are no
    number goes only where white space parts it from the text, since a table may begin each page with its header.

    A page keeps its rows where they are more than what would be left. Of the others, the first page on which one says
    something of its own keeps a copy, apart from its text; a page without any other text keeps them, too.
    """
    found: list[list[_Row]] = [[] for _ in pages]
    for is_top in (True, False):
        rows = [row for number, page in enumerate(pages) for row in _outer_rows(number, page, is_top=is_top)]
        offsets = _number_offsets(rows, len(pages))
        for row in rows:
            row.key = "" if not is_top and _FOOTNOTE.fullmatch(row.text) else _key_of(row, offsets)
        inner = _inner_rows(rows)
        often = Counter(row.key for row in rows)
        for row in _find_repeated_rows(rows, len(pages)):
            below = inner.get(row.page, "")
            if row.is_apart or not below or often[below] < often[row.key]:  # else the whole page is repeated
                found[row.page].append(row)
    left = [_without(page, rows) for page, rows in zip(pages, found, strict=True)]
    said = " ".join(" ".join(piece.text.casefold() for piece in page) for page in left)
    said, known = " ".join(said.split()), set[str]()
    copies = list[list[PrintedLine]]()
    for number, rows in enumerate(found):
        own = {id(row.pieces[0]): row for row in rows if not _ONLY_NUMBER.fullmatch(row.key)}  # a page may be one row
        if left[number]:
            if sum(len(piece.text) for piece in left[number]) < sum(len(row.text) for row in own.values()):
                left[number] = _without(pages[number], [row for row in rows if id(row.pieces[0]) not in own])
                own = {}
            copies.append([line for row in own.values() for line in _copy_of(row, said, known)])
        else:
            copies.append([replace(row.pieces[0], text=row.text, is_apart=True) for row in own.values()])
    return (left, copies) if any(left) or any(copies) else (list(pages), copies)


def _inner_rows(rows: Sequence["_Row"]) -> dict[int, str]:
    """The key of the row next to the outermost one, by page."""
    return {row.page: row.key for before, row in pairwise(rows) if before.is_outermost and before.page == row.page}


def _without(page: list[PrintedLine], rows: Sequence["_Row"]) -> list[PrintedLine]:
    dropped = {id(piece) for row in rows for piece in row.pieces}
    return [piece for piece in page if id(piece) not in dropped]


def _copy_of(row: "_Row", said: str, known: set[str]) -> Iterator[PrintedLine]:
    """What a row says that is neither in the text (`said`) nor `known` from other rows, as a line apart."""
    keys = _SEPARATOR.split(row.key or row.text.casefold())
    parts = list[str]()
    for key, part in zip(keys, _SEPARATOR.split(row.text), strict=False):
        words = _NUMBERS.sub(
            "", " ".join(key.replace("#", " ").split())
        )  # "Chapter 2: Rivers" has a heading "2 Rivers"
        if words not in known and not _ONLY_NUMBER.fullmatch(key) and _LETTERS.search(words) and words not in said:
            parts.append(part)
        known.add(words)
    if parts:
        yield replace(row.pieces[0], text=" | ".join(parts), is_apart=True)


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
