"""Scores that a model gives: raters that compare an answer with the references, and similarity by embeddings."""

import asyncio
from collections.abc import AsyncIterator, Collection

from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from readgraph.evaluation.folder import EvaluationFolder
from readgraph.evaluation.metrics import METRICS
from readgraph.evaluation.metrics.similarity import similarities
from readgraph.evaluation.records import Dataset, Item, Judgement, Outcome
from readgraph.nodes.rating import Verdict, rate_consistency, rate_match
from readgraph.nodes.search_tools import shared_embedder
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.page_store import page_store

MATCH: dict[str, tuple[Verdict, ...]] = {"lr_1": ("yes",), "lr_2": ("yes", "partially")}
CONSISTENCY: dict[str, tuple[Verdict, ...]] = {"dmr_accuracy": ("yes",)}
"""Metrics of a rating, with the verdicts that score 100; others score 0."""


def check_raters(metrics: Collection[str], context: ReaderContext) -> None:
    """Raise `BadInput` where a metric needs a model that the context does not name."""
    for metric in map(METRICS.__getitem__, metrics):
        if metric.rater == "judge" and not context.model:
            raise BadInput(f"{metric.name} needs a model that judges: name one with --judge.")
        if metric.rater == "embeddings" and not context.embeddings:
            raise BadInput(f"{metric.name} needs an embedding model: name one with --embeddings.")


def rated(metrics: Collection[str], context: ReaderContext) -> list[str]:
    """Those of the metrics that a rater gives and for which the context names the model."""
    given = {"judge": context.model, "embeddings": context.embeddings}
    return [name for name in metrics if (rater := METRICS[name].rater) and given[rater]]


async def judge_missing(
    dataset: Dataset, folder: EvaluationFolder, context: ReaderContext, store: BaseStore
) -> AsyncIterator[Judgement]:
    """Judge the outcomes that these models have not judged yet; gives each judgement once it is kept.

    Metrics without a model (see `rated`) are left out. Failed outcomes are not judged: they score 0.
    """
    metrics, done = rated(dataset.metrics, context), {(one.key, one.rater) for one in folder.judgements()}
    items = {item.id: item for item in dataset.items}
    places = asyncio.Semaphore(context.concurrency)

    async def one(outcome: Outcome) -> Judgement | None:
        async with places:
            return await judge(items[outcome.item], outcome, metrics, context, store)

    waiting = [
        asyncio.create_task(one(outcome))
        for outcome in folder.outcomes()
        if outcome.item in items and outcome.status != "failed"
        if metrics and (outcome.key, _raters(metrics, context)) not in done
    ]
    try:
        for judging in asyncio.as_completed(waiting):
            if judgement := await judging:
                folder.keep_judgement(judgement)
                yield judgement
    finally:
        for task in waiting:
            task.cancel()


async def judge(
    item: Item, outcome: Outcome, metrics: Collection[str], context: ReaderContext, store: BaseStore
) -> Judgement | None:
    """What raters make of an outcome: the scores of those of the metrics that need one; none where none applies.

    `context.model` judges and `context.embeddings` compares, whatever the outcome's method and run. Replies and vectors
    are kept in the store, so that the same is not paid for twice; the running meter counts the calls. An outcome
    without an answer scores 0 without a call. A metric whose rater gave no usable reply is not among the scores, and
    `said` tells why. Raises `BadInput` as `check_raters`; other errors as of `ask` and of `Embedder.documents`.
    """
    names = {name for name in metrics if _applies(name, item)}
    if not names:
        return None
    check_raters(names, context)
    scores, said = dict.fromkeys(sorted(names), 0.0), dict[str, str]()
    if answer := (outcome.answer or "").strip():
        scores, said = await _rate(item, answer, names, Runtime(context=context, store=store))
    return Judgement(outcome.item, outcome.method, outcome.run, _raters(metrics, context), scores, said)


def _raters(metrics: Collection[str], context: ReaderContext) -> str:
    models = {"judge": context.model, "embeddings": context.embeddings}
    return ", ".join(sorted({models[rater] for name in metrics if (rater := METRICS[name].rater)}))


def _applies(name: str, item: Item) -> bool:
    if METRICS[name].rater is None or item.unanswerable:
        return False
    return bool(item.about if name in ("csim_1", "csim_3") else item.references)


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
    if any(METRICS[name].rater == "embeddings" for name in names):
        scores |= await similarities(item, answer, await shared_embedder(page_store(runtime), runtime.context))
    return {name: score for name, score in scores.items() if name in names}, said
