"""The state of a summary: what was asked for, what is shown of the text, and the sentences."""

from typing import Annotated, NotRequired

from langgraph.channels import EphemeralValue
from pydantic import Field
from typing_extensions import TypedDict

from readgraph.state.reading import Answered, Question, ReadingState


class SummaryWanted(Question):
    """Input of the summary's graph: what to summarise of a document, and what the summary is to be about."""

    part: NotRequired[
        Annotated[
            str,
            Field(description="A part of the text by its heading, its number, or its pages; without one, all of it."),
            EphemeralValue,
        ]
    ]


class PartOfText(TypedDict):
    """A part of a text by its name, and its span `[start, end)` in characters."""

    name: str
    start: int
    end: int


class SummaryPart(TypedDict):
    """What a summary is made from: the note of a page or, where `full`, the text of the page in `[start, end)`."""

    page: int
    start: int
    end: int
    full: bool


class Summarised(Answered):
    """Output of the summary's graph: `answer` is the summary."""

    parts: list[PartOfText]  # the parts of the text that were asked for, none where it is all of it


class SummaryState(ReadingState, Summarised):
    """All channels of a summary."""

    part: NotRequired[Annotated[str, EphemeralValue]]
    part_wanted: str
    shown: list[SummaryPart]
