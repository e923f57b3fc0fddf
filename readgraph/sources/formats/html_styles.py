"""What style says of a page's elements, as far as it changes what their words mean: raised, deleted, hidden, apart."""

import re
from collections.abc import Mapping

from readgraph.sources.raised_text import LOWERED, RAISED

_DECLARATION = re.compile(r"(?<![\w-])([\w-]+)\s*:\s*((?:\"[^\"]*\"|'[^']*'|[^;\"'])*)")
_READ = frozenset("vertical-align position top bottom text-decoration text-decoration-line display".split())
_READ |= frozenset(("visibility", "font-variant-position", "list-style", "list-style-type", "font-size"))
_EDGES = (
    "float margin margin-left margin-right padding padding-left padding-right border border-left border-right".split()
)
_READ |= frozenset(_EDGES)
_PARTS = re.compile("[1-9]|left|right")  # as the value of an edge
_LENGTH = re.compile(r"(-?)(\d*\.?\d+)(em|ex|rem|px|pt|%)")
_SMALL = re.compile(r"0?\.[3-8]\d*r?em|[3-8]\d(?:\.\d+)?%|smaller|(?:x+-)?small")
_LEAST = {"px": 3.0, "pt": 2.5, "%": 20.0, "ex": 0.4}  # less than this, or 0.2 em, only sets letters straight


def read_declarations(text: str) -> dict[str, str]:
    """What declarations say, as far as it is read here."""
    declared = ((name.lower(), value.strip().lower()) for name, value in _DECLARATION.findall(text))
    return {name: value.replace("!important", "").strip() for name, value in declared if name in _READ}


def is_hidden(style: Mapping[str, str]) -> bool:
    """Whether an element is not shown."""
    return style.get("display") == "none" or style.get("visibility") in ("hidden", "collapse")


def is_struck(style: Mapping[str, str]) -> bool:
    """Whether there is a line through an element's words."""
    return "line-through" in style.get("text-decoration", "") + style.get("text-decoration-line", "")


def stands(style: Mapping[str, str]) -> str:
    """Where an element's words stand: `RAISED`, `LOWERED`, or "" for on the line."""
    least = 0.05 if _SMALL.fullmatch(style.get("font-size", "")) else 0.2
    for value in (style.get("vertical-align", ""), style.get("font-variant-position", "")):
        if value in ("super", "text-top", "sub", "text-bottom"):
            return RAISED if value in ("super", "text-top") else LOWERED
        if sign := _direction(value, least):
            return RAISED if sign == "+" else LOWERED
    if style.get("position") == "relative":
        for edge, up in (("top", "-"), ("bottom", "+")):
            if sign := _direction(style.get(edge, ""), least):
                return RAISED if sign == up else LOWERED
    return ""


def _direction(length: str, least: float) -> str:
    match = _LENGTH.fullmatch(length)
    return (match[1] or "+") if match and float(match[2]) >= _LEAST.get(match[3], least) else ""


def parts_words(style: Mapping[str, str]) -> str:
    """What parts an element from its neighbours: a line's end, a place of its own on the line, or "" for nothing."""
    display = style.get("display", "")
    if display in ("block", "flex", "grid", "table", "table-row", "list-item", "flow-root"):
        return "\n"
    is_parted = any(_PARTS.search(style.get(edge, "")) for edge in _EDGES)
    return " " if is_parted or display.startswith("inline-") or display == "table-cell" else ""
