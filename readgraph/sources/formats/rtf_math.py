"""Formulas of Rich Text, whose groups are the elements of Word's formulas under other names."""

from typing import TYPE_CHECKING

from readgraph.sources.linear_math import linear_math

if TYPE_CHECKING:
    from lxml.etree import _Element

_PROPERTIES = frozenset("chr begChr endChr sepChr pos type show degHide".split())
_DEEPEST = 100  # elements; deeper ones are not kept apart


class RtfFormula:
    """A formula, built while its groups are read."""

    def __init__(self) -> None:
        from lxml import etree

        self._element = etree.Element
        self._root: _Element = etree.Element("oMath")
        self._open: list[_Element] = [self._root]

    def open_group(self) -> None:
        """Begin a group: until a word names it, it is a part of the one around it."""
        self._open.append(self._open[-1])

    def close_group(self) -> None:
        """End a group."""
        if len(self._open) > 1:
            self._open.pop()

    def name_group(self, word: str) -> None:
        """Make the group an element: "mnum" is a fraction's numerator."""
        above = self._open[-1]
        if word.startswith("m") and word not in ("m", "mmath") and len(self._open) < _DEEPEST:
            self._open[-1] = self._element(word[1:])
            above.append(self._open[-1])

    def add_text(self, text: str) -> None:
        """Add text to the group; of a property, it is the value."""
        element = self._open[-1]
        if element.tag in _PROPERTIES:
            element.set("val", element.get("val", "") + text.strip())
        elif not str(element.tag).endswith("Pr") and text.strip():
            part = self._element("t")
            part.text = text
            element.append(part)

    def text(self) -> str:
        """The formula on a line."""
        return linear_math(self._root)
