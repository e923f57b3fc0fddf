"""A web page as text, a line for each element or text, and its elements that can be named.

Only this file writes and reads the form. A line is indented one more than the depth in the DOM of the element that it
stands in, such as `  <button id="7">Search` or `   a text`. Texts and values are escaped and stand on one line, so no
text of a page can make a line that reads as an element.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from itertools import islice
from typing import Literal, NamedTuple

from readgraph.features.web.settings import DEEPEST_PAGES
from readgraph.state.words import on_one_line

EXACT = DEEPEST_PAGES  # depth in the DOM by which lines are indented; further down, by how they stand in each other
DEEPEST = 60  # the most that a line is indented: what is nested 100,000 times must not become 100,000 spaces
LONGEST_VALUE = 200  # most characters of an attribute's value
_ELEMENT = re.compile(r'( *)<([a-z][a-z0-9:_-]*)((?: [a-z-]+(?:="[^"\n]*")?)*)>([^\n]*)')
_ATTRIBUTE = re.compile(r' ([a-z-]+)(?:="([^"]*)")?')
_TAG = re.compile(r"[^a-z0-9:_-]")


class WebLine(NamedTuple):
    """A line of a page: an element with the text that begins it, or a text (`tag` ""). `depth` is its indentation."""

    depth: int
    tag: str
    attributes: Mapping[str, str]
    text: str
    start: int
    end: int


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


def lines_of(text: str) -> Iterator[WebLine]:
    """The lines of a page's text, in their order."""
    start = 0
    for written in text.split("\n"):
        end = start + len(written)
        if match := _ELEMENT.fullmatch(written):
            spaces, tag, named, said = match.groups()
            attributes = {name: unescape(value) for name, value in _ATTRIBUTE.findall(named)}
            yield WebLine(len(spaces), tag, attributes, unescape(said), start, end)
        else:
            said = written.lstrip(" ")
            yield WebLine(len(written) - len(said), "", {}, unescape(said), start, end)
        start = end + 1


Operation = Literal["click", "type", "select"]

TEXT_TYPES = frozenset(
    "text search email tel url password number date time datetime-local month week color range".split()
)  # types of an input that takes a text

TEXT_ROLES = frozenset(("textbox", "searchbox", "spinbutton"))  # roles of an element that takes a text
LONGEST_LABEL = 80  # most characters of an element's label
MOST_NAMED = 12  # most options that a complaint names


@dataclass(frozen=True, slots=True)
class WebElement:
    """An element that can be named."""

    id: str
    tag: str
    label: str
    start: int  # the offset of its line in the page's text
    takes_text: bool = False
    options: tuple[str, ...] = ()  # those that can be selected
    disabled: bool = False
    secret: bool = False  # what is typed is a password

    @property
    def description(self) -> str:
        """The element in words: "[7] button 'Search'"."""
        return f"[{self.id}] {self.tag}" + (f" '{self.label}'" if self.label else "")

    def option(self, value: str) -> str | None:
        """The offered option that a value means, whatever its case and spaces; None where there is none."""
        meant = on_one_line(value).casefold()
        return next((option for option in self.options if option.casefold() == meant), None)


def elements_of(text: str) -> dict[str, WebElement]:
    """The elements of a page's text that can be named, by their ids, in the page's order."""
    lines = [*lines_of(text)]
    elements: dict[str, WebElement] = {}
    for number, line in enumerate(lines):
        named, kind = line.attributes, line.attributes.get("type", "text")
        if not (identity := named.get("id")) or identity in elements:
            continue
        typed = line.tag == "textarea" or (line.tag == "input" and kind in TEXT_TYPES)
        takes_text = typed or "editable" in named or named.get("role") in TEXT_ROLES
        below = _below(lines, number) if line.tag in ("select", "input") else ()
        options = [web_line for web_line in below if web_line.tag == "option"]
        elements[identity] = WebElement(
            identity,
            line.tag,
            cut(_label(lines, number), LONGEST_LABEL),
            line.start,
            takes_text and "readonly" not in named,
            tuple(option.text for option in options if option.text and "disabled" not in option.attributes),
            "disabled" in named,
            line.tag == "input" and kind == "password",
        )
    return elements


def problem_with(elements: Mapping[str, WebElement], identity: str, operation: Operation, value: str) -> str | None:
    """What is wrong with an action on a page with these elements; None for one that can be done."""
    if (element := elements.get(identity)) is None:
        return f"there is no element '{cut(identity, LONGEST_LABEL)}' on this page: name the id of one that you see"
    if element.disabled:
        return f"the element {element.description} is disabled"
    if operation == "type":
        if not element.takes_text:
            return f"the element {element.description} takes no text"
        return None if value.strip() else "to type needs a value"
    if operation == "select":
        if not element.options:
            return f"the element {element.description} has no options to select from"
        if element.option(value) is None:
            shown = ", ".join(element.options[:MOST_NAMED]) + (", …" if len(element.options) > MOST_NAMED else "")
            return f"'{cut(value, LONGEST_LABEL)}' is not offered by {element.description}: select one of {shown}"
    return None


def _below(lines: Sequence[WebLine], number: int) -> Iterator[WebLine]:
    for place in range(number + 1, len(lines)):
        if lines[place].depth <= lines[number].depth:
            return
        yield lines[place]


def _label(lines: Sequence[WebLine], number: int) -> str:
    """What an element is called: its label, else its text, else what its attributes say."""
    line = lines[number]
    if said := line.attributes.get("label"):
        return said
    inner = "" if line.tag in ("select", "input") else " ".join(_label_texts(_below(lines, number)))
    if said := f"{line.text} {inner}".strip():
        return said
    return next(filter(None, map(line.attributes.get, ("placeholder", "title", "alt", "name", "href"))), "")


def _label_texts(below: Iterable[WebLine]) -> Iterator[str]:
    """The texts of these lines, until they are enough for a label; of an element's many lines only the first."""
    room = LONGEST_LABEL
    for line in islice(below, LONGEST_LABEL):
        if said := line.text or line.attributes.get("alt") or line.attributes.get("label"):
            yield said
            room -= len(said)
        if room < 0:
            return
