"""The state of a comparison: two texts, and in what the later one differs."""

from typing import Annotated, Literal, NotRequired

from langgraph.channels import EphemeralValue
from pydantic import Field
from typing_extensions import TypedDict

from readgraph.state.reading import Answered, Citation, ReadingState, TextGiven
from readgraph.state.tables import Table

ChangeKind = Literal["added", "removed", "changed", "moved", "not judged"]
"""`not judged`: reworded or changed; rules can't tell, and no model was asked or could."""


class ChangedPart(TypedDict):
    """What differs, as both texts have it; of a `condition`, by what it must, may or holds only; `meaning`: by a model."""

    kind: Literal["number", "date", "name", "negation", "condition", "meaning"]
    earlier: str
    later: str


class Change(TypedDict):
    """A difference: the sentences in both texts with their places, none where one text has nothing.

    `moved`: they stand in another order, too. `by`: who judged, "rules" or "model".
    """

    kind: ChangeKind
    moved: bool
    by: Literal["rules", "model"]
    differs: list[ChangedPart]
    earlier: list[Citation]
    later: list[Citation]


class ChangesWanted(TextGiven):
    """Input of a comparison: a collection of two documents, the earlier one first; or two short texts."""

    earlier: NotRequired[Annotated[str, Field(description="The earlier of two short texts."), EphemeralValue]]


class ChangesOutput(Answered):
    """Output of a comparison: all differences in the order of the texts, and the same as a table."""

    changes: list[Change]
    table: Table


class ChangesState(ReadingState, ChangesOutput):
    """All channels of a comparison."""

    earlier: NotRequired[Annotated[str, EphemeralValue]]


def describe_change(change: Change) -> tuple[str, str]:
    """What became of a sentence, and in what it differs: "changed", "number: 20 euros → 25 euros"."""
    differs = (f"{part['kind']}: {part['earlier'] or '–'} → {part['later'] or '–'}" for part in change["differs"])
    kind = "reworded or changed, not judged" if change["kind"] == "not judged" else change["kind"]
    return kind + (", moved" if change["moved"] and kind != "moved" else ""), "; ".join(differs)
