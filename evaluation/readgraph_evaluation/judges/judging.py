"""Scores that models give: a judge rates answers by references or, as BEAM does, by a rubric; embeddings compare."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from heapq import nlargest
from statistics import fmean
from typing import NamedTuple, TypeVar

from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from pydantic import BaseModel

from readgraph import BadInput, NoUsableReply, ReaderContext, ReadgraphError
from readgraph.library.page_store import page_store
from readgraph.models import metering
from readgraph.models.asking import ask_reply
from readgraph.models.embeddings.models import Embedder
from readgraph.models.prompt import Prompt
from readgraph.nodes.opening import warn_of_tracing
from readgraph.nodes.search import get_shared_embedder
from readgraph.state.transports import calls_at_once
from readgraph_evaluation.folder import EvaluationFolder
from readgraph_evaluation.judges import prompts
from readgraph_evaluation.line_shapes import COUNTS, Cost, count_usage, whole_cost
from readgraph_evaluation.metrics import Raters, check_raters, metrics_for_question, metrics_rated_by
from readgraph_evaluation.records import EVENT_ORDERING, PROBLEM, Dataset, Item, Judgement, Key, Outcome, Rule
from readgraph_evaluation.running import MOST_FAILURES

__all__ = ["judge", "judge_missing"]

Reply = TypeVar("Reply", bound=BaseModel)


def rule_of(item: Item) -> Rule:
    """The rule by which the answer to a question is judged: that of the question, or the general one."""
    return "abstention" if item.unanswerable else item.rule or "right"


class JudgePrompt(NamedTuple):
    """A prompt about a question, an answer and a reference, how often it is asked (for estimates), and its reply."""

    prompt_of: Callable[[str, str, str], Prompt]
    share: float = 1.0
    reply: type[prompts.Agrees] | type[prompts.AgreesInPart] = prompts.Agrees


@dataclass(frozen=True)
class JudgeKind:
    """A way to judge by `prompts` or a `rubric`; `worth` has, by metric, the verdicts for which an answer gets 100."""

    worth: Mapping[str, Collection[str]]
    prompts: Callable[[Item], list[JudgePrompt]]
    rubric: bool = False

    async def rate(
        self, runtime: Runtime[ReaderContext], item: Item, answer: str, said: dict[str, str]
    ) -> dict[str, float]:
        """The scores from 0 to 100 by metrics' names, none without a usable reply; `said` gets the replies, by prompts.

        The best verdict by the references in turn until one agrees counts, each with all prompts until one says "yes".
        """
        if self.rubric:
            return await rate_by_rubric(runtime, item, answer, said)
        best = "no"
        for number, reference in enumerate(item.references, 1):
            verdict = "no"
            for prompt_of, _, reply in self.prompts(item):
                prompt = prompt_of(item.question, answer, reference)
                name = prompt.name if len(item.references) == 1 else f"{prompt.name} {number}"
                rated = await _ask_judge(runtime, prompt, reply, said, name)
                if rated is None:
                    return {}
                if (verdict := rated.agrees) == "yes":
                    break
            best = verdict if verdict != "no" else best
            if best == "yes":
                break
        return {name: 100.0 * (best in counting) for name, counting in self.worth.items()}


async def rate_by_rubric(
    runtime: Runtime[ReaderContext], item: Item, answer: str, said: dict[str, str]
) -> dict[str, float]:
    """The share of the rubric's points that the answer meets, and whether it has events in their order.

    `nuggets` counts a point that is met in part as half, `beam_score` as not met, as BEAM's official script does; for
    questions about the order of events it is `event_order`. Without a usable reply to a prompt there is no score that
    depends on it. Raises the errors of `ask` except `NoUsableReply`.
    """
    marks = list[float]()
    for number, point in enumerate(item.rubric, 1):
        prompt = prompts.point_prompt(item.question, answer, point)
        met = await _ask_judge(runtime, prompt, prompts.MeetsPoint, said, f"{prompt.name} {number}")
        if met is None:
            return {}
        marks.append({"yes": 1.0, "partially": 0.5, "no": 0.0}[met.meets])
    scores = {"nuggets": 100 * sum(marks) / len(marks)}
    if item.category != EVENT_ORDERING:
        return {**scores, "beam_score": 100 * sum(mark == 1 for mark in marks) / len(marks)}
    prompt = prompts.order_prompt(item.question, answer, item.rubric)
    listed = await _ask_judge(runtime, prompt, prompts.EventsInOrder, said, prompt.name)
    if listed is None:
        return scores
    order = 100 * order_score(listed.events, len(item.rubric))
    return {**scores, "event_order": order, "beam_score": order}


async def _ask_judge(
    runtime: Runtime[ReaderContext], prompt: Prompt, kind: type[Reply], said: dict[str, str], name: str
) -> Reply | None:
    """The judge's reply, which is kept by this name; None, with the reason kept, if it can't be used."""
    try:
        reply = await ask_reply(runtime, prompt, kind)
    except NoUsableReply as problem:
        said[name] = str(problem)
        metering.count_fallback(problem.asked)
        return None
    said[name] = reply.model_dump_json()
    return reply


def order_score(listed: Sequence[int], events: int) -> float:
    """Kendall's tau-b of the listed events (numbers from 1) as 0 to 1; what one of both sides lacks is last there."""
    known, seen = range(1, events + 1), dict[int, None]()
    for place, number in enumerate(listed, 1):
        seen.setdefault(number if number in known and number not in seen else -place)
    union = [*known, *(each for each in seen if each < 0)]
    right, found = ({one: rank for rank, one in enumerate(order)} for order in (known, seen))
    ranks = [[of.get(each, len(union)) for each in union] for of in (right, found)]
    if any(len({*of}) < 2 for of in ranks):  # tau has no value
        return float([*known] == [*seen])
    from scipy.stats import kendalltau

    return (float(kendalltau(*ranks).statistic) + 1) / 2


