"""Headings of a PDF without bookmarks: found by font size, bold print, numbers, and the printed table of contents."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from statistics import median
from unicodedata import normalize

from readgraph.sources.pdf.printed import PrintedLine
from readgraph.sources.places import HeadingPath

MOST_HEADINGS = 5_000
MOST_LINES, LONGEST = 3, 200  # lines and characters of a heading
LARGER = 1.05  # times the text's font size, from which on print may be a heading
CHAPTER_SIZE = 1.15  # the same for "Word 3", which is else a caption
OWN_LETTERS = 0.6  # the share of a print's letters that must stand in what may be headings
EVEN_LETTERS, FEWEST_EVEN = 0.95, 10  # the same, and how many headings, of a print without numbers beside others
MOST_SHARE = 0.25  # the share of a document's lines that may be headings
FRONT_PAGES = 10  # pages at the beginning, or a fifth of all if these are more, that may hold the table of contents
FEWEST_ENTRIES = 5  # entries of a page of a table of contents
FEWEST_IN_ORDER = 5  # headings whose numbers follow each other, from which on others need a number, too
CONFIRMED = 0.3  # the share of a print's headings that the table of contents must name
OFTEN = 8  # times that a title without a number may come: "Note" is none

_DIGITS = re.compile(r"((?:\d{1,3}|[A-Z](?=\.\d))(?:\.\d{1,3}){0,6})[.:)]?\s+(?=\W{0,3}[^\W\d_])")
_LETTER = re.compile(r"(?:[A-Z]|[IVXLC]{1,6})[.:)]?\s+(?=\S)")
_WORD_NUMBER = re.compile(
    r"[^\W\d_]{2,15}\.?\s(?:[A-Z]?\d{1,3}(?:[.-]\d{1,3})*|[A-Z]|[IVXLC]{1,6})(?P<end>\s?[.:)—–-]|$|(?=\s))\W*"
)
_CJK = re.compile(r"第\s?[\d〇一二三四五六七八九十百]{1,5}\s?([章部篇編节節回])[.:]?\s*")
_PART = re.compile(r"(?:part|teil|partie|parte|deel|część|část|часть|del|osa|kısım)\b", re.IGNORECASE)
_CHAPTER = re.compile(
    r"(?:chapter|appendix|annex|kapitel|anhang|chapitre|annexe|cap[ií]tulo|ap[eé]ndice|capitolo|appendice|hoofdstuk|"
    r"bijlage|rozdział|kapitola|luku|liite|глава|приложение|bölüm|ek)\b",
    re.IGNORECASE,
)
_ONLY_NUMBER = re.compile(rf"(?:[^\W\d_]{{2,15}}\.?\s)?(?:\d{{1,3}}|[A-Z]|[IVXLC]{{1,6}})[.:]?|{_CJK.pattern}")
_PAGE_NUMBER = re.compile(r"(?<=[\s.·…_|])(?:\d{1,4}|[ivxlc]{1,7})$")
_LEADERS, _ENDS = " .·…_|\t", ".,;:。，、；："
_LETTERS = re.compile(r"[^\W\d_]{2}|[\u2e80-\u9fff\uac00-\ud7af]")
_FOLDED = re.compile(r"[\W_\u0300-\u036f]+")

Style = tuple[float, bool]  # font size, and whether it is bold
Entry = tuple[str, int, int]  # of a table of contents: title to compare, page (0: not in digits), level (0: no number)


@dataclass(slots=True)
class _Block:
    """Lines of one print, which may be a heading; `level` is 0 until it is known."""

    lines: list[PrintedLine]
    page: int
    is_apart: bool
    is_outer: bool  # the first or last one of its page
    text: str = field(init=False)
    title: str = field(init=False)  # to compare
    style: Style = field(init=False)
    numbers: tuple[str, ...] = field(init=False)
    level: int | None = None
    in_contents: bool = False

    def __post_init__(self) -> None:
        self.text = " ".join(line.text for line in self.lines).replace(" | ", " ").strip(" |")
        self.title = fold_heading(self.text)
        self.style = max(map(_style_of, self.lines))
        match = _DIGITS.match(self.text)
        self.numbers = tuple(match[1].split(".")) if match else ()


def find_headings(pages: Sequence[Sequence[PrintedLine]]) -> Iterator[tuple[int, str]]:
    """(character offset, label) of the headings of a PDF without bookmarks; none where there is little to tell them.

    `pages` are the lines of each page in reading order, as they were joined to the text.
    """
    letters, sizes = Counter[Style](), Counter[float]()
    for line in chain.from_iterable(pages):
        letters[style := _style_of(line)] += len(line.text)
        sizes[style[0]] += len(line.text)
    size = max(sizes, key=lambda size: sizes[size], default=0.0)
    steps = (a.y - b.y for page in pages for a, b in pairwise(page) if abs(a.size - size) < 0.3 > abs(b.size - size))
    step = median([step for step in steps if 0 < step < 3 * size] or [1.2 * size])
    front = max(FRONT_PAGES, len(pages) // 5)
    entries: list[Entry] = []
    blocks: list[_Block] = []
    for number, page in enumerate(map(list, pages)):
        entries += _take_entries(page, len(pages) + FRONT_PAGES) if number < front else []
        for block in _blocks_of(page, number, size, step):
            above = blocks[-1] if blocks and blocks[-1].page == number else block
            is_large = min(above.style[0], block.style[0]) >= CHAPTER_SIZE * size
            if is_large and _ONLY_NUMBER.fullmatch(above.text) and 0 < above.lines[-1].y - block.lines[0].y < 8 * size:
                del blocks[-1]  # "Chapter 4" above its title
                block = _Block([*above.lines, *block.lines], number, True, above.is_outer)
            blocks.append(block)
            block.level = _level_of_number(block, size)
    _confirm(blocks, entries)
    has_contents = sum(block.in_contents for block in blocks) >= max(FEWEST_ENTRIES, len(entries) // 3)
    kept = _styles_of_headings(blocks, letters, size, has_contents=has_contents)
    found = _choose(blocks, kept, size, has_contents=has_contents)
    if len(found) < 2 or sum(len(block.lines) for block in found) > MOST_SHARE * sum(map(len, pages)):
        return
    path, levels = HeadingPath(), {title: level for title, _, level in entries if level}
    for block, level in zip(found[:MOST_HEADINGS], _levels(found, levels), strict=False):
        yield block.lines[0].start, path.enter(level, block.text)


def fold_heading(text: str) -> str:
    """A heading to compare: letters and digits without accents and case, without "3.2", "Chapter 4:", "第3章"."""
    while match := _CJK.match(text) or _DIGITS.match(text) or _LETTER.match(text) or _named(text):
        if match.end() == len(text):
            break
        text = text[match.end() :]
    return _FOLDED.sub("", normalize("NFKD", text)).casefold().replace("ı", "i")


def _named(text: str) -> re.Match[str] | None:
    """The number that a heading or a caption begins with after a word: "Chapter 4", "Figure 3.1:"."""
    match = _WORD_NUMBER.match(text)
    is_sure = match and (match["end"] or match.end() == len(text) or _CHAPTER.match(text) or _PART.match(text))
    return match if is_sure else None


def _is_chapter(text: str) -> bool:
    """Whether a text begins like "Chapter 4" or "Anhang B", and so is no caption whatever its print."""
    return bool(_CHAPTER.match(text) and _WORD_NUMBER.match(text))


def _style_of(line: PrintedLine) -> Style:
    return round(line.size * 2) / 2, line.bold


def _take_entries(page: list[PrintedLine], most: int) -> list[Entry]:
    """Take a table of contents out of a page's lines, with its own heading; its entries. `most`: the last page."""
    found: list[Entry] = []
    at: list[int] = []
    for number, line in enumerate(page):
        own = _PAGE_NUMBER.search(line.text, max(len(line.text) - 9, 0))
        on_page = int(own[0]) if own and own[0].isdecimal() else 0
        if own and on_page <= most and _LETTERS.search(title := line.text[: own.start()].rstrip(_LEADERS)[:LONGEST]):
            title = title.replace(" | ", " ").lstrip(" |")
            in_digits = _DIGITS.match(title)
            depth = 1 + in_digits[1].count(".") if in_digits else int(_is_chapter(title))
            found.append((fold_heading(title), on_page, depth))
            at.append(number)
    numbers = [number for _, number, _ in found if number]
    falling = sum(first > second for first, second in pairwise(numbers))
    if len(found) < FEWEST_ENTRIES or 2 * len(found) <= at[-1] - at[0] or 10 * falling > len(numbers):
        return []
    del page[max(at[0] - 1, 0) : at[-1] + 1]
    return found


