"""A line of a page in the making: what stands raised, lowered, as a fraction or apart keeps a sign of it."""

import re
from collections.abc import Callable, Mapping
from functools import partial

from readgraph.sources.formats.html_seen import is_formula
from readgraph.sources.linear_math import linear_math
from readgraph.sources.parsing import local_name, parse_xml
from readgraph.sources.places import note_mark
from readgraph.sources.raised_text import LOWERED, RAISED, join_runs

_MARK = re.compile(r"\s*[\[(]?(\d{1,3}|[*†‡§‖]{1,3})[\])]?\s*")
_MARKS = re.compile(r"\s*[\[(]?(?:\d{1,4}|[a-z]|[ivx]{1,5}|[*†‡§‖]{1,3})(?:[\])]?[\s,;]*[\[(]?\d{1,4})*[\])]?\s*")
_ONE_MARK = re.compile(r"[^\s\[\](),;]+")
_MARK_BEFORE_WORD = re.compile(r"(\[\^[^\]\s]{1,6}\])(?=[^\W_])")
_OF_NOTE = re.compile(
    r"\b(?:foot|end|side)?note-?(?:ref|mark|call|link|anchor|number|num)s?\b|\bfn-?(?:ref|mark|link)?\b|\breference\b"
    r"|\bnoteref\b|\bfootnotes?\b|\bendnotes?\b|\bcite_?ref\b",
    re.IGNORECASE,
)
_OF_VERSE = re.compile(
    r"\b(?:verse|vers|vn|vnum|versenum|verse-?num(?:ber)?|v-num|chapternum|linenum)\b", re.IGNORECASE
)
_LONGEST_NUMBER = 20  # characters with the spaces around it
_NUMBER = re.compile(r"\s*\d{1,4}[a-z]?[.:]?\s*")
_SENTENCE = re.compile(r"[“„«\"‘(]?(?:([^\W\d_])[^\W\d_A-Z]|[AIO][’' ])")
_FRACTIONS = frozenset("frac sfrac fraction vulgar-fraction mfrac".split())
_NUMERATORS, _DENOMINATORS = frozenset("num numerator".split()), frozenset("den denominator denom".split())
_APART, _NUMBERED, _VERSE, _WORD = "apart", "numbered", "verse", "word"  # what may need a space before what follows


def is_note_mark(attributes: Mapping[str, str]) -> bool:
    """Whether an element says that it is the mark of a note."""
    if not attributes or attributes.get("role") == "doc-noteref":
        return bool(attributes)
    kinds = (value for name, value in attributes.items() if local_name(name) in ("type", "epub:type"))
    return any("noteref" in kind for kind in kinds) or bool(_OF_NOTE.search(attributes.get("class", "")))


def is_page_break(attributes: Mapping[str, str]) -> bool:
    """Whether an element holds the number of a printed page, which is no part of the text."""
    if attributes.get("role") == "doc-pagebreak":
        return True
    return any("pagebreak" in value.split() for name, value in attributes.items() if name[-4:] == "type")


