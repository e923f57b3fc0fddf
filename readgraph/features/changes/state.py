"""The state of a comparison: two texts, and in what the later one differs."""

from typing import Annotated, Literal, NotRequired

from langgraph.channels import EphemeralValue
from pydantic import Field
from typing_extensions import TypedDict

from readgraph.state.reading import Answered, Citation, ReadingState, TextGiven
from readgraph.state.tables import Row, Table
from readgraph.state.words import first_words

SHOWN_WORDS = 60  # of a quote in the table; the citations hold all of it
ChangeKind = Literal["added", "removed", "changed", "moved", "not judged"]
"""`not judged`: reworded or changed; rules can't tell, and no model was asked or could."""


class ChangedPart(TypedDict):
    """What differs, as both texts have it; of a `condition`, what must, may or holds only; a `meaning` is a model's."""

    kind: Literal["number", "date", "name", "negation", "condition", "meaning"]
    earlier: str
    later: str


class Change(TypedDict):
    """A difference, with the quotes of both texts, none where one has nothing; `moved`: it stands elsewhere, too."""

    kind: ChangeKind
    moved: bool
    by: Literal["rules", "model"]
    differs: list[ChangedPart]
    earlier: list[Citation]
    later: list[Citation]


Earlier = Annotated[str, Field(description="The earlier text, or the id of its document."), EphemeralValue]


class ChangesWanted(TextGiven):
    """Input of a comparison: a later document (or short text) and an earlier one, or both as a collection."""

    earlier: NotRequired[Earlier]


class ChangesOutput(Answered):
    """Output of a comparison: all differences in the order of the later text, and the same as a table."""

    changes: list[Change]
    table: Table


class ChangesState(ReadingState, ChangesOutput):
    """All channels of a comparison."""

    earlier: NotRequired[Earlier]


def row_of(change: Change) -> Row:
    """A difference as a row: what became of it, in what it differs ("number: 20 → 25"), quotes and places."""
    differs = "; ".join(
        f"{each['kind']}: {each['earlier'] or '–'} → {each['later'] or '–'}" for each in change["differs"]
    )
    kind = "reworded or changed, not judged" if change["kind"] == "not judged" else change["kind"]
    values = [kind + ", moved" * (change["moved"] and kind != "moved"), differs]
    for cited in (change["earlier"], change["later"]):
        shown = first_words(cited[0]["quote"], SHOWN_WORDS) if cited else ""
        more = " …" * (shown != (cited[0]["quote"] if cited else ""))
        values += [" ".join(shown.split()) + more, (cited[0]["place"] or f"part {cited[0]['page']}") if cited else ""]
    return Row(values=values, citations=[*change["earlier"], *change["later"]])
