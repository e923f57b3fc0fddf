"""What judges are asked: whether an answer is right, by reference or rubric.

Beside a reference: ReadAgent, 4.1; MemGPT, 3.1.2. Histories: LongMemEval's official script, with a rule for each type
of question (Wu et al., 2025), and the judge of Mem0 for LoCoMo (Chhikara et al., 2025). Rubrics: BEAM's official script
(Tavakoli et al., 2025), which asks about each pair of an event and a line of the answer; here once for all of them.
The words are our own, and stand in `prompts.toml`.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, Field

from readgraph.models.prompt import DATA_RULE, Prompt, Wording, declare_wording, fenced
from readgraph.nodes.prompts import question_part
from readgraph.state.files import read_package_toml

MOST_LISTED = 200  # at most so many things that an answer lists are looked at

_WORDS = read_package_toml(__package__, "prompts.toml")
_TASKS: dict[str, str] = _WORDS["tasks"]
RULES: dict[str, str] = _WORDS["rules"]
"""What is asked for, by the rule."""


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


def _declare(name: str, system: str, task: str) -> Wording:
    return declare_wording(name, f"{_WORDS['systems'][system]} {DATA_RULE}", task)


def _prompt_about(beside: str, name: str, system: str, task: str) -> Callable[[str, str, str], Prompt]:
    """A prompt about a question, an answer, and what the answer is judged by, which `beside` names."""
    wording = _declare(name, system, task)
    return lambda question, answer, told: wording.ask(
        fenced(beside, told), question_part(question, {}), fenced("answer", answer)
    )


strict_prompt, permissive_prompt, consistent_prompt = (
    _prompt_about("reference", name, "rate", _TASKS[name])
    for name in ("rate_strict", "rate_permissive", "rate_consistent")
)
point_prompt = _prompt_about("point", "judge_point", "rubric", _TASKS["judge_point"])

_BESIDE = {"preference": "rubric", "abstention": "explanation"}  # what stands in the reference's place, by the rule
_PROMPTS = {
    rule: _prompt_about(_BESIDE.get(rule, "reference"), f"judge_{rule}", "judge", f"{task} Answer with yes or no.")
    for rule, task in RULES.items()
}


def judge_prompt(rule: str, question: str, answer: str, reference: str) -> Prompt:
    """Ask whether the answer is right by this rule, one of `RULES`."""
    return _PROMPTS[rule](question, answer, reference)


_ORDER = _declare("judge_order", "rubric", _TASKS["judge_order"])


def order_prompt(question: str, answer: str, events: Sequence[str]) -> Prompt:
    """Ask which of these events the answer lists, in its order."""
    numbered = "\n".join(f"{number}. {event}" for number, event in enumerate(events, 1))
    return _ORDER.ask(fenced("events", numbered), question_part(question, {}), fenced("answer", answer))
