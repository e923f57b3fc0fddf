"""Raised and lowered text of a PDF: marks of notes, exponents, indices, ordinals and fractions are written as such."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from readgraph.sources.pdf.lines import NOTE
from readgraph.sources.pdf.printed import PrintedLine
from readgraph.sources.pdf.words import LEVEL, LOWERED, RAISED
from readgraph.sources.places import note_mark
from readgraph.sources.raised_text import HOLD_SCRIPTS, LONGEST_WORD, is_cents, is_glued, write_script

_OFF = re.compile(f"([{RAISED}{LOWERED}])([^{LEVEL}]*){LEVEL}")
_DENOMINATOR = f"[/\u2044\u2215]{LEVEL}?{LOWERED}?(\\d+){LEVEL}?"
_FRACTION = re.compile(f"(\\d?){RAISED}(\\d+)(?:{LEVEL}{LOWERED}?)?{_DENOMINATOR}(\\w?)")
_DEGREES = re.compile(r"[oO0°◦∘]")
_BASE = re.compile(rf"[^\W_]$|[{HOLD_SCRIPTS}]$")
_PUNCTUATION = re.compile(r"[.,;:!?…”’»\"'。、，；：！？」』%‰€$£¥]$")
_YEAR = re.compile(r"(?<![\d.,])(?:1[5-9]|20)\d\d[)\]]?$")
_NUMBERS = re.compile(r"\d+(?:\s?[,;]\s?\d+)*")
_UNIT = re.compile(r"(?:^|[\s\d/·(])(?:[kcmdµμnhfp]?m|ft|in|yd|mi|s|h|kg|sq|px|cu)$|\d[\s\u00a0]?[^\W\d_]{1,3}$")
_WORD = re.compile(r"(?<![^\W_])[^\W\d_]{2,}[)\]]?$")


def write_raised(columns: Sequence[list[list[PrintedLine]]], notes: list[list[PrintedLine]]) -> None:
    """Write in a page's lines what is raised or lowered in them: the mark of a note of this page as " [^1]".

    A number is a mark where its place shows it, and its note is on the page and has no mark yet. After punctuation no
    number can be an exponent, so it is a mark too, of a note that stands elsewhere. An exponent is written "10^6", an
    index "x_1".
    """
    left = {match[1] for row in notes if (match := NOTE.match(row[0].text))}
    for piece in chain.from_iterable(chain(*columns, notes)):
        if LEVEL in piece.text:
            piece.text = "".join(_written(_FRACTION.sub(_fraction, piece.text), left))


def _fraction(match: re.Match[str]) -> str:
    before, above, below, after = match.groups()
    return f"{before}{' ' if before else ''}{above}/{below}{' ' if after else ''}{after}"


def _written(text: str, left: set[str]) -> Iterator[str]:
    """The parts of a text; `left` are the numbers of the notes whose marks were not yet found, which become fewer."""
    done, end = "", 0
    for match in _OFF.finditer(text):
        done += text[end : match.start()]
        yield text[end : match.start()]
        end = match.end()
        written = _write_off(done, match[1] == RAISED, match[2].strip(), text[end:], left)
        done += written
        yield written
    yield text[end:].replace(LEVEL, "")


def _write_off(before: str, is_raised: bool, off: str, after: str, left: set[str]) -> str:
    """What is written for text off its line, from what stands before and after it."""
    if not off:
        return ""
    if is_raised:
        if _DEGREES.fullmatch(off) and before[-1:].isdecimal() and after[:1] in ("C", "F"):
            return "°"
        numbers = set(re.findall(r"\d+", off))
        if _NUMBERS.fullmatch(off) and numbers <= left and _shows_mark(before):
            left -= numbers
            return "".join(map(note_mark, sorted(numbers, key=int)))
        if off[0].isdecimal() and _PUNCTUATION.search(before) and not is_cents(off, before, after):
            return note_mark(off)
    is_tex = before[-1:] + off + after[:1] in ("LAT", f"LA{LOWERED}", "TEX")  # TeX and LaTeX as they are drawn
    if is_tex or is_glued(off, before[-LONGEST_WORD:]) or is_cents(off, before, after):
        return off
    if not _BASE.search(before):  # a verse's number stands before its word
        return f"{off} " if off[-1].isdecimal() and after[:1].isalnum() else off
    return write_script("^" if is_raised else "_", off, after)


def _shows_mark(before: str) -> bool:
    """Whether the place is a mark's: after punctuation, a year, or a word that is no unit and no variable."""
    is_word = _WORD.search(before) and not _UNIT.search(before)
    return bool(_PUNCTUATION.search(before) or _YEAR.search(before) or is_word)
