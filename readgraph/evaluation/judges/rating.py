"""Rate an answer against its reference answers, with the model as the judge."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple

from langgraph.runtime import Runtime

from readgraph.evaluation.records import Item, Rule
from readgraph.models.asking import ask
from readgraph.models.metering import fell_back
from readgraph.models.prompt import Prompt
from readgraph.nodes.prompts.evaluation.judge import judge_prompt
from readgraph.nodes.prompts.evaluation.rate import (
    Agrees,
    AgreesInPart,
    consistent_prompt,
    permissive_prompt,
    strict_prompt,
)
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply

Verdict = Literal["no", "partially", "yes"]

PromptOf = Callable[[str, str, str], Prompt]
"""Makes the prompt about a question, an answer, and a reference."""


class Rating(NamedTuple):
    """The scores from 0 to 100 by metrics' names; none if a reply that they depend on could not be used.

    `said` holds the replies as JSON, or the reason why there is none, by the names of their prompts; with several
    references, the number of the reference (from 1) follows the name.
    """

    scores: dict[str, float]
    said: dict[str, str]


async def rate_match(runtime: Runtime[ReaderContext], item: Item, answer: str) -> Rating:
    """Whether the answer matches a reference: "yes" exactly, "partially", or "no" (ReadAgent, section 4.1).

    A "yes" of the strict or of the permissive rater is an exact match. References are tried in turn until one matches
    exactly. Raises the errors of `ask` except `NoUsableReply`.
    """
    rater = _Rater(runtime, item, answer)
    verdict = await rater.best(_matches)
    return rater.rating(verdict, {"lr_1": ("yes",), "lr_2": ("yes", "partially")})


async def rate_consistency(runtime: Runtime[ReaderContext], item: Item, answer: str) -> Rating:
    """Whether the answer is consistent with a reference, "yes" or "no": deep memory retrieval (MemGPT, section 3.1.2).

    References are tried in turn until one agrees. Raises the errors of `ask` except `NoUsableReply`.
    """
    rater = _Rater(runtime, item, answer)
    verdict = await rater.best(partial(_agrees, prompt_of=consistent_prompt))
    return rater.rating(verdict, {"dmr_accuracy": ("yes",)})


async def rate_right(runtime: Runtime[ReaderContext], item: Item, answer: str) -> Rating:
    """Whether the answer is right by the rule for this kind of question (`rule_of`), "yes" or "no".

    References are tried in turn until one agrees. Raises the errors of `ask` except `NoUsableReply`.
    """
    rater = _Rater(runtime, item, answer)
    verdict = await rater.best(partial(_agrees, prompt_of=right_prompt(item)))
    return rater.rating(verdict, {"judged_accuracy": ("yes",)})


def rule_of(item: Item) -> Rule:
    """The rule by which the answer to a question is judged: that of the question, or the general one."""
    return "abstention" if item.unanswerable else item.rule or "right"


def right_prompt(item: Item) -> PromptOf:
    """The prompt of the rule for this kind of question."""
    return partial(judge_prompt, rule_of(item))


@dataclass
class _Rater:
    runtime: Runtime[ReaderContext]
    item: Item
    answer: str
    said: dict[str, str] = field(default_factory=dict)

    async def best(self, rate: Callable[["_Rater", int], Awaitable[Verdict]]) -> Verdict | None:
        """The best verdict of `rate` over the numbers of the references; None without a usable reply."""
        best: Verdict = "no"
        try:
            for number in range(len(self.item.references)):
                verdict = await rate(self, number)
                best = verdict if verdict != "no" else best
                if best == "yes":
                    break
        except NoUsableReply as problem:
            fell_back(problem.asked)
            return None
        return best

    async def says(self, prompt_of: PromptOf, reply: type[Agrees] | type[AgreesInPart], number: int) -> Verdict:
        """Ask for the model's verdict on the reference with this number, and keep the reply."""
        prompt = prompt_of(self.item.question, self.answer, self.item.references[number])
        key = prompt.name if len(self.item.references) == 1 else f"{prompt.name} {number + 1}"
        try:
            rated = await ask(self.runtime, prompt, reply)
        except NoUsableReply as problem:
            self.said[key] = str(problem)
            raise
        self.said[key] = rated.model_dump_json()
        return rated.agrees

    def rating(self, verdict: Verdict | None, worth: dict[str, Iterable[Verdict]]) -> Rating:
        """The scores of a verdict: 100 for each metric where it is among those that count, else 0."""
        scores = {} if verdict is None else {name: 100.0 * (verdict in counting) for name, counting in worth.items()}
        return Rating(scores, self.said)


async def _matches(rater: _Rater, number: int) -> Verdict:
    strict = await rater.says(strict_prompt, Agrees, number)
    return strict if strict == "yes" else await rater.says(permissive_prompt, AgreesInPart, number)


async def _agrees(rater: _Rater, number: int, prompt_of: PromptOf) -> Verdict:
    return await rater.says(prompt_of, Agrees, number)
