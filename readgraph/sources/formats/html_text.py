"""HTML as plain text: the words in their order, without scripts, styles and navigation; data tables become rows."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from readgraph.language.calendars import find_date
from readgraph.sources.converting import (
    ITEM,
    PARAGRAPH,
    Converted,
    join_lines,
    normal,
    on_a_line,
    paragraphs_of,
    require_text,
)
from readgraph.sources.encodings import decode_html
from readgraph.sources.formats.html_blocks import PageBlocks
from readgraph.sources.formats.html_events import END_MAY_BE_LEFT_OUT, END_OF_FILE, feed_nested, without_unclosed
from readgraph.sources.formats.html_line import Line, is_page_break
from readgraph.sources.formats.html_lists import ListNumbers, Lists
from readgraph.sources.formats.html_seen import describe_image, value_of_field
from readgraph.sources.formats.html_sheets import COUNTED, Names, StyleSheets
from readgraph.sources.formats.html_styles import is_hidden, is_struck, parts_words, stands
from readgraph.sources.left_out import LeftOut
from readgraph.sources.linear_math import linear_math
from readgraph.sources.mojibake import note_double_encoding
from readgraph.sources.parsing import MOST_HTML_TAGS, check_tags, feed_xhtml, local_name
from readgraph.sources.places import HeadingPath, Place, order_places
from readgraph.sources.raised_text import LOWERED, RAISED

if TYPE_CHECKING:
    from lxml.etree import TreeBuilder

_XHTML = re.compile(r"^\s*<\?xml\b|<html\b[^>]*\bxmlns\s*=")
MOST_LOST = 300  # characters beside links that what is skipped may hold; with more of them it is no navigation
MOST_READINGS = 4  # of a page some of whose parts turn out to be no navigation
DEEPEST_FRAMES = 3  # frames in each other whose pages are read

_NEVER_SHOWN = frozenset("script style template datalist".split())
_SKIPPED = frozenset("nav noscript svg iframe object canvas audio video button".split())
_NAVIGATION = frozenset(("nav", "noscript"))
_PROGRAMS = frozenset(("script", "style"))
_NOT_LOST = frozenset(("a", "script", "style"))
_READINGS = frozenset(("rt", "rp", "rtc"))  # in a ruby
_LEFT_OUT = {
    **dict.fromkeys(("iframe", "object", "embed"), "embedded page"),
    **dict.fromkeys(("audio", "video"), "recording"),
}
_DATES = {"article:published_time", "date", "DC.date", "dcterms.date", "datePublished"}
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure"
    " footer form header hgroup hr html legend li main menu ol optgroup p pre section summary table tbody td tfoot th"
    " thead tr ul".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_ENDS_HEADING = frozenset("p table ul ol dl pre blockquote".split())
_DELETED = frozenset("del s strike".split())
_MAY_BE_SKIPPED = frozenset(
    (*_NEVER_SHOWN, *_SKIPPED, *_READINGS, *_DELETED, *_LEFT_OUT, "dialog", "option", "math", "mjx-math")
)
_SIDE_BY_SIDE = ("flex", "grid", "inline-flex", "inline-grid")
_POSITIONS = {"sup": RAISED, "sub": LOWERED}
_NAMED_POSITIONS = {"superscript": RAISED, "subscript": LOWERED}  # classes, where no style says so


def convert(data: bytes, name: str) -> Converted:
    """The text of a page; places are the paths of its headings. Raises `BadInput` if it holds no text."""
    left_out = LeftOut()
    page = read_page(data, name, left_out)
    text = require_text(page.blocks.text(), name)
    return Converted(text, order_places(page.headings), page.title, left_out.problems(name), page.date)


def read_page(
    data: bytes, name: str, left_out: LeftOut | None = None, read_style: Callable[[str], str] = lambda _: ""
) -> "HtmlPage":
    """Parse HTML or XHTML; XHTML that is not well-formed is parsed as HTML. Raises `BadInput` for binary data.

    Args:
        data: The page.
        name: Its name in messages.
        left_out: Takes what of the page does not become text.
        read_style: Gives the style sheet of an address.
    """
    left_out = left_out or LeftOut()
    html = decode_html(data, name, left_out.say)
    if notice := note_double_encoding(html):
        left_out.say(notice)
    check_tags(html.count("<"), name, MOST_HTML_TAGS)
    return _read(html, left_out, read_style)


def _read(html: str, left_out: LeftOut, read_style: Callable[[str], str], depth: int = 0) -> "HtmlPage":
    make = partial(HtmlPage, read_style=read_style, depth=depth)
    page, shown = make(frozenset()), frozenset[int]()
    if is_whole := bool(_XHTML.search(html[:4096])) and feed_xhtml(html, page):
        if page.items:
            feed_xhtml(html, page := make(shown, items=page.items))
    else:
        html, items = without_unclosed(html), dict[int, int]()
        for reading in range(MOST_READINGS):
            is_whole = feed_nested(html, page := make(shown, items=items))
            if page.to_show <= shown and page.items == items:
                break
            shown, items = shown | page.to_show, page.items
            shown = frozenset(range(page.elements)) if page.to_show and reading == MOST_READINGS - 2 else shown
    for kind, place in page.noted:
        left_out.add(kind, place)
    if not is_whole:
        left_out.add("unreadable end after an unclosed comment or tag")
    return page


class HtmlPage:
    """Text, headings and anchors of a page, collected while its parser calls `start`, `data` and `end`.

    Items of a numbered list keep their numbers; a link to a note becomes " [^1]". `to_show` are the numbers of elements
    that were skipped and hold what should not be; a page that is given them as `shown` reads them. So with `items`: the
    numbers of lists that count down, each with how many it has.
    """

    def __init__(
        self,
        shown: frozenset[int],
        read_style: Callable[[str], str],
        depth: int = 0,
        items: Mapping[int, int] | None = None,
    ) -> None:
        self.blocks = PageBlocks()
        self.headings: list[Place] = []
        self.first_heading: tuple[int, str] | None = None
        self.title = self.date = ""
        self.to_show = set[int]()
        self.elements = 0
        self.noted: list[tuple[str, str]] = []  # kinds and places of what is left out
        self._shown, self._read_style, self._depth = shown, read_style, depth
        self._sheets = StyleSheets()
        self._around: list[Names] = []  # the names of the open elements that are not skipped
        self._path = HeadingPath()
        self._line = Line()
        self._closers: list[Callable[[], object] | None] = []  # of the open elements that are not skipped
        self._side_by_side: list[bool] = []  # whether what is in each of them stands side by side
        self._title_parts: list[str] | None = None
        self._style_parts: list[str] = []
        self._skipped: list[str] = []  # the element that is skipped, and what is open in it
        self._root = self._lost = 0  # the number of the element that is skipped; its characters beside links
        self._linked = 0  # how many links and programs are open in it
        self._is_navigation = False
        self._math: TreeBuilder | None = None
        self._in_math = 0
        self._pre = self._heading = 0
        self._chosen: int | None = None  # how many options of a list are shown
        self._item: str | None = None
        self._numbers: list[ListNumbers | None] = []
        self._lists = Lists({} if items is None else items)

    @property
    def items(self) -> dict[int, int]:
        """How many items each list has that counts down, by the list's element."""
        return self._lists.counted

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Called by the parser for a start tag."""
        tag = _plain_name(tag)
        self.elements += 1
        if tag == END_OF_FILE and (self._math is not None or self._is_unclosed()):
            self.to_show.add(self._root)
        if self._math is not None:
            self._in_math += 1
            self._math.start(tag, {local_name(name): value for name, value in attributes.items()})
            return
        names = self._sheets.names_of(tag, attributes)
        style = {} if self._skipped else self._sheets.of(names, attributes, self._around)
        if self._skipped or ((attributes or style or tag in _MAY_BE_SKIPPED) and self._skips(tag, attributes, style)):
            self._skipped.append(tag)
            self._linked += tag in _NOT_LOST
            return
        if self._side_by_side and self._side_by_side[-1]:
            self._line.part()
        self._side_by_side.append(bool(style) and style.get("display", "") in _SIDE_BY_SIDE)
        self._around.append(names)
        self._closers.append(self._open(tag, attributes, style))
        if style:
            self._add_beside(style)

    def data(self, data: str) -> None:
        """Called by the parser for text."""
        if self._math is not None:
            self._math.data(data)
        elif self._skipped:
            if self._skipped[0] == "style":
                self._style_parts.append(data)
            elif not self._linked:
                self._lost += len(data.strip())
        elif self._title_parts is not None:
            self._title_parts.append(data)
        else:
            self._line.add(data.replace("\r\n", "\n") if self._pre else data.replace("\n", " "))

    def end(self, tag: str) -> None:
        """Called by the parser for an end tag, also for one that it added."""
        tag = _plain_name(tag)
        if self._math is not None and self._in_math:
            self._in_math -= 1
            self._math.end(tag)
        elif self._skipped:
            self._linked -= self._skipped.pop() in _NOT_LOST
            if not self._skipped:
                self._end_skipped(tag)
        elif self._closers:
            close = self._closers.pop()
            if close:
                close()
            self._around.pop()
            self._side_by_side.pop()
            if self._side_by_side and self._side_by_side[-1]:
                self._line.part()

    def close(self) -> None:
        """Called by the parser at the end."""
        self._flush()
        self.blocks.lay_out()

    def _add_beside(self, style: Mapping[str, str]) -> None:
        """Add what style sheets set before an element that begins, and have what they set after it added at its end."""
        before, after = style.get("before", ""), style.get("after", "")
        self._add_styled(before, style.get("before-stands", ""))
        if not after:
            return
        close = self._closers[-1] or _do_nothing

        def add_and_close() -> None:
            self._add_styled(after, style.get("after-stands", ""))
            close()

        self._closers[-1] = add_and_close

    def _add_styled(self, text: str, position: str) -> None:
        if COUNTED in text:
            self._note("number that is counted by a style sheet")
        elif text:
            end = self._line.open("span", {"class": ""}, position, "") or _do_nothing
            self._line.add(text)
            end()

    def _is_unclosed(self) -> bool:
        """Whether what is skipped at the end of the file should have ended before."""
        return bool(self._skipped) and self._skipped[0] not in END_MAY_BE_LEFT_OUT

    def _note(self, kind: str) -> None:
        self.noted.append((kind, self._path.label))

    def _skips(self, tag: str, attributes: Mapping[str, str], style: Mapping[str, str]) -> bool:
        """Whether an element is skipped, with all in it; notes what of that should have been read."""
        self._root, self._lost = self.elements, 0
        self._is_navigation = tag in _NAVIGATION or attributes.get("role") == "navigation"
        if self.elements in self._shown and tag not in _PROGRAMS:
            return False
        if tag in _NEVER_SHOWN:
            is_tex = attributes.get("type", "").startswith("math/tex")
            return not (is_tex and not self._line.follows_formula)
        if tag in _READINGS and self._line.in_ruby:
            if tag != "rp":
                self._note("ruby reading")
            return True
        if tag in _DELETED or (style and is_struck(style)):
            self._note("deleted passage")
            return True
        if tag == "dialog" and "open" not in attributes:
            self._note("dialog that is closed")
            return True
        if is_page_break(attributes):
            return True
        if tag == "option":
            return self._chosen is not None and "selected" not in attributes
        is_formula = "math" in attributes.get("class", "").lower()  # for readers of the screen, beside its picture
        if attributes and (_is_hidden(attributes) or is_hidden(style)) and not is_formula:
            return True
        if page := attributes.get("srcdoc", "") if tag == "iframe" else "":
            self._add_frame(page)
        elif tag in _LEFT_OUT and _is_seen(attributes):
            self._note(_LEFT_OUT[tag])
        return tag in _SKIPPED or self._line.repeats_formula(tag, attributes)

    def _end_skipped(self, tag: str) -> None:
        if tag == "style":
            self._sheets.add("".join(self._style_parts))
            self._style_parts.clear()
        elif tag == "svg" and self._lost:
            self._note("labelled drawing")
        elif self._lost >= MOST_LOST and self._is_navigation:
            self.to_show.add(self._root)

    def _open(self, tag: str, attributes: Mapping[str, str], style: Mapping[str, str]) -> Callable[[], object] | None:
        """Begin an element; returns what is to be done at its end."""
        if anchor := attributes.get("id") or (attributes.get("name") if tag == "a" else None):
            self.blocks.pending.append(anchor)
        if tag in ("meta", "link"):
            self._take_about(tag, attributes)
        elif tag == "title":
            self._title_parts = []
            return self._close_title
        elif tag == "math" and self.elements not in self._shown:
            return self._open_math()
        elif tag in _HEADINGS:
            self._flush()
            self.blocks.lay_out()
            self._heading = _HEADINGS[tag]
            return self._close_heading
        elif tag in ("progress", "meter") or (tag in _BLOCKS and self._heading and tag not in _ENDS_HEADING):
            self._line.add(" ")
            return lambda: self._line.add(" ")
        elif tag in _BLOCKS:
            self._open_block(tag, attributes, style)
            return lambda: self._close_block(tag)
        else:
            return self._open_on_line(tag, attributes, style)
        return None

    def _open_on_line(
        self, tag: str, attributes: Mapping[str, str], style: Mapping[str, str]
    ) -> Callable[[], object] | None:
        """Begin an element among the words of a line."""
        if tag == "br":
            self._line.add("\n")
        elif tag in ("input", "img"):
            self._line.add(value_of_field(attributes) if tag == "input" else describe_image(attributes))
        elif tag == "select":
            self._chosen = 0
            return self._close_list
        elif tag == "option" and self._chosen is not None:
            self._line.add(", " if self._chosen else " ")
            self._chosen += 1
        elif tag == "textarea":
            self._line.add("\n")
            self._pre += 1
            return self._close_textarea
        else:
            position = _POSITIONS.get(tag, "") or (stands(style) if style else "")
            if not position and "script" in attributes.get("class", ""):
                position = next(filter(None, map(_NAMED_POSITIONS.get, attributes["class"].lower().split())), "")
            return self._line.open(tag, attributes, position, parts_words(style) if style else "")
        return None

    def _close_list(self) -> None:
        self._line.add(" " if self._chosen else "")
        self._chosen = None

    def _close_textarea(self) -> None:
        self._pre = max(0, self._pre - 1)
        self._line.add("\n")

    def _close_title(self) -> None:
        self.title = self.title or on_a_line("".join(self._title_parts or []))
        self._title_parts = None

    def _close_heading(self) -> None:
        self._flush()
        self._heading = 0

    def _take_about(self, tag: str, attributes: Mapping[str, str]) -> None:
        names = {attributes.get("name"), attributes.get("property"), attributes.get("itemprop")}
        if tag == "meta" and names & _DATES:
            self.date = self.date or find_date(attributes.get("content", ""))
        elif tag == "link" and "stylesheet" in attributes.get("rel", "").lower():
            self._sheets.add(self._read_style(attributes.get("href", "")))

    def _open_math(self) -> Callable[[], object]:
        from lxml.etree import TreeBuilder

        self._math = TreeBuilder()
        self._math.start("math", {})
        return self._close_math

    def _close_math(self) -> None:
        if self._math is not None:
            builder, self._math = self._math, None
            builder.end("math")
            self._line.add_formula(linear_math(builder.close()))

    def _add_frame(self, page: str) -> None:
        """Read the page that a frame brings with it."""
        self._flush()
        left_out = LeftOut()
        if self._depth < DEEPEST_FRAMES:
            for block in paragraphs_of(_read(page, left_out, self._read_style, self._depth + 1).blocks.text()):
                self.blocks.put(block, PARAGRAPH)

    def _open_block(self, tag: str, attributes: Mapping[str, str], style: Mapping[str, str]) -> None:
        if self._flush():
            self._heading = 0
        if tag == "pre":
            self.blocks.lay_out()
            self._pre += 1
        elif tag in ("ul", "ol", "menu", "dir"):
            self._numbers.append(self._lists.begin(self.elements, attributes, style) if tag == "ol" else None)
        elif tag in ("li", "dt", "dd"):
            self._item, numbers = "", self._numbers[-1] if self._numbers else None
            if tag == "li" and numbers:
                self._item = numbers.take_next(attributes, style)
        elif tag == "table":
            self.blocks.open_table()
        else:
            self.blocks.open_cell(tag, attributes)

    def _close_block(self, tag: str) -> None:
        self._flush()
        if tag == "pre":
            self._pre = max(0, self._pre - 1)
        elif tag in ("ul", "ol", "menu", "dir") and self._numbers:
            self._numbers.pop()
        elif tag in ("li", "dt", "dd"):
            self._item = None
        elif tag == "table":
            self.blocks.close_table()

    def _flush(self) -> bool:
        """Make a block of the text since the last one; returns whether there was any."""
        if self._line.is_empty:
            return False
        text = self._line.take()
        if not text or text.isspace():
            return False
        if self._heading:
            title = join_lines(text)
            self.headings.append(Place(self.blocks.add(title), self._path.enter(self._heading, title)))
            self.first_heading = self.first_heading or (self._heading, title)
            return True
        for block in [normal(text).strip("\n").rstrip()] if self._pre else paragraphs_of(text):
            kind, marker = (PARAGRAPH, "") if self._item is None else (ITEM, self._item)
            self._item = None
            self.blocks.put(marker + block, kind)
        return True


def _do_nothing() -> None:
    """At the end of an element that needs nothing."""


@lru_cache(1_000)
def _plain_name(tag: str) -> str:
    """A tag without its namespace, also where it is a prefix of formulas in HTML."""
    return re.sub(r"^(?:m|mml):", "", local_name(tag))


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    return attributes.get("hidden", "until-found") != "until-found" or attributes.get("role") == "navigation"


def _is_seen(attributes: Mapping[str, str]) -> bool:
    """Whether something embedded is larger than what only counts visitors."""
    return not {attributes.get("width"), attributes.get("height")} & {"0", "1"}
