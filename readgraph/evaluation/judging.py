"""Scores that models give: raters that compare an answer with the references, and similarity of embeddings."""

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
from readgraph.models.batching import calls_at_once
from readgraph.models.exchanges import ModelExchange, exchanges_to
from readgraph.nodes.opening import warn_of_tracing
from readgraph.nodes.search_tools import shared_embedder
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.page_store import page_store

__all__ = ["judge", "judge_missing"]

MATCH: dict[str, tuple[Verdict, ...]] = {"lr_1": ("yes",), "lr_2": ("yes", "partially")}
CONSISTENCY: dict[str, tuple[Verdict, ...]] = {"dmr_accuracy": ("yes",)}
"""The verdicts that score 100 for each metric; others score 0."""


def unjudged(dataset: Dataset, folder: EvaluationFolder, context: ReaderContext) -> list[Outcome]:
    """The outcomes that these models still have to judge, including those without a usable judgement so far.

    Metrics without a model (see `Raters.rated`) are left out. Failed outcomes are not judged: they score 0.
    """
    raters, items = Raters.of(context), {item.id: item for item in dataset.items}
    metrics, rater = raters.rated(dataset.metrics), raters.named(dataset.metrics)
    done = {judgement.key: judgement.scores.keys() for judgement in folder.judgements() if judgement.rater == rater}
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
    """Judge the `unjudged` outcomes; yields each judgement after it was stored.

    The answer of a substitute for the model scores 0, as no answer does. A failure does not stop the rest; after
    `MOST_FAILURES` failures in a row, `ReadgraphError` is raised.
    """
    warn_of_tracing()
    metrics, items = Raters.of(context).rated(dataset.metrics), {item.id: item for item in dataset.items}
    model = str(folder.what()["settings"]["model"])
    slots, failures = asyncio.Semaphore(calls_at_once(context)), 0

    async def judge_one(outcome: Outcome) -> Judgement:
        exchanges: list[ModelExchange] = []
        async with slots:
            with exchanges_to(exchanges.append):
                judgement = await _judged(items[outcome.item], outcome.by_method(model), metrics, context, store)
        return replace(judgement, **asked(exchanges, cost))

    waiting = [asyncio.create_task(judge_one(outcome)) for outcome in unjudged(dataset, folder, context)]
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


async def _judged(
    item: Item, outcome: Outcome, metrics: Collection[str], context: ReaderContext, store: BaseStore
) -> Judgement:
    """The result of `judge`; if that fails, a judgement that holds the problem instead of scores."""
    empty = Judgement(outcome.item, outcome.method, outcome.run, Raters.of(context).named(metrics), {})
    try:
        return await judge(item, outcome, metrics, context, store) or empty
    except BadInput:
        raise
    except ReadgraphError as problem:
        return replace(empty, said={PROBLEM: str(problem)})


async def judge(
    item: Item, outcome: Outcome, metrics: Collection[str], context: ReaderContext, store: BaseStore
) -> Judgement | None:
    """Judge an outcome by those metrics that need a rater; returns None if none of them applies to the question.

    `context.model` judges and `context.embeddings` compares, whatever the outcome's method and run. Replies and vectors
    are kept in the store, so that none is paid for twice; the running meter counts the calls. An outcome without an
    answer scores 0 without a call. A metric whose rater gave no usable reply is not among the scores, and `said` holds
    the reason. Raises `BadInput` as `check_raters` does, and the errors of `ask` and `Embedder.documents`.
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
    """The scores of these metrics, as far as there are any, and the rater's replies."""
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
