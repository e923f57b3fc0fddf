"""What Word's styles and lists give to a paragraph: its heading level, whether it is printed, and its number."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from readgraph.sources.formats.numerals import write_numeral
from readgraph.sources.formats.open_xml import child, is_on, value
from readgraph.sources.parsing import elements_named, local_name

if TYPE_CHECKING:
    from lxml.etree import _Element

_HEADING = re.compile(r"heading (\d)$", re.IGNORECASE)
_CONTENTS = re.compile(r"toc \d", re.I)
_PLACE = re.compile(r"%(\d)")
_BODY_LEVEL = 9  # the outline level that is no heading's
_LEVELS = 9
_LONGEST_CHAIN = 20  # styles on each other


class _Style(NamedTuple):
    element: "_Element"
    name: str


class Styles:
    """The styles of a document, each with what those have on which it is based."""

    def __init__(self, root: "_Element | None") -> None:
        self._styles = {
            value(element, "styleId"): _Style(element, value(child(element, "name")))
            for element in elements_named(root, "style")
        }
        self._contents: dict[str, bool] = {}
        self._lists: dict[str, bool] = {}
        self._chains: dict[str, list[_Style]] = {}
        self._found: dict[tuple[str, tuple[str, ...]], _Element | None] = {}
        self._defaults = {
            value(element, "type"): value(element, "styleId")
            for element in elements_named(root, "style")
            if value(element, "default") in ("1", "true", "on")
        }
        self._last: tuple[_Element | None, str] = (None, self._defaults.get("paragraph", ""))

    def style_of(self, properties: "_Element | None") -> str:
        """The style that a paragraph's properties name, else the default one."""
        if properties is not self._last[0]:  # it is asked for several times
            self._last = properties, value(child(properties, "pStyle")) or self._defaults.get("paragraph", "")
        return self._last[1]

    def names(self, style: str) -> list[str]:
        """The names of a style and of those on which it is based."""
        return [each.name for each in self._chain(style)]

    def find(self, style: str, *path: str) -> "_Element | None":
        """The first element at this path in a style or in those on which it is based."""
        if (style, path) not in self._found:
            found = (child(each.element, *path) for each in self._chain(style))
            self._found[style, path] = next((element for element in found if element is not None), None)
        return self._found[style, path]

    def heading_level(self, properties: "_Element | None") -> int | None:
        """The level of a heading with these properties (0 for a title); None for text."""
        style = self.style_of(properties)
        if properties is None or (own := child(properties, "outlineLvl")) is None:
            for each in self._chain(style):
                if heading := _HEADING.match(each.name):
                    return int(heading[1])
                if each.name == "Title":
                    return 0
            own = self.find(style, "pPr", "outlineLvl")
        level = value(own)
        return int(level) + 1 if level.isdecimal() and int(level) < _BODY_LEVEL else None

    def is_contents(self, style: str) -> bool:
        """Whether a style is that of a table of contents."""
        if style not in self._contents:
            self._contents[style] = any(_CONTENTS.fullmatch(name) for name in self.names(style))
        return self._contents[style]

    def is_list(self, style: str) -> bool:
        """Whether a style is that of list items by its name."""
        if style not in self._lists:
            self._lists[style] = any(name.startswith("List") and name != "List Paragraph" for name in self.names(style))
        return self._lists[style]

    def _chain(self, style: str) -> list[_Style]:
        if style not in self._chains:
            chain, name = list[_Style](), style
            while len(chain) < _LONGEST_CHAIN and (found := self._styles.get(name)):
                chain.append(found)
                name = value(child(found.element, "basedOn"))
            self._chains[style] = chain
        return self._chains[style]


@dataclass(slots=True)
class _Level:
    form: str = "decimal"
    text: str = ""
    start: int = 1
    restart: int | None = None
    is_legal: bool = False
    style: str = ""


@dataclass(slots=True)
class _List:
    """What a paragraph's `numId` stands for: its levels, where its counters are, and with which numbers it begins."""

    levels: dict[int, _Level]
    counters: str
    starts: dict[int, int] = field(default_factory=dict)


