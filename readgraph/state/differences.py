"""What a text says of a sentence: that it holds, or in what the two differ."""

from typing import Literal

from typing_extensions import TypedDict

Verdict = Literal["supported", "contradicted", "not found", "not decided"]
"""`not found`: no passage is near. `not decided`: one is, but rules can't tell, and no model was asked or could."""

SlotKind = Literal["number", "date", "name", "denial"]
DifferenceKind = Literal["number", "date", "name", "who", "negation", "quote", "source", "place", "meaning"]


class Difference(TypedDict):
    """What differs: as the draft has it, and as the text has it."""

    kind: DifferenceKind
    draft: str
    text: str
