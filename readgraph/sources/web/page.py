"""A page of HTML as a text that keeps its elements and controls, for those who act on it (ReadAgent, appendix E)."""

from collections.abc import Iterator
from typing import NamedTuple

from readgraph.sources.encodings import decode_html
from readgraph.sources.markup import feed_html
from readgraph.sources.web.attributes import HIDDEN
from readgraph.sources.web.dom import Dom, Entry
from readgraph.sources.web.labels import label_controls
from readgraph.state.errors import BadInput
from readgraph.state.web.lines import cut, element_line, indentation, text_line

__all__ = ["HIDDEN", "WebPage", "web_page"]


class WebPage(NamedTuple):
    """A page's title ("" if it has none) and its text: a line for each element (see `state.web.lines`)."""

    title: str
    text: str


def web_page(html: str | bytes, *, id_attribute: str = "", name: str = "The page") -> WebPage:
    """The text of a page of HTML, with the ids by which its elements can be named.

    With `id_attribute`, an element can be named if it has this attribute, and its value is the id; without, links and
    controls get running numbers. Scripts, styles and what the page hides are left out. `name` stands for the page in
    messages. Raises `BadInput` for a page in which there is nothing to read and nothing to act on, or that is no text.
    """
    written = decode_html(html, name) if isinstance(html, bytes) else html
    dom = Dom(id_attribute)
    if written.strip():
        feed_html(written, dom)
    label_controls(dom)
    text = "\n".join(_lines(dom))
    if not text:
        raise BadInput(f"{name} holds nothing to read, and nothing to act on.")
    return WebPage(dom.title, text)


def _lines(dom: Dom) -> Iterator[str]:
    if dom.title:
        yield element_line(0, "title", {}, dom.title)
    places: dict[Entry, tuple[int, int]] = {}  # the depth and the indentation of the line that others stand in
    for entry in dom.entries:
        around = places.get(entry.inside) if entry.inside else None
        if not entry.kept:
            if around:
                places[entry] = around
            continue
        indented = indentation(*around) if around else 0
        if entry.tag:
            places[entry] = entry.depth, indented
            yield element_line(indented, entry.tag, _attributes(entry), "" if entry.tag == "textarea" else entry.text)
            options = dom.datalists.get(entry.options_of, []) if entry.tag == "input" else []
            yield from (element_line(indented + 1, "option", {}, option) for option in options)
        elif entry.text:
            yield text_line(indented, entry.text)


def _attributes(entry: Entry) -> dict[str, str]:
    """An element's attributes; what stands in a text area is its value."""
    value = cut(entry.text) if entry.tag == "textarea" else ""
    return entry.attributes | ({"value": value} if value else {})
