"""Judging an answer by a rubric: point by point, and the order of the events that it lists.

The scale and the rules follow BEAM's official script (Tavakoli et al., 2025); the words are our own. There the judge is
asked about each pair of an event and a line of the answer; here it is asked once for all of them.
"""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, Field

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.evaluation.rate import bare_word
from readgraph.nodes.prompts.parts import question_part

POINT, ORDER = "judge_point", "judge_order"
VERSION = 1

MOST_LISTED = 200
"""At most so many things that an answer lists are looked at."""

_SYSTEM = (
    "You judge answers to questions by what they were to hold, whatever you know of the matter yourself. Meaning "
    "counts, not wording: numbers, amounts and dates may be written in any form. " + DATA_RULE
)


class MeetsPoint(BaseModel):
    """Whether an answer meets a point of a rubric."""

    DECIDES: ClassVar[tuple[str, ...]] = ("meets",)

    reason: str = Field(description="A few words.")
    meets: Annotated[Literal["yes", "partially", "no"], BeforeValidator(bare_word)] = Field(
        description="yes, partially, or no."
    )


class EventsInOrder(BaseModel):
    """The events that an answer lists, in its order."""

    DECIDES: ClassVar[tuple[str, ...]] = ("events",)

    events: list[int] = Field(
        max_length=MOST_LISTED, description="A number for each thing that the answer lists, from the first to the last."
    )


_POINT = wording(
    POINT,
    POINT,
    VERSION,
    _SYSTEM,
    "Does the answer meet the point? A point may ask for something that the answer has, or for something that it has "
    "not. Say yes if it meets all of it; partially if it meets some of it, or nearly; no if it doesn't, or if the "
    "answer is about something else than the question. Style, politeness and length count only where the point is "
    "about them.",
)
_ORDER = wording(
    ORDER,
    ORDER,
    VERSION,
    _SYSTEM,
    "The answer lists what happened, one thing after the other. For each thing, from the first to the last, give the "
    "number of the event that it is, or 0 if it is none of these events. Leave out words that list nothing, such as an "
    "introduction. An answer that lists nothing has an empty list.",
)


def point_prompt(question: str, answer: str, point: str) -> Prompt:
    """Ask whether the answer meets this point of the rubric."""
    return _POINT.ask(fenced("point", point), question_part(question, {}), fenced("answer", answer))


def order_prompt(question: str, answer: str, events: Sequence[str]) -> Prompt:
    """Ask which of these events the answer lists, in its order."""
    numbered = "\n".join(f"{number}. {event}" for number, event in enumerate(events, 1))
    return _ORDER.ask(fenced("events", numbered), question_part(question, {}), fenced("answer", answer))
