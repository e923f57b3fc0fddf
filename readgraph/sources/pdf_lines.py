"""Printed lines become paragraphs: by the space between them, by indents, and where a line could have gone on."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from readgraph.sources.blocks import on_a_line

JOINED, CELL_END, LINE_END, PARAGRAPH_END = " ", " | ", "\n", "\n\n"

SAME_ROW = 0.3
"""A step up or down of less than so many font sizes stays in the row."""

WIDE_GAP = 1.2
"""A step down of so many usual steps begins a paragraph."""

INDENT = 0.8
"""Font sizes to the right that are an indent."""

ROOM_LEFT = 0.85
"""A line that would stay below this share of a full line with the next word added was ended on purpose."""

LONGEST_WORD = 60

_BULLET = re.compile(r"[•◦▪‣●■]|[·○□–—*-]\s+\S")
_ITEM = re.compile(rf"{_BULLET.pattern}|\(?(?:\d{{1,3}}|[a-z]|[ivx]{{1,5}})[.)]\s+\S")
_LEADERS = re.compile(r"(?:\. ?){5}\s*\w*$")
_SENTENCE_END = re.compile(r"[.!?…:。！？」』][\"'”’»)\]]*$")
_SOFT_HYPHEN = re.compile("\u00ad$")
_HYPHEN = re.compile(r"\w[-\u2010]$")
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_CJK = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_UNSPACED = re.compile(rf"{_CJK.pattern}$|\S—$")
_FIRST_WORD = re.compile(rf"{_CJK.pattern}|\S+")
_LEFT = re.compile(r"[^\W\d_]+$")
_RIGHT = re.compile(r"[^\W\d_]+")


@dataclass(slots=True)
class Line:
    """A printed line: where it begins on the page, in points from below, and its font size, where known.

    A cell has others in its row.
    """

    text: str = ""
    x: float | None = None
    y: float | None = None
    size: float = 0.0
    is_cell: bool = False
    _longest: int = field(default=0, repr=False)

    def add(self, part: str, x: float, y: float, size: float) -> None:
        """Append a part; the first one tells the place, the longest one the size."""
        if part.strip():
            if not self.text.strip():
                self.x, self.y = x, y
            if len(part) > self._longest:
                self.size, self._longest = size, len(part)
        self.text += part


def join_pages(pages: Sequence[list[Line]]) -> tuple[str, list[int | None]]:
    """The text of all pages, and the offset where each begins (None for one without text)."""
    lines = [line for page in pages for line in page]
    for line in lines:
        line.text = line.text.strip()
    print_ = _Print(pages)
    words = Counter(word.group().casefold() for line in lines for word in _WORD.finditer(line.text))
    parts: list[str] = []
    starts: list[int | None] = []
    length, before = 0, None
    for page in pages:
        fresh = True
        starts.append(None)
        for line in page:
            text = on_a_line(_SOFT_HYPHEN.sub("-", line.text))
            if before is not None:
                between = print_.across_pages(before, line) if fresh else print_.between(before, line)
                kept, joint = _joint(parts[-1], text, words) if between == JOINED else (parts[-1], between)
                length += len(kept) - len(parts[-1]) + len(joint)
                parts[-1:] = [kept, joint]
            if fresh:
                starts[-1], fresh = length, False
            parts.append(text)
            length += len(text)
            before = line
    return "".join(parts), starts


def _joint(left: str, right: str, words: "Counter[str]") -> tuple[str, str]:
    """What stays of a line, and what stands between it and the next: a hyphen at its end may have parted a word."""
    if _UNSPACED.search(left[-2:]) and (left[-1] == "—" or _CJK.match(right)):
        return left, ""
    if not _HYPHEN.search(left) or not right[0].isalnum():
        return left, JOINED
    begin, rest = _LEFT.search(left[-LONGEST_WORD:-1]), _RIGHT.match(right)
    if not begin or not rest or not right[0].islower():
        return left, ""
    joined = (begin[0] + rest[0]).casefold()
    hyphened = f"{begin[0]}-{rest[0]}".casefold()
    both_are_words = min(words[begin[0].casefold()], words[rest[0].casefold()]) > 1  # found elsewhere than here, too
    is_compound = words[hyphened] > words[joined] or (not words[joined] and both_are_words)
    return (left, "") if is_compound else (left[:-1], "")


class _Print:
    """What is usual in a document's print, by font size: the step from line to line, the characters of a full line."""

    def __init__(self, pages: Iterable[list[Line]]) -> None:
        steps: dict[int, Counter[int]] = defaultdict(Counter)
        lengths: dict[int, list[int]] = defaultdict(list)
        for page in pages:
            for line in page:
                lengths[round(line.size)].append(len(line.text))
            for above, below in pairwise(page):
                if _are_in_a_row(above, below):
                    above.is_cell = below.is_cell = True
                step = _step(above, below)
                if step is not None and step > 0 and round(above.size) == round(below.size):
                    steps[round(above.size)][round(step * 4)] += 1
        self._steps = {
            size: min(counted, key=lambda step: (-counted[step], step)) / 4 for size, counted in steps.items()
        }
        self._full = {size: sorted(found)[len(found) * 9 // 10] for size, found in lengths.items()}
        self._inside = False  # the line above is not the first one of its paragraph

    def between(self, above: Line, below: Line) -> str:
        """What parts two lines of a page: a paragraph's end, a line's end, or nothing but a space."""
        parted = self._between_cells(above, below) or self._between(above, below)
        self._inside = parted == JOINED
        return parted

    def across_pages(self, above: Line, below: Line) -> str:
        """What parts the last line of a page and the first of the next one."""
        goes_on = not self._could_go_on(above, below) and not _SENTENCE_END.search(above.text)
        self._inside = goes_on and below.text[:1].islower()
        return JOINED if self._inside else PARAGRAPH_END

    def _between_cells(self, above: Line, below: Line) -> str:
        """What parts cells of a row, rows, and a table from what is around it; empty where there is none."""
        if not above.is_cell and not below.is_cell:
            return ""
        if _are_in_a_row(above, below):
            return CELL_END
        return LINE_END if above.is_cell and below.is_cell else PARAGRAPH_END

    def _between(self, above: Line, below: Line) -> str:
        ended = bool(_SENTENCE_END.search(above.text))
        step = _step(above, below)
        if step is not None and step < -above.size:  # the next column
            return self.across_pages(above, below)
        if abs(above.size - below.size) > 1.5:
            return PARAGRAPH_END
        usual = self._steps.get(round(above.size))
        if step is not None and usual and step > WIDE_GAP * usual:
            return LINE_END if _BULLET.match(below.text) and step < 1.6 * usual else PARAGRAPH_END
        if _ITEM.match(below.text) and (ended or _ITEM.match(above.text) or self._could_go_on(above, below)):
            return LINE_END
        if _LEADERS.search(above.text):  # a table of contents
            return LINE_END
        if self._is_indented(above, below, ended):
            return PARAGRAPH_END
        if self._could_go_on(above, below):
            return PARAGRAPH_END if ended else LINE_END
        return JOINED

    def _is_indented(self, above: Line, below: Line, ended: bool) -> bool:
        """Whether the line below begins a paragraph by its indent (or, below a hanging one, by its outdent)."""
        if above.x is None or below.x is None or below.y is None:
            return False
        indent = (below.x - above.x) / (below.size or 1.0)
        if self._inside:
            return abs(indent) > INDENT and ended
        return indent > INDENT and ended and not _ITEM.match(above.text)

    def _could_go_on(self, above: Line, below: Line) -> bool:
        """Whether the first word below would have had room above: then the line was ended on purpose."""
        word = _FIRST_WORD.match(below.text)
        return len(above.text) + 1 + len(word[0] if word else "") < ROOM_LEFT * self._full.get(round(above.size), 0)


def _are_in_a_row(left: Line, right: Line) -> bool:
    step = _step(left, right)
    if step is None or left.x is None or right.x is None:
        return False
    return abs(step) < SAME_ROW * left.size and right.x - left.x > left.size


def _step(above: Line, below: Line) -> float | None:
    return None if above.y is None or below.y is None else above.y - below.y
