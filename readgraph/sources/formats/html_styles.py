"""What style says of a page's elements, as far as it changes what their words mean: raised, deleted, hidden, apart."""

import re
from collections.abc import Mapping

from readgraph.sources.raised_text import LOWERED, RAISED

LONGEST_STYLE = 2_000_000  # characters of styles that are read
_COMMENT = re.compile(r"/\*.*?\*/|<!--|-->", re.DOTALL)
_AT_RULE = re.compile(r"@[^{};]*(?:;|\{(?:[^{}]*\{[^{}]*\})*[^{}]*\})")  # for print, narrow screens and fonts
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SIMPLE = re.compile(r"([\w-]*)((?:\.[\w-]+)*)")  # an element, classes, or both
_DECLARATION = re.compile(r"([\w-]+)\s*:\s*([^;]*)")
_READ = frozenset("vertical-align position top bottom text-decoration text-decoration-line display".split())
_READ |= frozenset(("visibility", "font-variant-position", "list-style", "list-style-type"))
_LENGTH = re.compile(r"(-?)(\d*\.?\d+)(em|ex|rem|px|pt|%)")
_LEAST = {"px": 3.0, "pt": 2.5, "%": 20.0, "ex": 0.4}  # less than this, or 0.2 em, only sets letters straight


class Styles:
    """The rules of style sheets that are for an element, a class, or an element of a class."""

    def __init__(self) -> None:
        self._rules: dict[tuple[str, str], dict[str, str]] = {}
        self._left = LONGEST_STYLE

    def add(self, sheet: str) -> None:
        """Take the rules of a sheet."""
        sheet, self._left = sheet[: self._left], max(0, self._left - len(sheet))
        for rule in _RULE.finditer(_AT_RULE.sub("", _COMMENT.sub("", sheet))):
            if declared := _declared(rule[2]):
                for selector in rule[1].split(","):
                    simple = _SIMPLE.fullmatch(selector.strip())
                    if simple and simple[0]:
                        for name in simple[2].split(".")[1:][-1:] or [""]:
                            self._rules.setdefault((simple[1].lower(), name), {}).update(declared)

    def of(self, tag: str, attributes: Mapping[str, str]) -> dict[str, str]:
        """What is declared for an element: by its name, its classes, and itself."""
        if not self._rules and "style" not in attributes:
            return {}
        style = dict[str, str]()
        if self._rules:
            for name in ("", *attributes.get("class", "").split()):
                style |= self._rules.get(("", name), {}) | self._rules.get((tag, name), {})
            style.pop("visibility", None)  # what a class hides is often shown by a script
            if style.get("display") == "none":
                del style["display"]
        return style | _declared(attributes["style"]) if "style" in attributes else style


def _declared(text: str) -> dict[str, str]:
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
    for value in (style.get("vertical-align", ""), style.get("font-variant-position", "")):
        if value in ("super", "text-top", "sub", "text-bottom"):
            return RAISED if value in ("super", "text-top") else LOWERED
        if sign := _direction(value):
            return RAISED if sign == "+" else LOWERED
    if style.get("position") == "relative":
        for edge, up in (("top", "-"), ("bottom", "+")):
            if sign := _direction(style.get(edge, "")):
                return RAISED if sign == up else LOWERED
    return ""


def _direction(length: str) -> str:
    match = _LENGTH.fullmatch(length)
    return (match[1] or "+") if match and float(match[2]) >= _LEAST.get(match[3], 0.2) else ""


def parts_words(style: Mapping[str, str]) -> str:
    """What parts an element from its neighbours: a line's end, a place of its own on the line, or "" for nothing."""
    display = style.get("display", "")
    if display in ("block", "flex", "grid", "table", "table-row", "list-item", "flow-root"):
        return "\n"
    return " " if display.startswith("inline-") or display == "table-cell" else ""
