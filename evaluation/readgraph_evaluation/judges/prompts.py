"""What judges are asked: whether an answer is right, by reference or rubric.

Beside a reference: ReadAgent, 4.1; MemGPT, 3.1.2. Histories: LongMemEval's official script, with a rule for each type
of question (Wu et al., 2025), and the judge of Mem0 for LoCoMo (Chhikara et al., 2025). Rubrics: BEAM's official script
(Tavakoli et al., 2025), which asks about each pair of an event and a line of the answer; here once for all of them.
The words are our own.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, Field

from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced
from readgraph.nodes.prompts import question_part

_RATE_SYSTEM = (
    "You compare a student's answer to a question with the reference answer, which is right. What you know of the "
    "matter yourself doesn't count, nor does style or length. " + DATA_RULE
)


def bare_word(value: Any) -> Any:
    """A word without the marks that models put behind it, in lower case; anything else as it is."""
    return value.strip().strip(".!").casefold() if isinstance(value, str) else value


Grade = Annotated[
    Literal["yes", "partially", "no"], BeforeValidator(bare_word), Field(description="yes, partially, or no.")
]


class Agrees(BaseModel):
    """Whether the answer agrees with the reference."""

    DECIDES: ClassVar[tuple[str, ...]] = ("agrees",)
    reason: str = Field(description="A few words.")
    agrees: Annotated[Literal["yes", "no"], BeforeValidator(bare_word)] = Field(description="yes or no.")


class AgreesInPart(BaseModel):
    """Whether the answer agrees with the reference, at least in part."""

    DECIDES: ClassVar[tuple[str, ...]] = ("agrees",)
    reason: str = Field(description="A few words: what both say, what only one says.")
    agrees: Grade


def _rating(name: str, task: str) -> Callable[[str, str, str], Prompt]:
    wording = declare_wording(name, _RATE_SYSTEM, task)

    def ask_beside(question: str, answer: str, reference: str) -> Prompt:
        return wording.ask(fenced("reference", reference), question_part(question, {}), fenced("answer", answer))

    return ask_beside


strict_prompt = _rating("rate_strict", "Do the answer and the reference say the same? Say yes or no.")
permissive_prompt = _rating(
    "rate_permissive",
    "Does the answer agree with the reference? Say yes if it holds all that the reference says, or says the same more "
    "precisely; partially if some of what it says agrees with the reference; no if nothing does.",
)
consistent_prompt = _rating(
    "rate_consistent",
    "Is the answer right, judged by the reference? It may be longer, in other words, or name a date in another way: "
    "say yes if it gives what the reference gives. Say no if it lacks that, or contradicts it.",
)

_JUDGE_SYSTEM = (
    "You judge answers to questions. What you are given beside the question is right, whatever you know of the matter "
    "yourself. A long answer is no better than a short one that says the same, and no worse. " + DATA_RULE
)

RULES: dict[str, str] = tomllib.loads(files(__package__).joinpath("rules.toml").read_text(encoding="utf-8"))
"""What is asked for, by the rule."""

_PROMPTS = {
    rule: declare_wording(f"judge_{rule}", _JUDGE_SYSTEM, f"{task} Answer with yes or no.")
    for rule, task in RULES.items()
}

_BESIDE: Mapping[str, str] = {"preference": "rubric", "abstention": "explanation"}
"""What stands in the reference's place, by the rule."""


def judge_prompt(rule: str, question: str, answer: str, reference: str) -> Prompt:
    """Ask whether the answer is right by this rule, one of `RULES`."""
    beside = fenced(_BESIDE.get(rule, "reference"), reference)
    return _PROMPTS[rule].ask(beside, question_part(question, {}), fenced("answer", answer))


MOST_LISTED = 200  # at most so many things that an answer lists are looked at

_RUBRIC_SYSTEM = (
    "You judge answers to questions by what they were to hold, whatever you know of the matter yourself. Meaning "
    "counts, not wording: numbers, amounts and dates may be written in any form. " + DATA_RULE
)


class MeetsPoint(BaseModel):
    """Whether an answer meets a point of a rubric."""

    DECIDES: ClassVar[tuple[str, ...]] = ("meets",)
    reason: str = Field(description="A few words.")
    meets: Grade


class EventsInOrder(BaseModel):
    """The events that an answer lists, in its order."""

    DECIDES: ClassVar[tuple[str, ...]] = ("events",)
    events: list[int] = Field(
        max_length=MOST_LISTED, description="A number for each thing that the answer lists, from the first to the last."
    )


_POINT = declare_wording(
    "judge_point",
    _RUBRIC_SYSTEM,
    "Does the answer meet the point? A point may ask for something that the answer has, or for something that it has "
    "not. Say yes if it meets all of it; partially if it meets some of it, or nearly; no if it doesn't, or if the "
    "answer is about something else than the question. Style, politeness and length count only where the point is "
    "about them.",
)
_ORDER = declare_wording(
    "judge_order",
    _RUBRIC_SYSTEM,
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
