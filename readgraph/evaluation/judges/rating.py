"""How an answer is rated: beside its references, by a rubric, and by embeddings; and the kinds of judges.

Beside references, the model is the judge. By a rubric it rates as BEAM does: point by point, and the order of events.
Embeddings say how close the opener of a conversation is to the facts about its reader (MemGPT, section 3.1.3, table 3).
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import nlargest
from statistics import fmean
from typing import Literal, NamedTuple, TypeVar

from langgraph.runtime import Runtime

from readgraph.evaluation.optional_imports import library
from readgraph.evaluation.records import EVENT_ORDERING, Item, Rule
from readgraph.models.asking import ask
from readgraph.models.embedding_models import Embedder
from readgraph.models.metering import count_fallback
from readgraph.models.prompt import Prompt
from readgraph.nodes.judging_prompts import (
    Agrees,
    AgreesInPart,
    EventsInOrder,
    MeetsPoint,
    consistent_prompt,
    judge_prompt,
    order_prompt,
    permissive_prompt,
    point_prompt,
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
    return rater.make_rating(verdict, {"lr_1": ("yes",), "lr_2": ("yes", "partially")})


async def rate_consistency(runtime: Runtime[ReaderContext], item: Item, answer: str) -> Rating:
    """Whether the answer is consistent with a reference, "yes" or "no": deep memory retrieval (MemGPT, section 3.1.2).

    References are tried in turn until one agrees. Raises the errors of `ask` except `NoUsableReply`.
    """
    rater = _Rater(runtime, item, answer)
    verdict = await rater.best(partial(_agrees, prompt_of=consistent_prompt))
    return rater.make_rating(verdict, {"dmr_accuracy": ("yes",)})


async def rate_right(runtime: Runtime[ReaderContext], item: Item, answer: str) -> Rating:
    """Whether the answer is right by the rule for this kind of question (`rule_of`), "yes" or "no".

    References are tried in turn until one agrees. Raises the errors of `ask` except `NoUsableReply`.
    """
    rater = _Rater(runtime, item, answer)
    verdict = await rater.best(partial(_agrees, prompt_of=right_prompt(item)))
    return rater.make_rating(verdict, {"judged_accuracy": ("yes",)})


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
            count_fallback(problem.asked)
            return None
        return best

    async def ask_verdict(self, prompt_of: PromptOf, reply: type[Agrees] | type[AgreesInPart], number: int) -> Verdict:
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

    def make_rating(self, verdict: Verdict | None, worth: dict[str, Iterable[Verdict]]) -> Rating:
        """The scores of a verdict: 100 for each metric where it is among those that count, else 0."""
        scores = {} if verdict is None else {name: 100.0 * (verdict in counting) for name, counting in worth.items()}
        return Rating(scores, self.said)


async def _matches(rater: _Rater, number: int) -> Verdict:
    strict = await rater.ask_verdict(strict_prompt, Agrees, number)
    return strict if strict == "yes" else await rater.ask_verdict(permissive_prompt, AgreesInPart, number)


async def _agrees(rater: _Rater, number: int, prompt_of: PromptOf) -> Verdict:
    return await rater.ask_verdict(prompt_of, Agrees, number)


Reply = TypeVar("Reply", MeetsPoint, EventsInOrder)

WORTH = {"yes": 1.0, "partially": 0.5, "no": 0.0}


async def rate_nuggets(runtime: Runtime[ReaderContext], item: Item, answer: str) -> Rating:
    """The share of the rubric's points that the answer meets, and whether it has events in their order.

    `nuggets` counts a point that is met in part as half. `beam_score` counts it as not met, as BEAM's official script
    does, and for questions about the order of events it is `event_order`. Without a usable reply to one of the prompts
    there is no score that depends on it. Raises the errors of `ask` except `NoUsableReply`.
    """
    said, marks = dict[str, str](), list[float]()
    for number, point in enumerate(item.rubric, 1):
        prompt = point_prompt(item.question, answer, point)
        met = await _ask_judge(runtime, prompt, MeetsPoint, said, f"{prompt.name} {number}")
        if met is None:
            return Rating({}, said)
        marks.append(WORTH[met.meets])
    scores = {"nuggets": 100 * sum(marks) / len(marks)}
    if item.category != EVENT_ORDERING:
        return Rating({**scores, "beam_score": 100 * sum(mark == 1 for mark in marks) / len(marks)}, said)
    prompt = order_prompt(item.question, answer, item.rubric)
    listed = await _ask_judge(runtime, prompt, EventsInOrder, said, prompt.name)
    if listed is None:
        return Rating(scores, said)
    order = 100 * order_score(listed.events, len(item.rubric))
    return Rating({**scores, "event_order": order, "beam_score": order}, said)


def rubric_prompts(item: Item) -> list[tuple[PromptOf, float]]:
    """The prompts for each point, with how often they are asked."""
    if item.category != EVENT_ORDERING:
        return [(point_prompt, 1.0)]

    def order(question: str, answer: str, point: str) -> Prompt:
        return order_prompt(question, answer, item.rubric)

    return [(point_prompt, 1.0), (order, 1 / len(item.rubric))]


async def _ask_judge(
    runtime: Runtime[ReaderContext], prompt: Prompt, kind: type[Reply], said: dict[str, str], name: str
) -> Reply | None:
    """The judge's reply, which is kept by this name; None, with the reason kept, if it can't be used."""
    try:
        reply = await ask(runtime, prompt, kind)
    except NoUsableReply as problem:
        said[name] = str(problem)
        count_fallback(problem.asked)
        return None
    said[name] = reply.model_dump_json()
    return reply


def order_score(listed: Sequence[int], events: int) -> float:
    """How well the listed events (numbers from 1; others are none of them) keep their order, from 0 to 1.

    Kendall's tau-b over the ranks of all events and all other things that are listed, put from [-1, 1] to [0, 1]. What
    one side lacks is behind all else there. An event that is listed twice counts once.
    """
    known, seen = range(1, events + 1), dict[int, None]()
    for place, number in enumerate(listed, 1):
        seen.setdefault(number if number in known and number not in seen else -place)
    union = [*known, *(each for each in seen if each < 0)]
    right, found = ({one: rank for rank, one in enumerate(order)} for order in (known, seen))
    ranks = [[of.get(each, len(union)) for each in union] for of in (right, found)]
    if any(len({*of}) < 2 for of in ranks):  # tau has no value
        return float([*known] == [*seen])
    return (float(library("scipy.stats").kendalltau(*ranks).statistic) + 1) / 2


@dataclass(frozen=True)
class JudgeKind:
    """A way to judge an answer, by a model.

    `rate` gives the scores of the `metrics`, or none where no reply could be used. `prompts`: what it asks about the
    question and each reference, with how often on average, for estimates. `rubric`: it asks about each point of the
    rubric instead, and about all of them.
    """

    metrics: frozenset[str]
    rate: Callable[[Runtime[ReaderContext], Item, str], Awaitable[Rating]]
    prompts: Callable[[Item], list[tuple[PromptOf, float]]]
    rubric: bool = False


JUDGES = (
    JudgeKind(frozenset({"lr_1", "lr_2"}), rate_match, lambda item: [(strict_prompt, 1.0), (permissive_prompt, 0.5)]),
    JudgeKind(frozenset({"dmr_accuracy"}), rate_consistency, lambda item: [(consistent_prompt, 1.0)]),
    JudgeKind(frozenset({"judged_accuracy"}), rate_right, lambda item: [(right_prompt(item), 1.0)]),
    JudgeKind(
        frozenset({"beam_score", "nuggets", "event_order"}),
        rate_nuggets,
        rubric_prompts,
        rubric=True,
    ),
)


CLOSEST = 3
"""The number of facts that CSIM-3 averages over."""


async def similarities(item: Item, answer: str, embedder: Embedder) -> dict[str, float]:
    """The scores that apply, from 0 to 100, by name: `csim_1`, `csim_3`, `csim_h`.

    They are cosine similarities of the answer: with the closest fact of `item.about`; with the three closest facts, on
    average (or fewer); and with the closest reference, an opener that a person wrote. Negative ones count as 0. Raises
    the errors of `Embedder.documents`.
    """
    known = len(item.about)
    to_answer, *others = await embedder.documents([answer, *item.about, *item.references])
    close = [min(1.0, max(0.0, float(to_answer @ other))) for other in others]
    scores = dict[str, float]()
    if item.about:
        scores |= {"csim_1": 100 * max(close[:known]), "csim_3": 100 * fmean(nlargest(CLOSEST, close[:known]))}
    if item.references:
        scores["csim_h"] = 100 * max(close[known:])
    return scores