def _confirm(blocks: Sequence[_Block], entries: Sequence[Entry]) -> None:
    """Mark the blocks that a table of contents names: by their title, and by their page where it is told in digits."""
    pages = defaultdict[str, set[int]](set)
    for title, page, _ in entries:
        pages[title].add(page)
    named = [block for block in blocks if block.title in pages]
    offsets = Counter(block.page - page for block in named for page in pages[block.title] if page)
    offset = max(offsets, key=lambda offset: offsets[offset], default=0)
    for block in named:
        block.in_contents = bool({0, block.page - offset} & pages[block.title])


def _blocks_of(page: Sequence[PrintedLine], number: int, size: float, step: float) -> Iterator[_Block]:
    """What may be a heading on a page; `step` is the usual one from line to line of the text."""
    end = 0
    while end < len(page):
        begin, end = end, end + 1
        while end < len(page) and _goes_on(page[end - 1], page[end]):
            end += 1
        lines = page[begin:end]
        if len(lines) > MOST_LINES or sum(len(line.text) for line in lines) > LONGEST:
            continue
        above = page[begin - 1].y - lines[0].y if begin else -1.0
        below = lines[-1].y - page[end].y if end < len(page) else -1.0
        is_apart = (above < 0 or above > 1.25 * step) and (below < 0 or below > 1.02 * step)
        block = _Block([*lines], number, is_apart, above < 0 or below < 0)
        is_sure = block.numbers and block.style[0] > (LARGER if len(block.numbers) > 1 else CHAPTER_SIZE) * size
        is_title = (
            _LETTERS.search(block.text) and block.text[-1] not in _ENDS and not any(line.is_row for line in lines)
        )
        if is_sure or is_title or _ONLY_NUMBER.fullmatch(block.text):
            yield block


