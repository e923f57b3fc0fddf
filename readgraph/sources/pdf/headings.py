"""Headings of a PDF without an outline: found by font size, bold print, numbers, and the printed table of contents."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import NamedTuple
from unicodedata import normalize

from readgraph.sources.pdf.page import PrintedLine
from readgraph.sources.places import HeadingPath

MOST_HEADINGS = 5_000
MOST_LINES, LONGEST = 3, 200  # lines and characters of a heading
LARGER = 1.05  # times the text's font size, from which on print may be a heading
CHAPTER_SIZE = 1.15  # times the text's font size, from which on "Word 3" begins a chapter, and is no caption
OWN_LINES = 0.6  # the share of the letters in a kind of print that must be in what looks like headings
MOST_SHARE = 0.25  # the share of a document's lines that may be headings
FEWEST_ENTRIES = 5  # entries of a page of a table of contents
FEWEST_IN_ORDER = 5  # headings with numbers in their order, from which on headings are taken to have numbers
CONFIRMED = 0.3  # the share of headings in a kind of print that a table of contents must name

_DIGITS = re.compile(r"((?:\d{1,3}|[A-Z](?=\.\d))(?:\.\d{1,3}){0,6})[.:)]?\s+(?=\W{0,3}[^\W\d_])")
_LETTER = re.compile(r"(?:[A-Z]|[IVXLC]{1,6})[.:)]?\s+(?=\S)")
_NAMED = re.compile(r"([^\W\d_]{2,15})\.?\s(?:\d{1,3}|[A-Z]|[IVXLC]{1,6})(?:[.:)—–-]+(?:\s+|$)|\s*$|\s+(?=\S))")
_SURE_NAMED = re.compile(r"[^\W\d_]{2,15}\.?\s(?:\d{1,3}|[A-Z]|[IVXLC]{1,6})\s?(?:[.:—–]|$)")
_CAPTION = re.compile(r"[^\W\d_]{2,12}\.?\s[A-Z]?\d{1,3}(?:[.-]\d{1,3})*\s?(?:[.:—–]|$)")
_CJK = re.compile(r"第\s?[\d〇一二三四五六七八九十百]{1,5}\s?([章部篇編节節回])[.:]?\s*")
_PART = re.compile(r"(?:part|teil|partie|parte|deel|część|část|часть|del|osa|kısım)\b", re.IGNORECASE)
_CHAPTER = re.compile(
    r"(?:chapter|appendix|annex|kapitel|anhang|chapitre|annexe|cap[ií]tulo|ap[eé]ndice|capitolo|appendice|hoofdstuk|"
    r"bijlage|rozdział|kapitola|luku|liite|глава|приложение|bölüm|ek)\b",
    re.IGNORECASE,
)
_PAGE_NUMBER = re.compile(r"(?<=[\s.·…_|])(?:\d{1,4}|[ivxlc]{1,7})$")
_LEADERS = " .·…_|\t"
_LETTERS = re.compile(r"[^\W\d_]{2}|[\u2e80-\u9fff\uac00-\ud7af]")
_FOLDED = re.compile(r"[\W_\u0300-\u036f]+")

_ENDS = ".,;:。，、；："

Style = tuple[float, bool]  # font size, and whether it is bold


class _Entry(NamedTuple):
    """A line of a printed table of contents: the title to compare, where it begins, the page (0: not in digits)."""

    title: str
    x: float
    page: int


@dataclass(slots=True)
class _Block:
    """Lines of one print that stand alone: what may be a heading."""

    lines: list[PrintedLine]
    page: int
    text: str
    style: Style
    is_apart: bool
    numbers: tuple[int, ...] = ()
    depth: float | None = None
    level: float = 0.0
    in_contents: bool = False


def find_headings(pages: Sequence[Sequence[PrintedLine]]) -> Iterator[tuple[int, str]]:
    """(character offset, label) of the headings of a PDF without an outline; none where there is little to tell them.

    `pages` are the lines of each page in reading order, as they were joined to the text.
    """
    lines = [line for page in pages for line in page]
    letters = Counter[float]()
    for line in lines:
        letters[_style_of(line)[0]] += len(line.text)
    if not letters:
        return
    size = letters.most_common(1)[0][0]
    steps = (a.y - b.y for page in pages for a, b in pairwise(page) if abs(a.size - size) < 0.3 > abs(b.size - size))
    step = median([step for step in steps if 0 < step < 3 * size] or [1.2 * size])
    contents = {number: own for number, page in enumerate(pages) if (own := _entries_of(page))}
    entries = [entry for found in contents.values() for entry in found]
    levels = _levels_of_entries(entries)
    blocks = [
        block
        for number, page in enumerate(pages)
        if number not in contents
        for block in _join_parts([*_blocks_of(page, number, size, step)], size)
    ]
    for block in blocks:
        block.depth = _depth_of(block, size)
    _confirm(blocks, entries)
    found = _set_levels(_choose(blocks, lines, size, len(entries)), levels)
    if len(found) < 2 or sum(len(block.lines) for block in found) > MOST_SHARE * len(lines):
        return
    path = HeadingPath()
    for block in found[:MOST_HEADINGS]:
        yield block.lines[0].start, path.enter(block.level, block.text)  # type: ignore[arg-type]


def without_number(title: str) -> str:
    """A heading without the number before it: "3.2", "Chapter 4:", "A", "第3章"."""
    for pattern in (_CJK, _DIGITS, _LETTER):
        if found := pattern.match(title):
            return title[found.end() :]
    found = _NAMED.match(title)
    if found and (_SURE_NAMED.match(title) or _CHAPTER.match(title) or _PART.match(title)):
        return title[found.end() :]
    return title


def fold_heading(text: str) -> str:
    """A heading as it is compared: letters and digits without accents and case, without its numbers."""
    while (shorter := without_number(text)) != text:
        text = shorter
    return _FOLDED.sub("", normalize("NFKD", text)).casefold().replace("ı", "i")


def _style_of(line: PrintedLine) -> Style:
    return round(line.size * 2) / 2, line.bold


def _entries_of(page: Sequence[PrintedLine]) -> list[_Entry]:
    """What a page of a table of contents names; nothing of another page."""
    found: list[_Entry] = []
    numbers: list[int] = []
    for line in page:
        own = _PAGE_NUMBER.search(line.text, max(len(line.text) - 9, 0))
        if own and _LETTERS.search(title := line.text[: own.start()].rstrip(_LEADERS)[:LONGEST]):
            number = int(own[0]) if own[0].isdecimal() else 0
            numbers += [number] if number else []
            found.append(_Entry(fold_heading(title.replace(" | ", " ")), line.x, number))
    rising = sum(first <= second for first, second in pairwise(numbers))
    is_contents = len(found) >= FEWEST_ENTRIES and 2 * len(found) > len(page) and rising >= 0.9 * (len(numbers) - 1)
    return found if is_contents else []


def _confirm(blocks: Sequence[_Block], entries: Sequence[_Entry]) -> None:
    """Mark the blocks that a table of contents names: by their title, and by their page where it is told in digits."""
    pages = defaultdict[str, set[int]](set)
    for entry in entries:
        pages[entry.title].add(entry.page)
    titles = [(block, named) for block in blocks if (named := pages.get(fold_heading(block.text)))]
    offsets = Counter(block.page - page for block, named in titles for page in named if page)
    offset = offsets.most_common(1)[0][0] if offsets else 0
    for block, named in titles:
        block.in_contents = 0 in named or block.page - offset in named


def _levels_of_entries(entries: Sequence[_Entry]) -> dict[str, int]:
    """The level of each title in a table of contents, by how far it is indented."""
    starts = Counter(round(x / 3.0) for _, x, _ in entries)
    usual = sorted(start for start, count in starts.items() if count > 1)
    ranks: dict[int, int] = {}
    for start in usual:
        ranks[start] = ranks[start - 1] if start - 1 in ranks else len(set(ranks.values())) + 1
    return {title: ranks[start] for title, x, _ in entries if (start := round(x / 3.0)) in ranks}


def _blocks_of(page: Sequence[PrintedLine], number: int, size: float, step: float) -> Iterator[_Block]:
    """What may be a heading on a page, by its print; `step` is the usual one from line to line of the text."""
    at = 0
    while at < len(page):
        end = at + 1
        while end < len(page) and _goes_on(page[end - 1], page[end]):
            end += 1
        own = list(page[at:end])
        text = " ".join(line.text for line in own).replace(" | ", " ").strip(" |")
        above = page[at - 1].y - own[0].y if at else -1.0
        below = own[-1].y - page[end].y if end < len(page) else -1.0
        at = end
        style = _style_of(own[0])
        numbered = _DIGITS.match(text)
        is_sure = numbered and "." in numbered[1] and style[0] > LARGER * size
        if len(own) > MOST_LINES or len(text) > LONGEST or (any(line.is_row for line in own) and not is_sure):
            continue
        if not _NAMED.fullmatch(text) and not (_LETTERS.search(text) and (is_sure or text[-1] not in _ENDS)):
            continue
        is_apart = (above < 0 or above > 1.25 * step) and (below < 0 or below > 1.02 * step)
        numbers = tuple(int(part) if part.isdecimal() else ord(part) for part in numbered[1].split(".")) if numbered else ()
        yield _Block(own, number, text, style, is_apart, numbers)


def _goes_on(above: PrintedLine, below: PrintedLine) -> bool:
    step = above.y - below.y
    same = _style_of(above)[1] == _style_of(below)[1] and abs(above.size - below.size) < 0.3
    return same and 0 < step < 1.6 * above.size and not _DIGITS.match(below.text)


def _join_parts(blocks: list[_Block], size: float) -> list[_Block]:
    """The blocks, those joined that are one heading in two prints: "Chapter 4" above its title."""
    joined: list[_Block] = []
    for block in blocks:
        above = joined[-1] if joined else None
        if above and above.style[0] >= CHAPTER_SIZE * size and _is_number(above.text) and _is_near(above, block, size):
            text = f"{above.text} {block.text}"
            style = max(above.style, block.style)
            joined[-1] = _Block(above.lines + block.lines, block.page, text, style, is_apart=True, numbers=above.numbers)
        else:
            joined.append(block)
    return joined


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"(?:[^\W\d_]{2,15}\.?\s)?(?:\d{1,3}|[A-Z]|[IVXLC]{1,6})[.:]?", text) or _CJK.fullmatch(text))


def _is_near(above: _Block, block: _Block, size: float) -> bool:
    step = above.lines[-1].y - block.lines[0].y
    return 0 < step < 8 * size and block.style[0] >= CHAPTER_SIZE * size


def _depth_of(block: _Block, size: float) -> float | None:
    """How deep a heading's number says that it is: 1 for a chapter, 2 for "3.2"; None without a number."""
    if found := _CJK.match(block.text):
        return {"部": 0, "篇": 0, "編": 0, "節": 2, "节": 2}.get(found[1], 1)
    if found := _DIGITS.match(block.text):
        return 1 + found[1].count(".")
    if block.style[0] >= CHAPTER_SIZE * size and _NAMED.match(block.text):
        if _PART.match(block.text):
            return 0
        if _CHAPTER.match(block.text) or _SURE_NAMED.match(block.text):
            return 1
    return None


