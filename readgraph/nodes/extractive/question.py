"""What a question searches for, and what kind of answer it wants, seen by its words."""

import re
from typing import Literal

from readgraph.nodes.contracts import AskedQuestion, AskedState
from readgraph.state.search.terms import content_words

AnswerKind = Literal["time", "duration", "number", "person", "place", "yes or no"]
"""What an answer must have: a date; a length of time; a number; a name (of a person or a place); a yes or no."""

_CUES: dict[AnswerKind, str] = {
    "duration": r"\b(?:how long|wie lange|combien de temps|cuánto tiempo|quanto tempo|hoe lang)\b",
    "time": r"^(?:\W*+\w++\W++){0,3}?(?:when|wann|quand|cuándo|quando|wanneer|когда)\b"
    r"|\b(?:what|which|welche[ms]?|quelle|qué|welk) "
    r"(?:year|date|day|month|time|jahr|tag|monat|année|date|año|fecha|jaar)\b",
    "number": r"\b(?:how (?:many|much|old|far|tall|often)|wie viele?|combien|cuánt[ao]s?|quant[aoie]s?|hoeveel"
    r"|сколько)\b",
    "person": r"\b(?:who|whom|whose)\b",
    "place": r"\bwhere\b|\b(?:what|which) (?:city|country|town|place|state)\b",
    "yes or no": r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will|should)\b",
}
"""Names are recognised by their capitals, which tells nothing in German: so only English asks for them."""


def kind_of(question: str) -> AnswerKind | None:
    """What the answer must have; None where the question has no cue."""
    return next((kind for kind, cue in _CUES.items() if re.search(cue, question, re.IGNORECASE)), None)


def query_of(state: AskedState) -> str:
    """The query for a search of pages: the question and its options."""
    return " ".join([question_alone(state), *state["choices"].values()])


def question_alone(state: AskedQuestion) -> str:
    """The question without those before it, whose words would find their answers again.

    One without content words ("And why?") comes with the question before it.
    """
    asked = [turn["question"] for turn in state.get("question_turns") or []] or [state["question_text"]]
    return asked[-1] if content_words(asked[-1]) else " ".join(asked[-2:])
