"""The state of a check: a draft, its claims, and what the documents say of each."""

from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from readgraph.language.compare import Difference, Verdict
from readgraph.state.reading import Absence, Answered, Citation, ReadingState, TextGiven


class CitedPlace(TypedDict):
    """A place that the draft names for a claim: its words there, and the span `[start, end)` that they mean."""

    name: str
    document: str
    start: int
    end: int


class Claim(TypedDict):
    """A sentence of the draft at its characters `[start, end)`, and what the documents say of it.

    `text`: its words without marks. `quotes`: what it quotes. `cited`: the places that it names. `pages`: those near.
    `searched`: in how many documents they were looked for. `by`: who decided, "rules" or "model", "" for nobody.
    `differs` may say of a claim that is not decided in what the nearest sentence differs; `missing`: its words that
    this sentence lacks. `absence`: of one that was not found, how many parts were judged, if that was wanted.
    """

    text: str
    start: int
    end: int
    quotes: list[str]
    cited: list[CitedPlace]
    pages: list[int]
    searched: int
    verdict: Verdict
    by: str
    differs: list[Difference]
    missing: list[str]
    evidence: list[Citation]
    absence: NotRequired[Absence | None]


class VerifyWanted(TextGiven):
    """Input of a check: a document in the page store (or a short text), and the draft that is checked against it."""

    draft: Annotated[str, Field(description="What is checked, sentence by sentence.")]


class VerifyOutput(Answered):
    """Output of a check: the `answer` is the draft; its citations show what the claims rest on."""

    claims: list[Claim]


class VerifyState(ReadingState, VerifyOutput):
    """All channels of a check."""

    draft: str
