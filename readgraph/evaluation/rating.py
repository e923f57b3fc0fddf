"""Rate an answer against its reference answers, with the model as the judge."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from langgraph.runtime import Runtime

from readgraph.models.asking import ask
from readgraph.models.metering import fell_back
from readgraph.models.prompt import Prompt
from readgraph.nodes.prompts.rate import Agrees, AgreesInPart, consistent_prompt, permissive_prompt, strict_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply

Verdict = Literal["no", "partially", "yes"]


class Rating(NamedTuple):
    """The best verdict over the references; None if a reply that it depends on could not be used.

    `said` holds the replies as JSON, or the reason why there is none, by the names of their prompts; with several
    references, the number of the reference (from 1) follows the name.
    """

    verdict: Verdict | None
    said: dict[str, str]


async def rate_match(runtime: Runtime[ReaderContext], question: str, answer: str, references: Sequence[str]) -> Rating:
    """Whether the answer matches a reference: "yes" exactly, "partially", or "no" (ReadAgent, section 4.1).

    A "yes" of the strict or of the permissive rater is an exact match. References are tried in turn until one matches
    exactly. Raises the errors of `ask` except `NoUsableReply`.
    """
    return await _Rater(runtime, question, answer, references).best(_matches)


async def rate_consistency(
    runtime: Runtime[ReaderContext], question: str, answer: str, references: Sequence[str]
) -> Rating:
    """Whether the answer is consistent with a reference, "yes" or "no": deep memory retrieval (MemGPT, section 3.1.2).

    References are tried in turn until one agrees. Raises the errors of `ask` except `NoUsableReply`.
    """
    return await _Rater(runtime, question, answer, references).best(_agrees)


@dataclass
class _Rater:
    runtime: Runtime[ReaderContext]
    question: str
    answer: str
    references: Sequence[str]
    said: dict[str, str] = field(default_factory=dict)

    async def best(self, rate: Callable[["_Rater", int], Awaitable[Verdict]]) -> Rating:
        """The best verdict of `rate` over the numbers of the references."""
        best: Verdict = "no"
        try:
            for number in range(len(self.references)):
                verdict = await rate(self, number)
                best = verdict if verdict != "no" else best
                if best == "yes":
                    break
        except NoUsableReply as problem:
            fell_back(problem.asked)
            return Rating(None, self.said)
        return Rating(best, self.said)

    async def says(
        self, prompt_of: Callable[[str, str, str], Prompt], reply: type[Agrees] | type[AgreesInPart], number: int
    ) -> Verdict:
        """Ask for the model's verdict on the reference with this number, and keep the reply."""
        prompt = prompt_of(self.question, self.answer, self.references[number])
        key = prompt.name if len(self.references) == 1 else f"{prompt.name} {number + 1}"
        try:
            rated = await ask(self.runtime, prompt, reply)
        except NoUsableReply as problem:
            self.said[key] = str(problem)
            raise
        self.said[key] = rated.model_dump_json()
        return rated.agrees


async def _matches(rater: _Rater, number: int) -> Verdict:
    strict = await rater.says(strict_prompt, Agrees, number)
    return strict if strict == "yes" else await rater.says(permissive_prompt, AgreesInPart, number)


async def _agrees(rater: _Rater, number: int) -> Verdict:
    return await rater.says(consistent_prompt, Agrees, number)