def _rubric_prompts(item: Item) -> list[JudgePrompt]:
    """The prompts for each point; that about the order of events is asked once for all."""
    if item.category != EVENT_ORDERING:
        return [JudgePrompt(prompts.point_prompt)]
    share = 1 / len(item.rubric)
    ordered = JudgePrompt(lambda question, answer, _: prompts.order_prompt(question, answer, item.rubric), share)
    return [JudgePrompt(prompts.point_prompt), ordered]


PERMISSIVE = JudgePrompt(prompts.permissive_prompt, 0.5, prompts.AgreesInPart)
JUDGES = (
    # ReadAgent, section 4.1: a "yes" of the strict or of the permissive rater is an exact match
    JudgeKind(
        {"lr_1": ("yes",), "lr_2": ("yes", "partially")}, lambda item: [JudgePrompt(prompts.strict_prompt), PERMISSIVE]
    ),
    # Deep memory retrieval: MemGPT, section 3.1.2
    JudgeKind({"dmr_accuracy": ("yes",)}, lambda item: [JudgePrompt(prompts.consistent_prompt)]),
    JudgeKind({"judged_accuracy": ("yes",)}, lambda item: [JudgePrompt(partial(prompts.judge_prompt, rule_of(item)))]),
    JudgeKind(dict.fromkeys(("beam_score", "nuggets", "event_order"), ()), _rubric_prompts, rubric=True),
)


async def similarities(item: Item, answer: str, embedder: Embedder) -> dict[str, float]:
    """The answer's cosine similarity, in percent, with facts (`csim_1`, `csim_3`) and with references (`csim_h`)."""
    known = len(item.about)
    to_answer, *others = await embedder.documents([answer, *item.about, *item.references])
    close = [min(1.0, max(0.0, float(to_answer @ other))) for other in others]
    scores = dict[str, float]()
    if item.about:
        scores |= {"csim_1": 100 * max(close[:known]), "csim_3": 100 * fmean(nlargest(3, close[:known]))}
    if item.references:
        scores["csim_h"] = 100 * max(close[known:])
    return scores


@contextmanager
def exchanges_of(
    context: ReaderContext, before: Callable[[metering.ModelExchange], bool] = lambda exchange: False
) -> Iterator[list[metering.ModelExchange]]:
    """The exchanges of the `with` but recorded ones counted `before`; nothing else in its task may use a meter."""
    metering.start_meter(metering.Meter(replace(context, max_calls=None, max_words=None, max_seconds=None)))
    kept = list[metering.ModelExchange]()

    def keep(exchange: metering.ModelExchange) -> None:
        if not (exchange["recorded"] and before(exchange)):
            kept.append(exchange)

    with metering.exchanges_to(keep):
        yield kept


def find_unjudged(dataset: Dataset, folder: EvaluationFolder, context: ReaderContext) -> list[Outcome]:
    """The outcomes that lack a usable judgement by these models; failed ones score 0 without one."""
    items, metrics = dataset.by_id, Raters.of(context).metrics_with_model(dataset.metrics)
    done = {key: judgement.scores.keys() for key, judgement in _earlier_judgements(dataset, folder, context).items()}
    return [
        outcome
        for outcome in folder.outcomes()
        if outcome.item in items and outcome.status != "failed"
        if metrics_for_question(metrics, items[outcome.item]) - done.get(outcome.key, set())
    ]


def _earlier_judgements(dataset: Dataset, folder: EvaluationFolder, context: ReaderContext) -> dict[Key, Judgement]:
    rater = Raters.of(context).model_names(dataset.metrics)
    return {judgement.key: judgement for judgement in folder.judgements() if judgement.rater == rater}