class Numbers:
    """The numbers of a document's lists and headings, counted on paragraph by paragraph."""

    def __init__(self, root: "_Element | None", styles: Styles) -> None:
        self._styles = styles
        self._abstract = {value(element, "abstractNumId"): element for element in elements_named(root, "abstractnum")}
        self._lists = {value(element, "numId"): self._list(element) for element in elements_named(root, "num")}
        self._counts: dict[str, list[int | None]] = {}

    def next_number(self, properties: "_Element | None") -> str | None:
        """The number of the next paragraph, with these properties: "1.2"; "" for a bullet; None where it is no item."""
        style = self._styles.style_of(properties)
        number = child(properties, "numPr", "numId")
        element = number if number is not None else self._styles.find(style, "pPr", "numPr", "numId")
        list_of = self._lists.get(value(element))
        if list_of is None or value(element) == "0":
            return None if value(element) == "0" or element is None else ""
        level = self._level_of(properties, style, list_of, direct=number is not None)
        return self._count(list_of, level) if level in list_of.levels else ""

    def _level_of(self, properties: "_Element | None", style: str, list_of: _List, *, direct: bool) -> int:
        own = value(child(properties, "numPr", "ilvl"))
        if not own and not direct:
            linked = (level for level, each in list_of.levels.items() if each.style and each.style == style)
            own = value(self._styles.find(style, "pPr", "numPr", "ilvl")) or str(next(linked, 0))
        return int(own) if own.isdecimal() else 0

    def _count(self, list_of: _List, level: int) -> str:
        counts = self._counts.setdefault(list_of.counters, [None] * _LEVELS)
        if level in list_of.starts:  # once, where a list begins anew
            counts[level] = list_of.starts.pop(level) - 1
        own = list_of.levels[level]
        now = counts[level]
        counts[level] = own.start if now is None else now + 1
        for below in range(level + 1, _LEVELS):
            restart = list_of.levels[below].restart if below in list_of.levels else None
            if restart is None or (restart and level < restart):
                counts[below] = None
        return "" if own.form == "bullet" else self._write(list_of, level, counts)

    def _write(self, list_of: _List, level: int, counts: list[int | None]) -> str:
        own = list_of.levels[level]

        def numeral(found: re.Match[str]) -> str:
            at = int(found[1]) - 1
            of = list_of.levels.get(at, _Level())
            count = counts[at] if 0 <= at < _LEVELS else None
            form = "decimal" if own.is_legal and of.form != "decimalZero" else of.form
            return write_numeral(of.start if count is None else count, form)

        return " ".join(_PLACE.sub(numeral, own.text).split())

    def _list(self, number: "_Element") -> _List:
        identity = value(child(number, "abstractNumId"))
        levels = self._levels(self._abstract.get(identity), set())
        starts = dict[int, int]()
        for override in number:
            if local_name(override.tag) == "lvloverride" and (at := value(override, "ilvl")).isdecimal():
                own = child(override, "lvl")
                if own is not None:
                    levels[int(at)] = _level(own)
                if (start := value(child(override, "startOverride"))).isdecimal():
                    starts[int(at)] = int(start)
        return _List(levels, identity, starts)

    def _levels(self, abstract: "_Element | None", seen: set[str]) -> dict[int, _Level]:
        linked = value(child(abstract, "numStyleLink"))
        if linked and linked not in seen:  # the levels are those of another list, which a style names
            seen.add(linked)
            for other in self._abstract.values():
                if value(child(other, "styleLink")) == linked:
                    return self._levels(other, seen)
        return {
            int(at): _level(element)
            for element in elements_named(abstract, "lvl")
            if (at := value(element, "ilvl")).isdecimal() and int(at) < _LEVELS
        }


def _level(element: "_Element") -> _Level:
    form = child(element, "numFmt")
    choices = [each for each in elements_named(element, "numfmt") if value(each) != "custom"]
    form = choices[0] if form is None and choices else form
    start, restart = value(child(element, "start"), default="1"), value(child(element, "lvlRestart"))
    return _Level(
        form=value(form, default="decimal"),
        text=value(child(element, "lvlText")),
        start=int(start) if start.isdecimal() else 1,
        restart=int(restart) if restart.isdecimal() else None,
        is_legal=bool(is_on(child(element, "isLgl"))),
        style=value(child(element, "pStyle")),
    )
