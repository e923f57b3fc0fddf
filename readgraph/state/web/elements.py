"""The elements of a web page that can be named, read from the page's text, and what can be done with them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from readgraph.state.web.lines import Line, cut, lines_of, on_one_line

Operation = Literal["click", "type", "select"]

TEXT_TYPES = frozenset(
    "text search email tel url password number date time datetime-local month week color range".split()
)
"""Types of an input that takes a text."""

TEXT_ROLES = frozenset(("textbox", "searchbox", "spinbutton"))
"""Roles of an element that takes a text."""

LONGEST_LABEL = 80
"""Most characters of an element's label."""

MOST_NAMED = 12
"""Most options that a complaint names."""


@dataclass(frozen=True, slots=True)
class WebElement:
    """An element that can be named. `options` are those that can be selected; `secret`: what is typed is a password.

    `start` is the offset of its line in the page's text.
    """

    id: str
    tag: str
    label: str
    start: int
    takes_text: bool = False
    options: tuple[str, ...] = ()
    disabled: bool = False
    secret: bool = False

    @property
    def described(self) -> str:
        """The element in words: "[7] button 'Search'"."""
        return f"[{self.id}] {self.tag}" + (f" '{self.label}'" if self.label else "")

    def option(self, value: str) -> str | None:
        """The offered option that a value means, whatever its case and spaces; None where there is none."""
        meant = on_one_line(value).casefold()
        return next((option for option in self.options if option.casefold() == meant), None)


def elements_of(text: str) -> dict[str, WebElement]:
    """The elements of a page's text that can be named, by their ids, in the page's order."""
    lines = [*lines_of(text)]
    found: dict[str, WebElement] = {}
    for number, line in enumerate(lines):
        if (identity := line.attributes.get("id")) and identity not in found:
            found[identity] = _element(identity, lines, number)
    return found


def problem_with(elements: Mapping[str, WebElement], identity: str, operation: Operation, value: str) -> str | None:
    """What is wrong with an action on a page with these elements; None for one that can be done."""
    if (element := elements.get(identity)) is None:
        return f"there is no element '{cut(identity, LONGEST_LABEL)}' on this page: name the id of one that you see"
    if element.disabled:
        return f"the element {element.described} is disabled"
    if operation == "type":
        if not element.takes_text:
            return f"the element {element.described} takes no text"
        return None if value.strip() else "to type needs a value"
    if operation == "select":
        if not element.options:
            return f"the element {element.described} has no options to select from"
        if element.option(value) is None:
            shown = ", ".join(element.options[:MOST_NAMED]) + (", …" if len(element.options) > MOST_NAMED else "")
            return f"'{cut(value, LONGEST_LABEL)}' is not offered by {element.described}: select one of {shown}"
    return None


def _element(identity: str, lines: Sequence[Line], number: int) -> WebElement:
    line, has_options = lines[number], lines[number].tag in ("select", "input")
    named, kind = line.attributes, line.attributes.get("type", "text")
    typed = line.tag == "textarea" or (line.tag == "input" and kind in TEXT_TYPES)
    takes_text = typed or "editable" in named or named.get("role") in TEXT_ROLES
    options = [each for each in _below(lines, number) if each.tag == "option"] if has_options else []
    return WebElement(
        identity,
        line.tag,
        cut(_label(lines, number), LONGEST_LABEL),
        line.start,
        takes_text and "readonly" not in named,
        tuple(option.text for option in options if option.text and "disabled" not in option.attributes),
        "disabled" in named,
        line.tag == "input" and kind == "password",
    )


def _below(lines: Sequence[Line], number: int) -> Iterator[Line]:
    """The lines within the element of this line."""
    for place in range(number + 1, len(lines)):
        if lines[place].depth <= lines[number].depth:
            return
        yield lines[place]


def _label(lines: Sequence[Line], number: int) -> str:
    """What an element is called: its label, else its text, else what its attributes say."""
    line = lines[number]
    if said := line.attributes.get("label"):
        return said
    inner = "" if line.tag in ("select", "input") else " ".join(_said(_below(lines, number)))
    if said := f"{line.text} {inner}".strip():
        return said
    return next(filter(None, map(line.attributes.get, ("placeholder", "title", "alt", "name", "href"))), "")


def _said(below: Iterable[Line]) -> Iterator[str]:
    """The texts of these lines, until they are enough for a label; of an element's many lines only the first."""
    room = LONGEST_LABEL
    for line in islice(below, LONGEST_LABEL):
        if said := line.text or line.attributes.get("alt") or line.attributes.get("label"):
            yield said
            room -= len(said)
        if room < 0:
            return
