"""Raised and lowered text on a line: "10^6", "H_2O", "5 1/2", "1st", and the marks of notes set apart."""

import re
from collections.abc import Iterable

from readgraph.sources.places import note_mark

RAISED, LOWERED = "^", "_"
HOLD_SCRIPTS = ")\\]}⟩〉|‖∥′∂∇∑∏∐∫∮⋃⋂⋀⋁⨁⨂\u0300-\u0338\u20d7"  # as in a set of a pattern: signs, and accents of letters

_PLAIN_SCRIPT = re.compile(r"[-+−–±∓]?(?:\d+|[^\W\d_]+)[-+−–±]?|[-+−–±∓*]+|\S")
_GLUED = re.compile(r"[^\w\s+\-−–±()\[\]]+|[ºª]|TM|SM|MC|MD|\([RC]\)")  # stars and daggers, ° and ′, ™ and ®
_BRACKETED = re.compile(r"\[(\d{1,4})\]")
_NUMBER = re.compile(r"\d{1,4}")
_MONEY = re.compile(r"[$£¥€₩₫₹₺₽₴฿]|\b(?:EUR|USD|CHF|Fr|kr|zł|Kč)\b")
_PROSE = re.compile(r"[^\W\d_]{2,}[,.;:]?\s+[^\W\d_]{2,}")
_HOLDS_SCRIPT = re.compile(rf"[^\W_]$|[{HOLD_SCRIPTS}'%°]$")
_FRACTION = re.compile(r"(\d+)\s*[/⁄∕]\s*(\d+)")
_LAST_WORD = re.compile(r"(?:\d+[.,])*[^\W_]+$")
LONGEST_WORD = 80  # characters before what is raised that are looked at
_ROMAN = re.compile(r"[IVXLCDM]+|[ivxl]+")
_SIGNS = {"TM": "™", "SM": "℠", "∘": "°"}
_ORDINALS = frozenset("st nd rd th er ers re res ère ere e es ème eme ième ieme nde nds de ste a o os as do to".split())
_SHORTENED = frozenset("me mes lle lles gr r rs s t te ve ie o os a as e er".split())


def raise_text(text: str, before: str | None = None, after: str = "") -> str:
    """Text that stands raised between others, as it is written on a line: "^6"; with a space where it is no exponent.

    Args:
        text: What is raised.
        before: What stands before it; a raised number is an exponent after a letter, a digit or a closing bracket, and
            the mark of a note after a sign. What abbreviates or orders stays with its word: "1st", "Mme". Where
            nothing is given, it is an exponent.
        after: What follows it.
    """
    text = text.strip()
    if not text or before is None:
        return write_script(RAISED, text, after) if text else ""
    if bracketed := _BRACKETED.fullmatch(text):
        return note_mark(bracketed[1]) + _gap(" ", after)
    if is_glued(text, before) or is_cents(text, before, after):
        return _SIGNS.get(text, text)
    if _NUMBER.fullmatch(text) and before and not before[-1].isspace() and not _holds_script(before):
        return note_mark(text) + _gap(" ", after)
    return _write(RAISED, text, before, after)


def lower_text(text: str, before: str | None = None, after: str = "") -> str:
    """Text that stands lowered between others, as it is written on a line: "_2"; with a space where it is no index."""
    text = text.strip()
    if not text or before is None:
        return write_script(LOWERED, text, after) if text else ""
    return _write(LOWERED, text, before, after)


def join_runs(runs: Iterable[tuple[str, str]]) -> str:
    """The text of a line's runs, each with where it stands: `RAISED`, `LOWERED` or "" for on the line."""
    parts = _merge(runs)
    line, at = "", 0
    while at < len(parts):
        text, position = parts[at]
        fraction, taken = _fraction_at(parts, at)
        after = "".join(mark + follows for follows, mark in parts[at + taken : at + taken + 1])
        if fraction:
            line += _gap(line, fraction) + fraction + _gap(fraction, after)
        elif position and text.strip():
            lead, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
            write = raise_text if position == RAISED else lower_text
            line += lead + write(text, line[-LONGEST_WORD:] + lead, tail + after) + tail
        else:
            line += text
        at += taken
    return line


def _merge(runs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The runs with neighbours at the same height as one: programs part them at will."""
    parts = list[tuple[str, str]]()
    for text, position in runs:
        if parts and parts[-1][1] == position:
            parts[-1] = (parts[-1][0] + text, position)
        elif text:
            parts.append((text, position))
    return parts


def _fraction_at(parts: list[tuple[str, str]], at: int) -> tuple[str, int]:
    """The fraction that begins with a raised part, as "1/2" ("" where none does), and the number of parts it takes."""
    joined = parts[at][0]
    for taken, (text, position) in enumerate(parts[at + 1 : at + 3] if parts[at][1] == RAISED else (), 2):
        joined += text
        if position == LOWERED and (fraction := _FRACTION.fullmatch(joined.strip())):
            return f"{fraction[1]}/{fraction[2]}", taken
    return "", 1


def _write(sign: str, text: str, before: str, after: str) -> str:
    if _PROSE.search(text):  # words that somebody set small
        return _gap(before, text) + text + _gap(text, after)
    if _holds_script(before):
        return write_script(sign, text, after)
    return text + _gap(text, after)


def _holds_script(before: str) -> bool:
    return bool(_HOLDS_SCRIPT.search(before))


def write_script(sign: str, text: str, after: str) -> str:
    """An exponent or index; in braces where its end would not be clear."""
    runs_on = any(is_sort(text[-1]) and is_sort(after[:1]) for is_sort in (str.isdigit, str.isalpha))
    return f"{sign}{text}" if _PLAIN_SCRIPT.fullmatch(text) and not runs_on else f"{sign}{{{text}}}"


def _gap(before: str, after: str) -> str:
    """A space where two texts would become one word or number."""
    return " " if before and after and not before[-1].isspace() and after[0].isalnum() and before[-1].isalnum() else ""


def is_glued(text: str, before: str) -> bool:
    """Whether what is raised belongs to its word: a sign, the end of an ordinal ("2nd", "XIXe") or of "Mme", "No"."""
    if _GLUED.fullmatch(text) or not text.isalpha():
        return bool(_GLUED.fullmatch(text))
    match = _LAST_WORD.search(before)
    word, end = match[0] if match else "", text.lower()
    if word.isdecimal() or (_ROMAN.fullmatch(word) and len(text) + len(word) > 2 and end in _ORDINALS):
        return end in _ORDINALS
    if len(text) == 1 and text.isupper():  # a variable, or the transpose of a matrix
        return False
    return end in _SHORTENED and (word[:1].isupper() or (word == "n" and end in ("o", "os")))


def is_cents(text: str, before: str, after: str) -> bool:
    """Whether two raised digits after a sign end an amount, as in "4,99 €", and mark no note."""
    if len(text) != 2 or not text.isdecimal() or not re.search(r"\d[.,]$", before):
        return False
    return text[0] == "0" or (before[-1] == "," and bool(_MONEY.search(before[-16:]) or _MONEY.match(after.lstrip())))
