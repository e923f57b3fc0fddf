"""What OpenDocument's styles and lists give to a text: where it stands, whether it is printed, and its numbers."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from readgraph.sources.formats.numerals import write_numeral
from readgraph.sources.formats.office_text import DELETED, HIDDEN
from readgraph.sources.formats.open_xml import child, value
from readgraph.sources.formats.symbol_fonts import is_symbol_font
from readgraph.sources.parsing import elements_named, local_name
from readgraph.sources.raised_text import LOWERED, RAISED

if TYPE_CHECKING:
    from lxml.etree import _Element

_FORMS = {"1": "decimal", "i": "lowerRoman", "I": "upperRoman", "a": "lowerLetter", "A": "upperLetter", "": "none"}
_FORMS |= {"一, 二, 三, ...": "chineseCounting", "①, ②, ③, ...": "decimalEnclosedCircle", "イ, ロ, ハ, ...": "iroha"}
_FORMS |= {
    "ア, イ, ウ, ...": "aiueo",
    "가, 나, 다, ...": "ganada",
    "א, י, ק, ...": "hebrew1",
    "ก, ข, ฃ, ...": "thaiLetters",
}
_DEEPEST = 20  # styles on each other, and levels of lists


class TextFormat(NamedTuple):
    """How a text is set: where it stands on the line, why it is left out, if it is, and in which font of signs."""

    height: str = ""
    left_out: str = ""
    font: str = ""


class TextStyles:
    """The styles of texts by their names, each with what it has from those on which it is based."""

    def __init__(self, *roots: "_Element | None") -> None:
        self._styles = {
            (value(element, "family"), value(element, "name")): element
            for root in roots
            for element in elements_named(root, "style")
        }

    def format_of(self, family: str, name: str, usual: TextFormat) -> TextFormat:
        """How a text with this style is set; what the style doesn't say is as `usual`."""
        position, hidden = self._property(family, name, "text-position"), self._property(family, name, "display")
        struck = self._property(family, name, "text-line-through-style")
        if struck is None and (kind := self._property(family, name, "text-line-through-type")):
            struck = kind
        height = usual.height if position is None else _height(position)
        left_out = usual.left_out
        if hidden is not None:
            left_out = HIDDEN if hidden == "none" else "" if left_out == HIDDEN else left_out
        if struck is not None:
            left_out = DELETED if struck != "none" else "" if left_out == DELETED else left_out
        font = self._property(family, name, "font-name")
        font = usual.font if font is None else next(filter(is_symbol_font, (font, font.rstrip("0123456789 "))), "")
        return TextFormat(height, left_out, font)

    def is_hidden(self, family: str, name: str) -> bool:
        """Whether a style hides what it is of: a sheet, or a slide."""
        kinds = [element for style in self._chain(family, name) for element in style]
        return any(value(kind, "display") == "false" or value(kind, "visibility") == "hidden" for kind in kinds)

    def list_style(self, paragraph_style: str) -> str:
        """The list style that a paragraph's style names."""
        return next(
            (
                name
                for element in self._chain("paragraph", paragraph_style)
                if (name := value(element, "list-style-name"))
            ),
            "",
        )

    def _property(self, family: str, name: str, wanted: str) -> str | None:
        for element in self._chain(family, name):
            properties = child(element, "text-properties")
            if properties is not None and (found := value(properties, wanted, "-")) != "-":
                return found
        return None

    def _chain(self, family: str, name: str) -> "Iterator[_Element]":
        for _ in range(_DEEPEST):
            style = self._styles.get((family, name))
            if style is None:
                return
            yield style
            name = value(style, "parent-style-name")


def _height(position: str) -> str:
    first = next(iter(position.split()), "0")
    if first in ("super", "sub"):
        return RAISED if first == "super" else LOWERED
    return "" if first.strip("0.%-+") == "" else LOWERED if first.startswith("-") else RAISED


class ListNumbers:
    """The numbers of list items and headings, counted on item by item."""

    def __init__(self, *roots: "_Element | None") -> None:
        self._levels: dict[str, Mapping[int, _Element]] = {}
        for root in roots:
            for name in ("list-style", "outline-style"):
                for element in elements_named(root, name):
                    key = "" if name == "outline-style" else value(element, "name")
                    self._levels[key] = {
                        _number(value(level, "level"), 1): level for level in element if local_name(level.tag)
                    }
        self._counts: dict[str, dict[int, int]] = {}

    def next_number(self, counters: str, style: str, level: int, start: str = "") -> str:
        """The number of the next item of a list with this style at this level (from 1); "" where it has none."""
        levels = self._levels.get(style, {})
        own = levels.get(level)
        if own is None or not value(own, "num-format"):
            return ""
        counts = self._counts.setdefault(counters, {})
        began = _number(start, _number(value(own, "start-value"), 1))
        counts[level] = began if start or level not in counts else counts[level] + 1
        for below in [count for count in counts if count > level]:
            del counts[below]
        shown = range(max(1, level + 1 - _number(value(own, "display-levels"), 1)), level + 1)
        numerals = [self._numeral(levels.get(each), counts.get(each, 1)) for each in shown]
        return f"{value(own, 'num-prefix')}{'.'.join(filter(None, numerals))}{value(own, 'num-suffix')}".strip()

    def begin_anew(self, counters: str) -> None:
        """Forget how far a list was counted."""
        self._counts.pop(counters, None)

    def _numeral(self, level: "_Element | None", number: int) -> str:
        return write_numeral(number, _FORMS.get(value(level, "num-format"), "decimal"))


def _number(text: str, default: int) -> int:
    return int(text) if text.isdecimal() and len(text) < 7 else default
