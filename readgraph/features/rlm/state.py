"""What a reading by programs holds of a question."""

from typing import Annotated

from typing_extensions import TypedDict

from readgraph.state.channels import Empty
from readgraph.state.reading import Answered, ReadingState


class ProgramRun(TypedDict):
    """A program that a model wrote to look at the text, and what came of it.

    `shown` is what it showed, cut to what a prompt holds; `fault` says why it ended early, or is "". `asked` counts its
    sub-calls, `words` those of the pieces that they were about.
    """

    program: str
    shown: str
    fault: str
    asked: int
    words: int


class ProgramsOutput(Answered):
    """Output of a reading by programs: each of them, too."""

    programs: list[ProgramRun]


class ProgramsState(ReadingState, ProgramsOutput):
    """All channels of a reading by programs; `program` runs next, `kept` is what they leave to each other, as JSON."""

    program: str
    kept: str


class FreshPrograms(TypedDict):
    """The channels of programs that belong to one question."""

    programs: Annotated[list[ProgramRun], Empty]
    program: Annotated[str, Empty]
    kept: str
