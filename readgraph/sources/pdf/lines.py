"""Printed lines become paragraphs, and footnotes are set apart from the text of their page."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from readgraph.sources.converting import on_a_line
from readgraph.sources.pdf.printed import PrintedLine
from readgraph.sources.pdf.words import CJK, MARK

JOINED, LINE_END, PARAGRAPH_END = " ", "\n", "\n\n"
WIDE_GAP = 1.2  # a step down of so many usual steps begins a paragraph
INDENT = 0.8  # font sizes to the right that are an indent
ROOM_LEFT = 0.85  # a line that would stay below this share of a full line with the next word added was ended on purpose
ROOM_UNUSED = 0.03  # the share of a column's width that a full line may leave
LONGEST_WORD = 60
NOTE = re.compile(r"(\d{1,3}|[*†‡§¶]{1,3})(?:[.)]?\s+|(?=[^\W\d]))\S")  # how a footnote begins
_BULLET = re.compile(r"[•◦▪‣●■]|[·○□–—*-]\s+\S")
_ITEM = re.compile(rf"{_BULLET.pattern}|\(?(?:\d{{1,3}}|[a-z]|[ivx]{{1,5}})[.)]\s+\S")
_LEADERS = re.compile(r"(?:\. ?){5}\s*\w*$")
_SENTENCE_END = re.compile(r"[.!?…:。！？」』][\"'”’»)\]]*$")
_SOFT_HYPHEN = re.compile("\u00ad$")
_HYPHEN = re.compile(r"\w[-\u2010]$")
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_UNSPACED = re.compile(rf"{CJK.pattern}$|\S—$")
_FIRST_WORD = re.compile(rf"{CJK.pattern}|\S+")
_LEFT = re.compile(r"[^\W\d_]+$")
_RIGHT = re.compile(r"[^\W\d_]+")


class PrintedPage(NamedTuple):
    """The lines of a page: of its text in reading order, and of its footnotes."""

    lines: list[PrintedLine]
    notes: Sequence[PrintedLine] = ()


def join_pages(pages: Sequence[PrintedPage]) -> str:
    """The text of all pages; each line's `start` becomes its offset in it.

    A paragraph goes on over the end of a page; footnotes follow the paragraph with which their page ends.
    """
    joiner = _Joiner(pages)
    waiting: list[PrintedLine] = []
    before: PrintedLine | None = None
    for page in pages:
        for number, line in enumerate(page.lines):
            between = joiner.between(before, line, fresh=number == 0) if before else PARAGRAPH_END
            if before and waiting and between != JOINED:
                joiner.add_notes(waiting)
                waiting, between = [], PARAGRAPH_END
            joiner.add(line, between)
            before = line
        waiting += page.notes
    joiner.add_notes(waiting)
    return "".join(joiner.parts)


class _Joiner:
    def __init__(self, pages: Sequence[PrintedPage]) -> None:
        lines = [line for page in pages for line in (*page.lines, *page.notes)]
        for line in lines:
            line.text = line.text.strip()
        self._words = Counter(word.group().casefold() for line in lines for word in _WORD.finditer(line.text))
        self.between = _Print([page.lines for page in pages]).separator_between
        self.parts: list[str] = []
        self._length = 0

    def add(self, line: PrintedLine, between: str) -> None:
        """Append a line; `between` parts it from what is there."""
        text = on_a_line(_SOFT_HYPHEN.sub("-", line.text))
        if self.parts:
            before = self.parts[-1]
            kept, joint = _joint(before, text, self._words) if between == JOINED else (before, between)
            self._length += len(kept) - len(before) + len(joint)
            self.parts[-1:] = [kept, joint]
        line.start = self._length
        self.parts.append(text)
        self._length += len(text)

    def add_notes(self, notes: Sequence[PrintedLine]) -> None:
        """Append footnotes, each as a paragraph; one goes on with lines that begin with no mark."""
        for number, line in enumerate(notes):
            self.add(line, PARAGRAPH_END if number == 0 or line.is_apart or NOTE.match(line.text) else JOINED)


def _joint(left: str, right: str, words: "Counter[str]") -> tuple[str, str]:
    """What stays of a line, and what stands between it and the next: a hyphen at its end may have parted a word."""
    if _UNSPACED.search(left[-2:]) and (left[-1] == "—" or CJK.match(right)):
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

    def __init__(self, pages: Iterable[list[PrintedLine]]) -> None:
        steps: dict[int, Counter[int]] = defaultdict(Counter)
        lengths: dict[int, list[int]] = defaultdict(list)
        for page in pages:
            for line in page:
                if not line.is_row:
                    lengths[round(line.size)].append(len(line.text))
            for above, below in pairwise(page):
                step = above.y - below.y
                if step > 0 and round(above.size) == round(below.size):
                    steps[round(above.size)][round(step * 4)] += 1
        self._steps = {
            size: min(counted, key=lambda step: (-counted[step], step)) / 4 for size, counted in steps.items()
        }
        self._full = {size: sorted(found)[len(found) * 9 // 10] for size, found in lengths.items()}
        self._inside = False  # the line above is not the first one of its paragraph

    def separator_between(self, above: PrintedLine, below: PrintedLine, *, fresh: bool) -> str:
        """What parts two lines: a paragraph's end, a line's end, or a space; `fresh`: the lower one begins a page."""
        if above.is_row or below.is_row:
            parted = LINE_END if above.is_row and below.is_row and not fresh else PARAGRAPH_END
        else:
            parted = self._across(above, below) if fresh else self._between(above, below)
        self._inside = parted == JOINED
        return parted

    def _across(self, above: PrintedLine, below: PrintedLine) -> str:
        """What parts the last line of a page or column and the first of the next one."""
        if _SENTENCE_END.search(above.text) or self._could_go_on(above, below):
            return PARAGRAPH_END
        is_same_print = abs(above.size - below.size) < 0.1 * above.size + 0.01 and not _ITEM.match(below.text)
        return JOINED if is_same_print else PARAGRAPH_END

    def _between(self, above: PrintedLine, below: PrintedLine) -> str:
        ended = bool(_SENTENCE_END.search(above.text))
        step = above.y - below.y
        if step < -above.size:  # the next column
            return self._across(above, below)
        if abs(above.size - below.size) > 1.5:
            return PARAGRAPH_END
        usual = self._steps.get(round(above.size))
        if usual and step > WIDE_GAP * usual:
            return LINE_END if _BULLET.match(below.text) and step < 1.6 * usual else PARAGRAPH_END
        if _ITEM.match(below.text) and (ended or _ITEM.match(above.text) or self._could_go_on(above, below)):
            return LINE_END
        if _LEADERS.search(above.text):  # a table of contents
            return LINE_END
        indent = (below.x - above.x) / (below.size or 1.0)
        hangs = self._inside and indent < -INDENT  # a paragraph below a hanging one begins with an outdent
        begins_item = not self._inside and _ITEM.match(above.text)
        if ended and (hangs or (indent > INDENT and not begins_item)):
            return PARAGRAPH_END
        if self._could_go_on(above, below):
            return PARAGRAPH_END if ended else LINE_END
        return JOINED

    def _could_go_on(self, above: PrintedLine, below: PrintedLine) -> bool:
        """Whether the first word below would have had room above: then the line was ended on purpose.

        Where the line ends within a sentence, it must be short in characters, too: some programs break by these.
        """
        if above.edge is not None and below.first:
            space = 0.3 * above.size + ROOM_UNUSED * (above.edge - above.x)
            had_room = above.end + space + below.first < above.edge
            if not had_room or _SENTENCE_END.search(above.text):
                return had_room
        word = _FIRST_WORD.match(below.text)
        return len(above.text) + 1 + len(word[0] if word else "") < ROOM_LEFT * self._full.get(round(above.size), 0)


NOTE_SIZE = 0.93  # the share of the text's font size from which on small print at a page's foot may be a note
LOWEST_PART = 0.7  # notes stand in this share of the page, from below


def split_off_notes(
    columns: Sequence[list[list[PrintedLine]]], size: float
) -> tuple[list[list[list[PrintedLine]]], list[list[PrintedLine]]]:
    """The rows of each column without notes, and the rows of the notes; `size` is the text's font size.

    Notes are small print at a column's end from a line on that begins with a mark (a number, *, †).
    """
    pieces = [piece for column in columns for row in column for piece in row]
    if not pieces or not size:
        return list(columns), []
    lowest, highest = min(piece.y for piece in pieces), max(piece.y for piece in pieces)
    limit = lowest + LOWEST_PART * (highest - lowest)
    larger = [piece for piece in pieces if piece.size > NOTE_SIZE * size]
    kept: list[list[list[PrintedLine]]] = []
    notes: list[list[PrintedLine]] = []
    for column in columns:
        begin = len(column)
        while begin and _is_small_print(column[begin - 1], larger, limit, size):
            begin -= 1
        small = [_join_mark(row) for row in column[begin:]]
        first = next((at for at, row in enumerate(small) if NOTE.match(row[0].text)), len(small))
        kept.append(column[: begin + first])
        notes += small[first:]
    return kept, notes


def _join_mark(row: list[PrintedLine]) -> list[PrintedLine]:
    """A row whose first piece is the mark of a note and nothing else, with the mark before what follows."""
    if len(row) < 2 or not NOTE.match(f"{row[0].text} {row[1].text}") or not MARK.fullmatch(row[0].text):
        return row
    mark, text, *rest = row
    return [replace(mark, text=f"{mark.text} {text.text}", size=text.size, end=text.end), *rest]


def _is_small_print(row: list[PrintedLine], larger: Sequence[PrintedLine], limit: float, size: float) -> bool:
    left, right, height = row[0].x, row[-1].end, row[0].y
    if height > limit or len(row) > 2 or any(piece.size > NOTE_SIZE * size for piece in row):
        return False
    return not any(piece.y < height and piece.x < right and piece.end > left for piece in larger)
