"""A web page as text, one line for each element or text: the only file that writes and reads this form.

A line is indented one more than the depth in the DOM of the element that it stands in, such as
`  <button id="7">Search` or `   a text`. Texts and values are escaped and stand on one line, so no text of a page can
make a line that reads as an element.
"""

import re
from collections.abc import Iterator, Mapping
from html import escape, unescape
from typing import NamedTuple

from readgraph.state.settings.parts import DEEPEST_PAGES

EXACT = DEEPEST_PAGES
"""Lines are indented by the depth in the DOM down to here, and further down by how they stand in each other."""

DEEPEST = 60
"""The most that a line is indented: what is nested 100,000 times must not become 100,000 spaces."""

LONGEST_VALUE = 200
"""Most characters of an attribute's value."""

_ELEMENT = re.compile(r'( *)<([a-z][a-z0-9:_-]*)((?: [a-z-]+(?:="[^"\n]*")?)*)>([^\n]*)')
_ATTRIBUTE = re.compile(r' ([a-z-]+)(?:="([^"]*)")?')
_TAG = re.compile(r"[^a-z0-9:_-]")


class Line(NamedTuple):
    """One line of a page: an element with the text that begins it, or a text (`tag` ""); `[start, end)` in the whole.

    `depth` is its indentation. Attributes without a value, such as `checked`, have "".
    """

    depth: int
    tag: str
    attributes: Mapping[str, str]
    text: str
    start: int
    end: int


def on_one_line(text: str) -> str:
    """A text with single spaces for its white space."""
    return " ".join(text.split())


def cut(text: str, most: int = LONGEST_VALUE) -> str:
    """A text of at most this many characters, on one line."""
    text = on_one_line(text)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def indentation(depth: int, above: int) -> int:
    """How much a line is indented in an element of this depth in the DOM, which is itself indented by `above`."""
    return depth + 1 if depth < EXACT else min(max(EXACT, above) + 1, DEEPEST)


def text_line(depth: int, text: str) -> str:
    """The line of a text with this indentation."""
    return f"{' ' * depth}{escape(on_one_line(text), quote=False)}"


def element_line(depth: int, tag: str, attributes: Mapping[str, str], text: str = "") -> str:
    """The line of an element with this indentation; attributes without a value are those with ""."""
    named = "".join(f' {name}="{escape(value)}"' if value else f" {name}" for name, value in attributes.items())
    return f"{' ' * depth}<{_TAG.sub('-', tag)}{named}>{text_line(0, text)}"


def lines_of(text: str) -> Iterator[Line]:
    """The lines of a page's text, in their order."""
    start = 0
    for written in text.split("\n"):
        end = start + len(written)
        if found := _ELEMENT.fullmatch(written):
            spaces, tag, named, said = found.groups()
            attributes = {name: unescape(value) for name, value in _ATTRIBUTE.findall(named)}
            yield Line(len(spaces), tag, attributes, unescape(said), start, end)
        else:
            said = written.lstrip(" ")
            yield Line(len(written) - len(said), "", {}, unescape(said), start, end)
        start = end + 1


def indented_lines(text: str) -> Iterator[tuple[int, int]]:
    """(indentation, start) of each line of a page's text."""
    start = 0
    for written in text.split("\n"):
        yield len(written) - len(written.lstrip(" ")), start
        start += len(written) + 1
