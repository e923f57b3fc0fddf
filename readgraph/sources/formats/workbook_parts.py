"""What the sheets of a workbook share: its strings, its styles, and how a cell's value is shown."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from readgraph.sources.formats.number_formats import (
    BUILT_IN,
    SYSTEM_DATES,
    is_date,
    show_moment,
    show_number,
    show_text,
)
from readgraph.sources.formats.open_xml import Package, child, is_on, value
from readgraph.sources.parsing import elements_named, local_name
from readgraph.sources.raised_text import LOWERED, RAISED, join_runs

if TYPE_CHECKING:
    from lxml.etree import _Element

_HEIGHTS = {"superscript": RAISED, "subscript": LOWERED}
_DAYS_1904 = 1462  # between the first days of the two ways to count
_LEAP_DAY = 60  # the day that Excel takes for 29 February 1900
_LAST_DAY = 2_958_466  # the first after the year 9999


class CellStyle(NamedTuple):
    """How a cell's value is shown: its number format, whether each computer has its own, and whether it is struck."""

    form: str = "General"
    is_system: bool = False
    is_struck: bool = False


class SharedText(NamedTuple):
    """A text of a cell, and whether a part of it that is struck out is left out."""

    text: str
    has_struck: bool = False


class BookParts:
    """The strings and styles of a workbook."""

    def __init__(self, package: Package, main: str) -> None:
        self.strings = [
            text_of(element)
            for part in package.related(main, "sharedStrings")
            for element in package.root(part)
            if local_name(element.tag) == "si"
        ]
        styles = next((package.root(part) for part in package.related(main, "styles")), None)
        self.styles = list(_styles(styles)) or [CellStyle()]
        properties = child(package.root(main), "workbookPr")
        self._shift = _DAYS_1904 if value(properties, "date1904") in ("1", "true") else 0

    def string(self, number: str) -> SharedText:
        """The string with this number; an empty one where there is none."""
        return self.strings[int(number)] if number.isdecimal() and int(number) < len(self.strings) else SharedText("")

    def show(self, number: float, style: CellStyle) -> str:
        """A number as the sheet shows it; one that stands for a date or a time as such."""
        if not is_date(style.form) or not -_LAST_DAY < number + self._shift < _LAST_DAY:
            return show_number(number, style.form)
        days = number + self._shift
        if days < 0 and "[" not in style.form:
            return show_number(number, "General")
        moment = datetime(1899, 12, 30) + timedelta(days=abs(days) + (abs(days) < _LEAP_DAY))
        if style.is_system:
            return moment.date().isoformat() if number == int(number) else moment.replace(microsecond=0).isoformat(" ")
        return show_moment(moment, number, style.form)


def text_of(element: "_Element") -> SharedText:
    """The text of a string, whose parts may be raised, lowered or struck out; without its reading in kana."""
    runs, has_struck = list[tuple[str, str]](), False
    for part in element:
        name, properties = local_name(part.tag), child(part, "rPr")
        text = (
            (part.text or "")
            if name == "t"
            else "".join(each.text or "" for each in part if local_name(each.tag) == "t")
        )
        if name not in ("t", "r") or not text:
            continue
        if is_on(child(properties, "strike")):
            has_struck = True
        else:
            runs.append((text, _HEIGHTS.get(value(child(properties, "vertAlign")), "")))
    return SharedText(join_runs(runs), has_struck)


def show_string(text: str, style: CellStyle) -> str:
    """A text as the sheet shows it."""
    return text if style.form in ("General", "@") else show_text(text, style.form)


def _styles(root: "_Element | None") -> Iterator[CellStyle]:
    forms = {
        value(element, "numFmtId"): value(element, "formatCode")
        for element in elements_named(child(root, "numFmts"), "numfmt")
    }
    fonts = child(root, "fonts")
    struck = [bool(is_on(child(font, "strike"))) for font in (fonts if fonts is not None else ())]
    formats = child(root, "cellXfs")
    for element in formats if formats is not None else ():
        number, font = value(element, "numFmtId", "0"), value(element, "fontId", "0")
        system = number.isdecimal() and int(number) in SYSTEM_DATES and number not in forms
        form = forms.get(number) or BUILT_IN.get(number) or ("yyyy-mm-dd" if system else "General")
        is_struck = struck[int(font)] if font.isdecimal() and int(font) < len(struck) else False
        yield CellStyle(form, system, is_struck)
