"""Rate an answer by a rubric, as BEAM does: point by point, and the order of events."""

from collections.abc import Sequence
from typing import TypeVar

from langgraph.runtime import Runtime

from readgraph.evaluation.judges.rating import PromptOf, Rating
from readgraph.evaluation.optional_imports import library
from readgraph.evaluation.records import EVENT_ORDERING, Item
from readgraph.models.asking import ask
from readgraph.models.metering import fell_back
from readgraph.models.prompt import Prompt
from readgraph.nodes.prompts.evaluation.nuggets import EventsInOrder, MeetsPoint, order_prompt, point_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply

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
        met = await _said(runtime, prompt, MeetsPoint, said, f"{prompt.name} {number}")
        if met is None:
            return Rating({}, said)
        marks.append(WORTH[met.meets])
    scores = {"nuggets": 100 * sum(marks) / len(marks)}
    if item.category != EVENT_ORDERING:
        return Rating({**scores, "beam_score": 100 * sum(mark == 1 for mark in marks) / len(marks)}, said)
    prompt = order_prompt(item.question, answer, item.rubric)
    listed = await _said(runtime, prompt, EventsInOrder, said, prompt.name)
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


async def _said(
    runtime: Runtime[ReaderContext], prompt: Prompt, kind: type[Reply], said: dict[str, str], name: str
) -> Reply | None:
    """The judge's reply, which is kept by this name; None, with the reason kept, if it can't be used."""
    try:
        reply = await ask(runtime, prompt, kind)
    except NoUsableReply as problem:
        said[name] = str(problem)
        fell_back(problem.asked)
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