def _goes_on(above: PrintedLine, below: PrintedLine) -> bool:
    is_same = above.bold == below.bold and abs(above.size - below.size) < 0.3
    return is_same and 0 < above.y - below.y < 1.6 * above.size and not _DIGITS.match(below.text)


def _level_of_number(block: _Block, size: float) -> int | None:
    """The level that a heading's number tells: 1 for a chapter, 2 for "3.2"; None without a number."""
    if match := _CJK.match(block.text):
        return {"部": 0, "篇": 0, "編": 0, "節": 2, "节": 2}.get(match[1], 1)
    is_marked = block.style[0] >= CHAPTER_SIZE * size or (block.style[1] and _is_chapter(block.text))
    if not block.numbers and is_marked and _named(block.text):
        return 0 if _PART.match(block.text) else 1
    return len(block.numbers) or None


def _styles_of_headings(
    blocks: Sequence[_Block], letters: Counter[Style], size: float, *, has_contents: bool
) -> set[Style]:
    """The kinds of print in which headings stand: nearly all that is printed so may be one."""
    styles = defaultdict[Style, list[_Block]](list)
    in_order, last = 0, tuple[str, ...]("0")
    for block in blocks:
        if block.is_apart and (block.style[0] > LARGER * size or (block.style[1] and block.style[0] >= size)):
            styles[block.style].append(block)
            if block.numbers and block.style[0] > LARGER * size:
                in_order += len(block.numbers) > 1 and _follows(last, block.numbers)
                last = block.numbers
    kept = set[Style]()
    for style, own in styles.items():
        taken = sum(len(line.text) for block in own for line in block.lines) / letters[style]
        numbered = sum(block.level is not None for block in own)
        if has_contents:
            is_kept = sum(block.in_contents for block in own) >= CONFIRMED * len(own)
        elif in_order >= FEWEST_IN_ORDER:
            is_even = style[0] > LARGER * size and taken > EVEN_LETTERS and len(own) >= FEWEST_EVEN
            is_kept = 3 * numbered >= len(own) or is_even
        else:
            is_kept = len(own) > 1 or numbered > 0
        if is_kept and taken > OWN_LETTERS:
            kept.add(style)
    return kept


def _choose(blocks: Sequence[_Block], kept: set[Style], size: float, *, has_contents: bool) -> list[_Block]:
    """The headings: blocks in their print, blocks with the number that comes next, and what the contents name."""
    repeated = Counter(block.title for block in blocks if block.level is None and block.style in kept)
    found: list[_Block] = []
    sizes: dict[str, float] = {}
    last: tuple[str, ...] = ()
    for block in blocks:
        if not _LETTERS.search(block.text):
            continue
        is_large = block.style[0] > LARGER * size
        is_caption = block.level is None and _named(block.text) and not _is_chapter(block.text)
        is_usual = block.is_apart and block.style in kept
        if block.in_contents and has_contents:
            is_heading = (block.is_apart or is_large) and not is_caption
        elif block.is_outer and sizes.get(block.title, 0.0) > block.style[0]:  # a running head
            is_heading = False
        elif block.level is None:
            is_heading = is_usual and repeated[block.title] <= OFTEN and not is_caption
        else:
            in_order = len(block.numbers) > 1 and (is_large or block.style[1]) and _follows(last, block.numbers)
            is_heading = is_usual or (block.is_apart and in_order)
        if is_heading:
            found.append(block)
            sizes[block.title] = block.style[0]
            last = block.numbers or last
    first = next((at for at, block in enumerate(found) if block.in_contents or block.level is not None), 0)
    return [block for at, block in enumerate(found) if at >= first or block.page]  # without title, authors and date


def _follows(last: tuple[str, ...], numbers: tuple[str, ...]) -> bool:
    """Whether a heading's number may come after the last one: "3.2" after "3.1" or "3.1.4", "3.1.1" after "3.1"."""
    *above, own = numbers
    if len(numbers) > len(last):
        return (*last, "1") == numbers
    before = last[len(above)]
    return last[: len(above)] == (*above,) and before.isdecimal() and own.isdecimal() and int(before) + 1 == int(own)


def _levels(blocks: Sequence[_Block], in_contents: dict[str, int]) -> Iterator[int]:
    """The headings' levels, by twos: by number, else by the contents, else as those in the same print, else by size."""
    depths = defaultdict[Style, Counter[int]](Counter)
    for block in blocks:
        if block.level is None and block.in_contents:
            block.level = in_contents.get(block.title)
        if block.level is not None:
            depths[block.style][2 * block.level] += 1
    usual = {style: counted.most_common(1)[0][0] for style, counted in depths.items()}
    before = min(usual.values(), default=1) - 1
    for style in sorted({block.style for block in blocks}, reverse=True):
        before = usual.setdefault(style, before + 1)
    for block in blocks:
        yield usual[block.style] if block.level is None else 2 * block.level