class Line:
    """The runs of text since the last block, each with where it stands; `take` joins them."""

    def __init__(self) -> None:
        self.in_ruby = 0
        self.is_empty = True
        self._runs: list[tuple[str, str]] = []
        self._position = ""
        self._last = ""  # character
        self._seam = ""
        self._fractions = 0
        self._in_link = self._is_linked = False
        self._follows_formula = False

    def add(self, text: str) -> None:
        """Add text that stands as the open elements say."""
        if not text:
            return
        if self._fractions:
            text = " " if text.strip() == "+" else text.replace("\u2044", "/")
        if self._seam and self._needs_space(text):
            self._runs.append((" ", ""))
        self._seam, self._last, self.is_empty = "", text[-1], False
        self._follows_formula = self._follows_formula and text.isspace()
        self._runs.append((text, self._position))

    def _needs_space(self, text: str) -> bool:
        if self._seam == _APART:
            return self._last.isdigit() and text[0].isdigit()
        if self._seam == _NUMBERED:
            sentence = _SENTENCE.match(text)
            return sentence is not None and (sentence[1] or "A").isupper()
        return self._last.isalnum() and text[0].isalnum()

    def part(self) -> None:
        """Keep the word or number that follows apart from the one before."""
        self._seam = _WORD

    def add_formula(self, formula: str) -> None:
        """Add a formula as it is written on a line."""
        self._seam = _WORD
        self.add(formula)
        self._seam, self._follows_formula = _WORD, True

    def repeats_formula(self, tag: str, attributes: Mapping[str, str]) -> bool:
        """Whether an element shows a formula that another one beside it holds; adds what it holds itself."""
        names = attributes.get("class", "")
        if (source := attributes.get("data-mathml")) and (formula := parse_xml(source.encode())) is not None:
            self.add_formula(linear_math(formula))
            return True
        if "MathJax_Preview" in names or tag == "mjx-math" or (tag == "nobr" and "aria-hidden" in attributes):
            return True
        return self._follows_formula and ("katex-html" in names or (tag == "img" and is_formula(attributes)))

    @property
    def follows_formula(self) -> bool:
        """Whether a formula was the last that was added."""
        return self._follows_formula

    def open(self, tag: str, attributes: Mapping[str, str], position: str, parted: str) -> Callable[[], object] | None:
        """Begin an element, which stands at a position and is parted from its neighbours; returns what ends it."""
        if tag == "ruby":
            self.in_ruby += 1
            return self._close_ruby
        if not (attributes or position or parted):
            return partial(self._close_plain, len(self._runs))
        names = frozenset(attributes.get("class", "").lower().split())
        if parted == "\n":
            self.add("\n")
        elif parted or names & _FRACTIONS:
            self._seam = _APART
        if names & _FRACTIONS:
            self._fractions += 1
        elif self._fractions and names & (_NUMERATORS | _DENOMINATORS):
            position = self._open_term(names)
        outer, start, is_link = self._position, len(self._runs), tag == "a" and "href" in attributes
        is_marked = is_note_mark(attributes) or (is_link and self._joins_note(attributes))
        if is_link:
            self._in_link = self._is_linked = True
        is_nested = position and outer and self._runs[-1:] and self._runs[-1][1] == outer
        if is_nested:
            self._runs.append((f"{position}{{", outer))
        elif position:
            self._position, self._is_linked = position, self._in_link

        def close() -> None:
            if is_nested and "".join(run for run, _ in self._runs[start:]).strip() == f"{position}{{":
                del self._runs[start:]  # nothing stands in it
            elif is_nested:
                self._runs.append(("}", outer))
            self._position = outer
            if is_link:
                self._in_link = False
            if names & _FRACTIONS:
                self._fractions -= 1
            is_raised = position == RAISED
            if is_marked or (is_raised and self._is_linked):
                self._part_marks(start, explicit=is_raised or is_note_mark(attributes))
            self._seam = self._seam_after(start, parted, bool(names) and bool(_OF_VERSE.search(attributes["class"])))
            if parted == "\n":
                self.add("\n")

        return close

    def _close_plain(self, start: int) -> None:
        self._seam = self._seam_after(start, "", False)

    def _close_ruby(self) -> None:
        self.in_ruby -= 1

    def _open_term(self, names: frozenset[str]) -> str:
        """Begin the upper or the lower number of a fraction."""
        if names & _NUMERATORS:
            return RAISED
        if self._runs and self._runs[-1][1] == RAISED:
            self._runs.append(("/", RAISED))
        return LOWERED

    def _joins_note(self, attributes: Mapping[str, str]) -> bool:
        """Whether a link that begins here may lead to a note: it is joined to a word."""
        return "#" in attributes["href"] and bool(self._last) and not self._last.isspace()

    def _part_marks(self, start: int, *, explicit: bool) -> None:
        """Part the marks of notes, which begin at this run, from the word before them."""
        text = "".join(run for run, _ in self._runs[start:])
        if mark := _MARK.fullmatch(text):
            self._runs[start:] = [(note_mark(mark[1]), "")]
        elif explicit and _MARKS.fullmatch(text):
            self._runs[start:] = [("".join(map(note_mark, _ONE_MARK.findall(text))), "")]
        elif explicit and text.strip().startswith("["):
            self._runs[start:] = [(f" {text.strip()}", "")]

    def _seam_after(self, start: int, parted: str, of_verse: bool) -> str:
        """What may need a space after an element that began at this run."""
        runs = self._runs[start : start + 4]
        text = runs[0][0] if len(runs) == 1 else "".join(run for run, _ in runs) if len(runs) < 4 else ""
        if len(text) < _LONGEST_NUMBER and _NUMBER.fullmatch(text):
            before = self._runs[start - 1][0][-1:] if start else " "
            if of_verse or not before.strip():
                return _WORD if of_verse else _NUMBERED
        return _APART if parted else self._seam

    def take(self) -> str:
        """The text of the line, which then is empty."""
        self._last, self._seam, self.is_empty = "", "", True
        runs, self._runs = self._runs, []
        raised = any(position for _, position in runs)
        text = join_runs(runs) if raised else "".join([text for text, _ in runs])
        return _MARK_BEFORE_WORD.sub(r"\1 ", text) if "[^" in text else text
