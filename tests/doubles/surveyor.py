"""A scripted model for surveys: it plans what a test says, and takes records by a pattern, in any form of reply."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.doubles.model_server import ChatRequest
from tests.doubles.reader import asked_for, between

PLAN: dict[str, Any] = {
    "record": "a postponement of the launch",
    "extent": "all",
    "sought": None,
    "same_by": [],
    "group_by": None,
    "total": None,
    "sort_by": None,
    "order": "ascending",
    "first": None,
    "compare": False,
    "result": "table",
}


def column(name: str, kind: str = "text") -> dict[str, str]:
    """A planned column."""
    return {"name": name, "kind": kind, "meaning": f"the {name}"}


@dataclass
class Surveyor:
    """Each match of `pattern` on a page is a record: its groups are the values, and its text is the quote.

    By their notes, pages are kept whose note has `kept` in it. Quotes have as many more words on both sides as `around`
    says.
    """

    pattern: str
    plan: dict[str, Any]
    groups: Sequence[Sequence[str]] = ()
    answer: str = "It says so."
    around: int = 0
    kept: str = ""
    fault: Callable[[ChatRequest], Any] = lambda request: None
    asked: list[str] = field(default_factory=list)

    def __call__(self, request: ChatRequest) -> Any:
        wanted = asked_for(request)
        self.asked.append(wanted)
        if (wrong := self.fault(request)) is not None:
            return wrong
        if wanted == "SurveyPlan":
            return {**PLAN, **self.plan}
        if wanted == "SurveyRecords":
            return {"records": [*self.records(between(request, "passage"))]}
        if wanted == "SameNames":
            numbers = {name: int(number) for number, name in re.findall(r"^(\d+)\. (.*?): “", request.text, re.M)}
            return {"groups": [{"numbers": [numbers[name] for name in group]} for group in self.groups]}
        if wanted == "PagesKept":
            notes = re.findall(r"<page (\d+)>\n(.*?)(?=\n\n<page|\n</|\Z)", between(request, "memory"), re.S)
            return {"kept": [int(number) for number, note in notes if self.kept in note]}
        return {"answer": self.answer, "choice": "B", "rows": [2]}

    def records(self, passage: str) -> list[dict[str, str]]:
        return [
            {**{f"column_{number}": value for number, value in enumerate(found.groups(), 1)}, "quote": quote}
            for found in re.finditer(self.pattern, passage)
            for quote in (self._quote(passage, *found.span()),)
        ]

    def _quote(self, passage: str, start: int, end: int) -> str:
        words = list(re.finditer(r"\S+", passage))
        first = max(bisect_right([word.start() for word in words], start) - 1 - self.around, 0)
        last = min(bisect_left([word.end() for word in words], end) + self.around, len(words) - 1)
        return passage[words[first].start() : words[last].end()] if self.around else passage[start:end]
