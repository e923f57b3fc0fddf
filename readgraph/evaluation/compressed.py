"""How much a compressed text is worth: its questions answered from it, and the answers compared with references."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from readgraph.compression import Compressed, CompressionEngine, CompressionTrace
from readgraph.evaluation.judges.rating import similarities
from readgraph.evaluation.metrics import METRICS
from readgraph.evaluation.records import Item, Outcome
from readgraph.graphs.baselines import build_full_text
from readgraph.nodes.search import get_shared_embedder
from readgraph.nodes.tasks import all_finished
from readgraph.state.reading import Question
from readgraph.state.records import Document

__all__ = ["ContextScore", "score_contexts"]

BY_WORDS = ("exact_match", "f1", "bleu_1")
"""The metrics that compare words; `csim_h`, the similarity of meaning, needs an embedding model."""


class ContextScore(NamedTuple):
    """A question's answer from a compressed text: the outcome, and its scores from 0 to 100 by the metrics' names.

    `compressed` is what was compressed for it, and `trace` how.
    """

    outcome: Outcome
    scores: dict[str, float]
    compressed: Compressed
    trace: CompressionTrace


async def score_contexts(
    engine: CompressionEngine, text: str, items: Sequence[Item], llm_token_budget: int, *, per_question: bool = False
) -> list[ContextScore]:
    """Compress a text, answer each question from what is left, and score the answers; one score for each item.

    The text is compressed once, and read whole for each question (the baseline `full-text`) by the engine's model. The
    engine's embeddings, where it has some, give `csim_h`. An answer by a substitute for the model counts as none.
    Errors
    are those of `CompressionEngine.compress` too.

    Args:
        engine: Compresses, and names the model.
        text: What is compressed.
        items: The questions with their right answers.
        llm_token_budget: Most tokens of the compressed text.
        per_question: It is compressed for each question instead, and the compressed text is the answer.

    Raises:
        BadInput: Where a metric's package is missing.
    """
    document = await engine.pages.add_document(text)
    scoring = _Scoring(engine, document, llm_token_budget)
    if per_question:
        return await all_finished(scoring.score_question(item) for item in items)
    compressed, trace = await engine.compress_document(document, llm_token_budget)
    context = await engine.pages.add_document(compressed.text, title=f"{document.id} in {compressed.tokens} tokens")
    return await all_finished(scoring.score_from_context(context, item, compressed, trace) for item in items)


@dataclass(frozen=True)
class _Scoring:
    engine: CompressionEngine
    document: Document
    budget: int

    async def score_question(self, item: Item) -> ContextScore:
        compressed, trace = await self.engine.compress_document(self.document, self.budget, item.question)
        outcome = Outcome(item.id, self.engine.id, 0, compressed.status, compressed.text or None, usage=trace.usage)
        return ContextScore(outcome, await self._scores(item, outcome), compressed, trace)

    async def score_from_context(
        self, context: Document, item: Item, compressed: Compressed, trace: CompressionTrace
    ) -> ContextScore:
        graph = build_full_text().compile(store=self.engine.pages.store)
        asked: Question = {"document": context.id, "question": item.question}
        found = await graph.ainvoke(asked, context=self.engine.context)
        outcome = Outcome(
            item.id,
            self.engine.id,
            0,
            found["status"],
            found["answer"],
            usage=found["usage"],
            fallbacks=found["fallbacks"],
            by_rule=found["by_rule"],
        )
        return ContextScore(outcome, await self._scores(item, outcome), compressed, trace)

    async def _scores(self, item: Item, outcome: Outcome) -> dict[str, float]:
        outcome = outcome.by_method(self.engine.context.model)
        scores = {name: METRICS[name].score for name in BY_WORDS}
        given = {name: score(item, outcome) for name, score in scores.items() if score}
        if self.engine.context.embeddings and outcome.answer and item.references:
            embedder = await get_shared_embedder(self.engine.pages, self.engine.context)
            given |= {"csim_h": (await similarities(item, outcome.answer, embedder))["csim_h"]}
        return {name: score for name, score in given.items() if score is not None}
