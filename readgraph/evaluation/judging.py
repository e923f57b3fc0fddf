"""Scores that a model gives: raters that compare an answer with the references, and similarity by embeddings."""

import asyncio
from collections.abc import AsyncIterator, Collection
from dataclasses import replace

from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from readgraph.evaluation.folder import EvaluationFolder
from readgraph.evaluation.metrics.similarity import similarities
from readgraph.evaluation.raters import Raters, applying, check_raters, given_by
from readgraph.evaluation.rating import Verdict, rate_consistency, rate_match
from readgraph.evaluation.records import PROBLEM, Dataset, Item, Judgement, Outcome
from readgraph.evaluation.running import MOST_FAILURES
from readgraph.evaluation.usage import Cost, asked
from readgraph.models.exchanges import ModelExchange, exchanges_to
from readgraph.nodes.opening import warn_of_tracing
from readgraph.nodes.search_tools import shared_embedder
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.page_store import page_store

MATCH: dict[str, tuple[Verdict, ...]] = {"lr_1": ("yes",), "lr_2": ("yes", "partially")}
CONSISTENCY: dict[str, tuple[Verdict, ...]] = {"dmr_accuracy": ("yes",)}
"""Metrics of a rating, with the verdicts that score 100; others score 0."""


def unjudged(dataset: Dataset, folder: EvaluationFolder, context: ReaderContext) -> list[Outcome]:
    """The outcomes that these models have still to judge, also those of which they said nothing that could be used.

    Metrics without a model (see `Raters.rated`) are left out. Failed outcomes are not judged: they score 0.
    """
    raters, items = Raters.of(context), {item.id: item for item in dataset.items}
    metrics, rater = raters.rated(dataset.metrics), raters.named(dataset.metrics)
    done = {one.key: one.scores.keys() for one in folder.judgements() if one.rater == rater}
    return [
        outcome
        for outcome in folder.outcomes()
        if outcome.item in items and outcome.status != "failed"
        if applying(metrics, items[outcome.item]) - done.get(outcome.key, set())
    ]


async def judge_missing(
    dataset: Dataset,
    folder: EvaluationFolder,
    context: ReaderContext,
    store: BaseStore,
    cost: Cost = lambda exchange: None,
) -> AsyncIterator[Judgement]:
    """Judge what is `unjudged`; gives each judgement once it is kept.

    One that fails does not stop the rest; where nothing but failures comes, `ReadgraphError` is raised.
    """
    warn_of_tracing()
    metrics, items = Raters.of(context).rated(dataset.metrics), {item.id: item for item in dataset.items}
    places, failures = asyncio.Semaphore(context.concurrency), 0

    async def one(outcome: Outcome) -> Judgement:
        exchanges: list[ModelExchange] = []
        async with places:
            with exchanges_to(exchanges.append):
                judgement = await _judged(items[outcome.item], outcome, metrics, context, store)
        return replace(judgement, **asked(exchanges, cost))

    waiting = [asyncio.create_task(one(outcome)) for outcome in unjudged(dataset, folder, context)]
    try:
        for judging in asyncio.as_completed(waiting):
            judgement = await judging
            folder.keep_judgement(judgement)
            yield judgement
            failures = failures + 1 if judgement.problem else 0
            if failures == MOST_FAILURES:
                raise ReadgraphError(
                    f"{MOST_FAILURES} judgements in a row failed, the last one so: {judgement.problem}"
                )
    finally:
        for task in waiting:
            task.cancel()


async def _judged(
    item: Item, outcome: Outcome, metrics: Collection[str], context: ReaderContext, store: BaseStore
) -> Judgement:
    """As `judge`; where that fails, a judgement without scores that says why."""
    nothing = Judgement(outcome.item, outcome.method, outcome.run, Raters.of(context).named(metrics), {})
    try:
        return await judge(item, outcome, metrics, context, store) or nothing
    except BadInput:
        raise
    except ReadgraphError as problem:
        return replace(nothing, said={PROBLEM: str(problem)})


async def judge(
    item: Item, outcome: Outcome, metrics: Collection[str], context: ReaderContext, store: BaseStore
) -> Judgement | None:
    """What raters make of an outcome: the scores of those of the metrics that need one; none where none applies.

    `context.model` judges and `context.embeddings` compares, whatever the outcome's method and run. Replies and vectors
    are kept in the store, so that the same is not paid for twice; the running meter counts the calls. An outcome
    without an answer scores 0 without a call. A metric whose rater gave no usable reply is not among the scores, and
    `said` tells why. Raises `BadInput` as `check_raters`; other errors as of `ask` and of `Embedder.documents`.
    """
    names = applying(metrics, item)
    if not names:
        return None
    check_raters(names, context)
    scores, said = dict.fromkeys(sorted(names), 0.0), dict[str, str]()
    if answer := (outcome.answer or "").strip():
        scores, said = await _rate(item, answer, names, Runtime(context=context, store=store))
    return Judgement(outcome.item, outcome.method, outcome.run, Raters.of(context).named(metrics), scores, said)


async def _rate(
    item: Item, answer: str, names: Collection[str], runtime: Runtime[ReaderContext]
) -> tuple[dict[str, float], dict[str, str]]:
    """The scores of these metrics, those that could be had, and what was said."""
    scores, said = dict[str, float](), dict[str, str]()
    for rate, worth in ((rate_match, MATCH), (rate_consistency, CONSISTENCY)):
        if worth.keys().isdisjoint(names):
            continue
        rating = await rate(runtime, item.question, answer, item.references)
        said |= rating.said
        if rating.verdict is not None:
            scores |= {name: 100.0 * (rating.verdict in verdicts) for name, verdicts in worth.items()}
    if given_by("embeddings", names):
        scores |= await similarities(item, answer, await shared_embedder(page_store(runtime), runtime.context))
    return {name: score for name, score in scores.items() if name in names}, said
