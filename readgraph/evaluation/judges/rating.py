"""How an answer is rated: beside its references, by a rubric, and by embeddings; and the kinds of judges.

Beside references, the model is the judge. By a rubric it rates as BEAM does: point by point, and the order of events.
Embeddings say how close the opener of a conversation is to the facts about its reader (MemGPT, section 3.1.3, table 3).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import nlargest
from statistics import fmean
from typing import NamedTuple, TypeVar

from langgraph.runtime import Runtime
from pydantic import BaseModel

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

Reply = TypeVar("Reply", bound=BaseModel)


class Rating(NamedTuple):
    """The scores from 0 to 100 by metrics' names; none if a reply that they depend on could not be used.

    `said` holds the replies as JSON, or the reason why there is none, by the names of their prompts; with several
    references, the number of the reference (from 1) follows the name.
    """

    scores: dict[str, float]
    said: dict[str, str]


def rule_of(item: Item) -> Rule:
    """The rule by which the answer to a question is judged: that of the question, or the general one."""
    return "abstention" if item.unanswerable else item.rule or "right"


class JudgePrompt(NamedTuple):
    """A prompt of a judge, how often it is asked on average (for estimates), and the reply to it.

    `prompt_of` makes the prompt about a question, an answer, and a reference.
    """

    prompt_of: Callable[[str, str, str], Prompt]
    share: float = 1.0
    reply: type[Agrees] | type[AgreesInPart] = Agrees


@dataclass(frozen=True)
class JudgeKind:
    """A way to judge an answer by a model: with `prompts` about a question, the answer, and a reference.

    `worth` has, by metric, the verdicts for which an answer gets 100; it gets 0 for others. `rubric`: it asks about
    each point of the rubric instead, and about all of them, and has scores of its own (see `rate_by_rubric`).
    """

    worth: Mapping[str, Collection[str]]
    prompts: Callable[[Item], list[JudgePrompt]]
    rubric: bool = False

    async def rate(self, runtime: Runtime[ReaderContext], item: Item, answer: str) -> Rating:
        """The rating of an answer; raises the errors of `ask` except `NoUsableReply`.

        References are tried in turn until one agrees, each with all prompts until one says "yes"; the best verdict
        counts.
        """
        if self.rubric:
            return await rate_by_rubric(runtime, item, answer)
        said, best = dict[str, str](), "no"
        for number, reference in enumerate(item.references, 1):
            verdict = "no"
            for prompt_of, _, reply in self.prompts(item):
                prompt = prompt_of(item.question, answer, reference)
                name = prompt.name if len(item.references) == 1 else f"{prompt.name} {number}"
                rated = await _ask_judge(runtime, prompt, reply, said, name)
                if rated is None:
                    return Rating({}, said)
                if (verdict := rated.agrees) == "yes":
                    break
            best = verdict if verdict != "no" else best
            if best == "yes":
                break
        return Rating({name: 100.0 * (best in counting) for name, counting in self.worth.items()}, said)


async def rate_by_rubric(runtime: Runtime[ReaderContext], item: Item, answer: str) -> Rating:
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
        marks.append({"yes": 1.0, "partially": 0.5, "no": 0.0}[met.meets])
    scores = {"nuggets": 100 * sum(marks) / len(marks)}
    if item.category != EVENT_ORDERING:
        return Rating({**scores, "beam_score": 100 * sum(mark == 1 for mark in marks) / len(marks)}, said)
    prompt = order_prompt(item.question, answer, item.rubric)
    listed = await _ask_judge(runtime, prompt, EventsInOrder, said, prompt.name)
    if listed is None:
        return Rating(scores, said)
    order = 100 * order_score(listed.events, len(item.rubric))
    return Rating({**scores, "event_order": order, "beam_score": order}, said)


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


def _rubric_prompts(item: Item) -> list[JudgePrompt]:
    """The prompts for each point; that about the order of events is asked once for all."""
    if item.category != EVENT_ORDERING:
        return [JudgePrompt(point_prompt)]

    def in_order(question: str, answer: str, point: str) -> Prompt:
        return order_prompt(question, answer, item.rubric)

    return [JudgePrompt(point_prompt), JudgePrompt(in_order, 1 / len(item.rubric))]


JUDGES = (
    # ReadAgent, section 4.1: a "yes" of the strict or of the permissive rater is an exact match
    JudgeKind(
        {"lr_1": ("yes",), "lr_2": ("yes", "partially")},
        lambda item: [JudgePrompt(strict_prompt), JudgePrompt(permissive_prompt, 0.5, AgreesInPart)],
    ),
    # Deep memory retrieval: MemGPT, section 3.1.2
    JudgeKind({"dmr_accuracy": ("yes",)}, lambda item: [JudgePrompt(consistent_prompt)]),
    JudgeKind({"judged_accuracy": ("yes",)}, lambda item: [JudgePrompt(partial(judge_prompt, rule_of(item)))]),
    JudgeKind(dict.fromkeys(("beam_score", "nuggets", "event_order"), ()), _rubric_prompts, rubric=True),
)


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
        scores |= {"csim_1": 100 * max(close[:known]), "csim_3": 100 * fmean(nlargest(3, close[:known]))}
    if item.references:
        scores["csim_h"] = 100 * max(close[known:])
    return scores
