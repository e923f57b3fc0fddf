"""Scores that models give: raters that compare an answer with the references, and similarity of embeddings.

What asking a judge took is counted: each try counts, and a recorded reply that was counted before does not count again.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace

from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from readgraph.evaluation.folder import EvaluationFolder
from readgraph.evaluation.judges.rating import JUDGES, similarities
from readgraph.evaluation.line_shapes import COUNTS, Cost, count_usage, whole_cost
from readgraph.evaluation.metrics import Raters, check_raters, metrics_for_question, metrics_rated_by
from readgraph.evaluation.records import PROBLEM, Dataset, Item, Judgement, Key, Outcome
from readgraph.evaluation.running import MOST_FAILURES
from readgraph.library.page_store import page_store
from readgraph.models.batches.calls import calls_at_once
from readgraph.models.metering import Meter, ModelExchange, ask_each_prompt_once, exchanges_to, start_meter
from readgraph.nodes.opening import warn_of_tracing
from readgraph.nodes.search import get_shared_embedder
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError

__all__ = ["judge", "judge_missing"]


@contextmanager
def exchanges_of(
    context: ReaderContext, before: Callable[[ModelExchange], bool] = lambda exchange: False
) -> Iterator[list[ModelExchange]]:
    """The exchanges inside of the `with`, as they come; it must be the only thing that its task does with a meter.

    Left out are those that a recorded reply answered and that were counted `before`: what got no usable rating is rated
    again, by the recorded replies and, where the settings say `again`, by new ones in place of those that were refused.
    """
    start_meter(Meter(replace(context, max_calls=None, max_words=None, max_seconds=None)))
    kept = list[ModelExchange]()

    def keep(exchange: ModelExchange) -> None:
        if not (exchange["recorded"] and before(exchange)):
            kept.append(exchange)

    with exchanges_to(keep):
        yield kept


def find_unjudged(dataset: Dataset, folder: EvaluationFolder, context: ReaderContext) -> list[Outcome]:
    """The outcomes that these models still have to judge, including those without a usable judgement so far.

    Metrics without a model are left out. Failed outcomes are not judged: they score 0.
    """
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
    dataset: Dataset,
    folder: EvaluationFolder,
    context: ReaderContext,
    store: BaseStore,
    cost: Cost = lambda exchange: None,
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
            with exchanges_of(context, lambda exchange: _has_reply(earlier, exchange)) as exchanges:
                try:
                    item, answered = items[outcome.item], outcome.by_method(model)
                    judgement = await judge(item, answered, lacking, context, store) or judgement
                except BadInput:
                    raise
                except ReadgraphError as problem:
                    judgement = replace(judgement, said={PROBLEM: str(problem)})
        return _add_to_earlier(earlier, replace(judgement, rater=rater, **count_usage(exchanges, cost)))

    with ask_each_prompt_once():
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


def _has_reply(earlier: Judgement | None, exchange: ModelExchange) -> bool:
    """Whether the earlier judgement of the same answer got this reply, which is recorded, usable or not.

    Of one that failed midway it isn't known which replies it got, but that it got some.
    """
    if earlier is None:
        return False
    prompts = {name.partition(" ")[0] for name in earlier.said}
    return exchange["asked"] in prompts or bool(earlier.problem and earlier.calls)


def _add_to_earlier(earlier: Judgement | None, later: Judgement) -> Judgement:
    """The later judgement with the scores that the same rater gave before for other metrics, and what it took before.

    What it took counts also where it gave no score: the answer is judged again, and was paid for then, too.
    """
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
                rating = await judging.rate(runtime, item, answer)
                given, said = given | rating.scores, said | rating.said
        if metrics_rated_by("embeddings", names):
            given |= await similarities(item, answer, await get_shared_embedder(page_store(runtime), context))
        scores = {name: score for name, score in given.items() if name in names}
    return Judgement(outcome.item, outcome.method, outcome.run, Raters.of(context).model_names(metrics), scores, said)