def _choose(blocks: list[_Block], lines: Sequence[PrintedLine], size: float, entries: int) -> list[_Block]:
    """The headings: blocks whose print is that of headings, or which the table of contents names."""
    letters, styles = Counter[Style](), defaultdict[Style, list[_Block]](list)
    for line in lines:
        letters[_style_of(line)] += len(line.text)
    for block in blocks:
        if block.is_apart:
            styles[block.style].append(block)
    is_numbered = _count_in_order(blocks, size) >= FEWEST_IN_ORDER
    has_contents = sum(block.in_contents for block in blocks) >= max(FEWEST_ENTRIES, entries // 3)
    kept = set[Style]()
    for style, own in styles.items():
        is_strong = style[0] > LARGER * size or (style[1] and style[0] >= size)
        named = sum(block.in_contents for block in own)
        numbered = sum(block.depth is not None for block in own)
        taken = sum(len(line.text) for block in own for line in block.lines)
        if not is_strong or taken < OWN_LINES * letters[style]:
            continue
        if has_contents:
            if named >= CONFIRMED * len(own):
                kept.add(style)
        elif 3 * numbered >= len(own) if is_numbered else len(own) > 1 or numbered:
            kept.add(style)
    repeated = Counter(fold_heading(block.text) for block in blocks if block.depth is None and block.style in kept)
    found: list[_Block] = []
    last: tuple[int, ...] = ()
    for block in blocks:
        is_large = block.style[0] > LARGER * size
        often = not block.in_contents and block.depth is None and repeated[fold_heading(block.text)] > (2 if has_contents else 8)
        is_usual = block.style in kept and block.is_apart and not often
        is_next = len(block.numbers) > 1 and (is_large or block.style[1]) and block.is_apart and _follows(last, block.numbers)
        is_named = has_contents and block.in_contents and (block.is_apart or is_large)
        if is_named or ((is_usual or is_next) and not (_CAPTION.match(block.text) and block.depth is None)):
            found.append(block)
            last = block.numbers or last
    return found


def _count_in_order(blocks: Sequence[_Block], size: float) -> int:
    """How many headings below the highest level have the number that comes next."""
    found, last = 0, (0,)
    for block in blocks:
        if block.numbers and block.is_apart and block.style[0] > LARGER * size:
            found += len(block.numbers) > 1 and _follows(last, block.numbers)
            last = block.numbers
    return found


def _follows(last: tuple[int, ...], numbers: tuple[int, ...]) -> bool:
    """Whether a heading's number may come after the last one: "3.2" after "3.1" or "3.1.4", "3.1.1" after "3.1"."""
    *above, own = numbers
    if len(numbers) > len(last):
        return (*last, 1) == numbers
    return last[: len(above)] == (*above,) and last[len(above)] + 1 == own


def _set_levels(found: list[_Block], levels: dict[str, int]) -> list[_Block]:
    """The headings with their levels: by number, else as those in the same print, else by size."""
    depths = defaultdict[Style, Counter[float]](Counter)
    for block in found:
        depth = block.depth
        if depth is None and not any(other.depth is not None for other in found):
            depth = levels.get(fold_heading(block.text)) if block.in_contents else None
        if depth is not None:
            depths[block.style][depth] += 1
    usual = {style: counted.most_common(1)[0][0] for style, counted in depths.items()}
    before = min(usual.values(), default=0.5) - 0.5
    for style in sorted({block.style for block in found}, reverse=True):
        usual.setdefault(style, before + 0.5)
        before = usual[style]
    for block in found:
        block.level = usual[block.style] if block.depth is None else block.depth
    return found