async def judge_missing(
    dataset: Dataset, folder: EvaluationFolder, context: ReaderContext, store: BaseStore, cost: Cost
) -> AsyncIterator[Judgement]:
    """Judge the `unjudged` outcomes; yields each judgement after it was stored, with what was judged before.

    The answer of a substitute for the model scores 0, as no answer does. A failure does not stop the rest; after
    `MOST_FAILURES` failures in a row, `ReadgraphError` is raised.
    """
    warn_of_tracing()
    metrics, items = Raters.of(context).metrics_with_model(dataset.metrics), dataset.by_id
    model, rater = str(folder.what()["settings"]["model"]), Raters.of(context).model_names(dataset.metrics)
    before = _earlier_judgements(dataset, folder, context)
    slots, failures = asyncio.Semaphore(calls_at_once(context)), 0

    async def judge_one(outcome: Outcome) -> Judgement:
        earlier = before.get(outcome.key)
        lacking = [name for name in metrics if not earlier or name not in earlier.scores]
        judgement = Judgement(outcome.item, outcome.method, outcome.run, rater, {})
        async with slots:
            with exchanges_of(context, partial(_has_reply, earlier)) as exchanges:
                try:
                    item, answered = items[outcome.item], outcome.by_method(model)
                    judgement = await judge(item, answered, lacking, context, store) or judgement
                except BadInput:
                    raise
                except ReadgraphError as problem:
                    judgement = replace(judgement, said={PROBLEM: str(problem)})
        return _add_to_earlier(earlier, replace(judgement, rater=rater, **count_usage(exchanges, cost)))

    with metering.ask_each_prompt_once():
        waiting = [asyncio.create_task(judge_one(outcome)) for outcome in find_unjudged(dataset, folder, context)]
    try:
        for judging in asyncio.as_completed(waiting):
            judgement = await judging
            folder.keep_judgement(judgement)
            yield judgement
            failures = failures + 1 if judgement.problem else 0
            if failures == MOST_FAILURES:
                raise ReadgraphError(
                    f"{MOST_FAILURES} judgements in a row failed, the last one with: {judgement.problem}"
                )
    finally:
        for task in waiting:
            task.cancel()


def _has_reply(earlier: Judgement | None, exchange: metering.ModelExchange) -> bool:
    """Whether the earlier judgement got this recorded reply; of one that failed midway, whether it got any."""
    if earlier is None:
        return False
    prompts = {name.partition(" ")[0] for name in earlier.said}
    return exchange["asked"] in prompts or bool(earlier.problem and earlier.calls)


def _add_to_earlier(earlier: Judgement | None, later: Judgement) -> Judgement:
    """The judgement with the scores that its rater gave before for other metrics, and with all that both took."""
    if not earlier:
        return later
    said = {name: reply for name, reply in earlier.said.items() if name != PROBLEM} | later.said
    counts = {name: getattr(earlier, name) + getattr(later, name) for name in COUNTS}
    cost = whole_cost([earlier.cost, later.cost])
    return replace(later, scores=earlier.scores | later.scores, said=said, cost=cost, **counts)


async def judge(
    item: Item, outcome: Outcome, metrics: Collection[str], context: ReaderContext, store: BaseStore
) -> Judgement | None:
    """Judge an outcome by those metrics that need a rater; returns None if none of them applies to the question.

    `context.model` judges and `context.embeddings` compares, whatever the outcome's method and run. Replies and vectors
    are kept in the store, so that none is paid for twice; the running meter counts the calls. An outcome without an
    answer scores 0 without a call, or 100 where the method rightly says that the text holds none. A metric whose rater
    gave no usable reply is not among the scores, and `said` holds the reason. Raises `BadInput` as `check_raters` does,
    and the errors of `ask` and `Embedder.documents`.
    """
    names = metrics_for_question(metrics, item)
    if not names:
        return None
    check_raters(names, context)
    abstains = item.unanswerable and outcome.status == "no_answer"
    scores, said = dict.fromkeys(sorted(names), 100.0 if abstains else 0.0), dict[str, str]()
    if answer := (outcome.answer or "").strip():
        runtime, given = Runtime(context=context, store=store), dict[str, float]()
        for judging in JUDGES:
            if judging.worth.keys() & names:
                given |= await judging.rate(runtime, item, answer, said)
        if metrics_rated_by("embeddings", names):
            given |= await similarities(item, answer, await get_shared_embedder(page_store(runtime), context))
        scores = {name: score for name, score in given.items() if name in names}
    return Judgement(outcome.item, outcome.method, outcome.run, Raters.of(context).model_names(metrics), scores, said)
