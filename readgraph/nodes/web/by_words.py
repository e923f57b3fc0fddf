"""Notes and actions without a model: the words of the instruction against the labels of a page's elements."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Literal

from langgraph.runtime import Runtime

from readgraph.nodes.extractive.gists import GIST_SHARE, GIST_WORDS
from readgraph.state.context import ReaderContext
from readgraph.state.records import Note, Page
from readgraph.state.search.okapi import rank
from readgraph.state.search.terms import content_words
from readgraph.state.web.elements import Operation, WebElement, elements_of
from readgraph.state.web.lines import lines_of
from readgraph.state.web.step import WebAction
from readgraph.state.words import count_words, first_words

_TOLD = frozenset("h1 h2 h3 h4 h5 h6 legend caption th".split())
_QUOTED = re.compile(r"""["“”„«](.{1,200}?)["“”»]|(?<!\w)['‘](.{1,200}?)['’](?!\w)""")
_VALUE = r"\s*(?:is|as|=|:)?\s+([^,.;\n]{1,200})"


def extract_web_note(part: str) -> str:
    """The headings of a part of a page and its elements that can be named, as many as a note may have words."""
    elements = {element.start: element for element in elements_of(part).values()}
    told = [
        elements[line.start].described if line.start in elements else line.text
        for line in lines_of(part)
        if line.start in elements or (line.tag in _TOLD and line.text)
    ]
    allowed = max(GIST_WORDS, round(GIST_SHARE * count_words(part)))
    return first_words("; ".join(islice(told, allowed)) or " ".join(line.text for line in lines_of(part)), allowed)


async def note_by_rule(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
    """The note of a part without a model."""
    said = await asyncio.to_thread(extract_web_note, text)
    return Note(page.number, said, count_words(said))


def action_by_words(instruction: str, elements: Iterable[WebElement], done: Sequence[str]) -> WebAction:
    """The action on the element whose label shares most words with the instruction, of those not acted on before."""
    left = [element for element in elements if not element.disabled and not _was_used(element, done)]
    labels = [" ".join([element.label, *element.options]) for element in left]
    for number, _ in rank(instruction, labels):
        if chosen := _operation_on(left[number], instruction):
            operation, value = chosen
            return acting(left[number], operation, value, "its label shares words with the instruction")
    return not_acting("stuck", "no other element's label shares words with the instruction")


def acting(element: WebElement, operation: Operation, value: str, reason: str) -> WebAction:
    """An action on an element, in words too; an option stands as the page has it, a password is not said."""
    value = (element.option(value) or value) if operation == "select" else value if operation == "type" else ""
    shown = "•••" if element.secret and value else f"'{value}'"
    said = {"click": "click", "type": f"type {shown} into", "select": f"select {shown} in"}[operation]
    return {
        "outcome": "act",
        "element": element.id,
        "operation": operation,
        "value": value or None,
        "said": f"{said} {element.described}",
        "reason": reason,
    }


def not_acting(outcome: Literal["finished", "stuck"], reason: str) -> WebAction:
    """The end of an episode."""
    return WebAction(outcome=outcome, element=None, operation=None, value=None, said=outcome, reason=reason)


def _was_used(element: WebElement, done: Sequence[str]) -> bool:
    return any(each.endswith(element.described.partition(" ")[2]) for each in done)


def _operation_on(element: WebElement, instruction: str) -> tuple[Operation, str] | None:
    """What the instruction's words say to do with an element; None where they give no option or text for it."""
    if element.options:
        asked = {*content_words(instruction)}
        named = [option for option in element.options if (words := {*content_words(option)}) and words <= asked]
        if named:
            return "select", max(named, key=len)
    if element.takes_text:
        value = _text_for(element, instruction)
        return ("type", value) if value else None
    return None if element.options else ("click", "")


def _text_for(element: WebElement, instruction: str) -> str:
    """What stands after an element's label in the instruction, or the only text in quotes."""
    found = re.search(re.escape(element.label) + _VALUE, instruction, re.IGNORECASE) if element.label else None
    quoted = [first or second for first, second in _QUOTED.findall(instruction)]
    return found[1].strip(" '\"“”") if found else quoted[0] if len(quoted) == 1 else ""
