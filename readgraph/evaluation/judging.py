"""Scores that a model gives: raters that compare an answer with the references, and similarity by embeddings."""

import asyncio
from collections.abc import AsyncIterator, Collection
from dataclasses import replace

from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from readgraph.evaluation.folder import EvaluationFolder
from readgraph.evaluation.metrics import METRICS
from readgraph.evaluation.metrics.similarity import similarities
from readgraph.evaluation.records import Dataset, Item, Judgement, Outcome
from readgraph.evaluation.running import MOST_FAILURES
from readgraph.evaluation.usage import Cost, asked
from readgraph.nodes.rating import Verdict, rate_consistency, rate_match
from readgraph.nodes.recording import Exchange, exchanges_to
from readgraph.nodes.search_tools import shared_embedder
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.page_store import page_store

MATCH: dict[str, tuple[Verdict, ...]] = {"lr_1": ("yes",), "lr_2": ("yes", "partially")}
CONSISTENCY: dict[str, tuple[Verdict, ...]] = {"dmr_accuracy": ("yes",)}
"""Metrics of a rating, with the verdicts that score 100; others score 0."""

PROBLEM = "problem"
"""Under this name a judgement says why it could not be had at all."""


def check_raters(metrics: Collection[str], context: ReaderContext) -> None:
    """Raise `BadInput` where a metric needs a model that the context does not name."""
    for metric in map(METRICS.__getitem__, metrics):
        if metric.rater == "judge" and not context.model:
            raise BadInput(f"{metric.name} needs a model that judges: name one with --judge.")
        if metric.rater == "embeddings" and not context.embeddings:
            raise BadInput(f"{metric.name} needs an embedding model: name one with --embeddings.")


def rated(metrics: Collection[str], judge: str | None, embeddings: str | None) -> list[str]:
    """Those of the metrics that a rater gives whose model is named."""
    models = {"judge": judge, "embeddings": embeddings}
    return [name for name in metrics if (rater := METRICS[name].rater) and models[rater]]


def raters_of(metrics: Collection[str], judge: str | None, embeddings: str | None) -> str:
    """The models that rate these metrics: what `Judgement.rater` holds."""
    models = {"judge": judge, "embeddings": embeddings}
    return ", ".join(sorted({str(models[METRICS[name].rater or ""]) for name in rated(metrics, judge, embeddings)}))


def judgements_that_count(dataset: Dataset, folder: EvaluationFolder) -> list[Judgement]:
    """The judgements by the models that the folder's record names; those by others are kept and don't count."""
    what = folder.what()
    rater = raters_of(dataset.metrics, what["judge"], what["settings"]["embeddings"])
    return [judgement for judgement in folder.judgements() if judgement.rater == rater]


def unjudged(dataset: Dataset, folder: EvaluationFolder, context: ReaderContext) -> list[Outcome]:
    """The outcomes that these models have still to judge, also those of which they said nothing that could be used.

    Metrics without a model (see `rated`) are left out. Failed outcomes are not judged: they score 0.
    """
    metrics = rated(dataset.metrics, context.model, context.embeddings)
    items = {item.id: item for item in dataset.items}
    rater = raters_of(metrics, context.model, context.embeddings)
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
    metrics = rated(dataset.metrics, context.model, context.embeddings)
    items = {item.id: item for item in dataset.items}
    places, failures = asyncio.Semaphore(context.concurrency), 0

    async def one(outcome: Outcome) -> Judgement:
        exchanges: list[Exchange] = []
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
            problem = judgement.said.get(PROBLEM)
            failures = failures + 1 if problem else 0
            if failures == MOST_FAILURES:
                raise ReadgraphError(f"{MOST_FAILURES} judgements in a row failed, the last one so: {problem}")
    finally:
        for task in waiting:
            task.cancel()


async def _judged(
    item: Item, outcome: Outcome, metrics: Collection[str], context: ReaderContext, store: BaseStore
) -> Judgement:
    """As `judge`; where that fails, a judgement without scores that says why."""
    rater = raters_of(metrics, context.model, context.embeddings)
    nothing = Judgement(outcome.item, outcome.method, outcome.run, rater, {})
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
    rater = raters_of(metrics, context.model, context.embeddings)
    return Judgement(outcome.item, outcome.method, outcome.run, rater, scores, said)


def applying(metrics: Collection[str], item: Item) -> set[str]:
    """Those of the metrics that a rater gives and that apply to the item."""
    return {name for name in metrics if _applies(name, item)}


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
