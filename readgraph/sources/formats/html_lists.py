"""The numbers of a page's lists: where they begin, which way they count, and how they are written."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from readgraph.sources.formats.numerals import write_numeral

_FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman", "1": "decimal"}
_FORMS |= {"lower-alpha": "lowerLetter", "lower-latin": "lowerLetter", "upper-alpha": "upperLetter", "none": "none"}
_FORMS |= {"upper-latin": "upperLetter", "lower-roman": "lowerRoman", "upper-roman": "upperRoman", "hebrew": "hebrew1"}
_FORMS |= {"decimal": "decimal", "decimal-leading-zero": "decimalZero", "cjk-decimal": "ideographDigital"}
_FORMS |= {"thai": "thaiNumbers", "devanagari": "hindiNumbers", "cjk-ideographic": "chineseCounting"}
_FORMS |= {"lower-greek": "lowerGreek", **dict.fromkeys(("disc", "circle", "square"), "bullet")}
_FORMS |= {"simp-chinese-informal": "chineseCounting", "katakana": "aiueo", "katakana-iroha": "iroha"}


@dataclass(slots=True)
class ListNumbers:
    """The next number of a list, the step to the one after it, the form of both, and how many were taken."""

    number: int
    step: int
    form: str
    taken: int = 0

    def take_next(self, attributes: Mapping[str, str], style: Mapping[str, str]) -> str:
        """The mark of the next item: "3. "; "" in a list whose numbers are not shown."""
        number = _number(attributes.get("value"), self.number)
        self.number, self.taken = number + self.step, self.taken + 1
        numeral = write_numeral(number, _form_of(attributes, style) or self.form)
        return f"{numeral}. " if numeral else ""


class Lists:
    """The lists of a page; `known` says how many items those have that count down, by their elements."""

    def __init__(self, known: Mapping[int, int]) -> None:
        self._known = known
        self._down = dict[int, ListNumbers]()

    @property
    def counted(self) -> dict[int, int]:
        """How many items each list has that counts down."""
        return {element: numbers.taken for element, numbers in self._down.items()}

    def begin(self, element: int, attributes: Mapping[str, str], style: Mapping[str, str]) -> ListNumbers:
        """The numbers of a list that begins; one that counts down begins with the number of its items."""
        is_down = "reversed" in attributes
        start = _number(attributes.get("start"), self._known.get(element, 1) if is_down else 1)
        numbers = ListNumbers(start, -1 if is_down else 1, _form_of(attributes, style) or "decimal")
        self._down |= {element: numbers} if is_down else {}
        return numbers


def _form_of(attributes: Mapping[str, str], style: Mapping[str, str]) -> str:
    """The form of a list's numbers, by its name in `numerals`; "" where nothing names one that is known."""
    named = f"{style.get('list-style', '')} {style.get('list-style-type', '')}".split()
    return next(
        (form for name in reversed(named) if (form := _FORMS.get(name, ""))), _FORMS.get(attributes.get("type", ""), "")
    )


def _number(value: str | None, default: int) -> int:
    return int(value) if value and re.fullmatch(r"-?\d{1,9}", value.strip()) else default
