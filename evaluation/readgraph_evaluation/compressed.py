"""How much a compressed text is worth: its questions answered from it, and the answers compared with references."""

from collections.abc import Sequence
from typing import NamedTuple

from readgraph import Question
from readgraph.features.compression import CompressionEngine
from readgraph.features.compression.trace import Compressed, CompressionTrace
from readgraph.graphs.baselines import build_full_text
from readgraph.nodes.search import get_shared_embedder
from readgraph.state.loops import all_finished
from readgraph_evaluation.judges.judging import similarities
from readgraph_evaluation.metrics import METRICS
from readgraph_evaluation.records import Item, Outcome

__all__ = ["ContextScore", "score_contexts"]


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
    Errors are those of `CompressionEngine.compress` too.

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
    if per_question:

        async def compress_for(item: Item) -> ContextScore:
            compressed, trace = await engine.compress_document(document, llm_token_budget, item.question)
            outcome = Outcome(item.id, engine.id, 0, compressed.status, compressed.text or None, usage=trace.usage)
            return await _score(engine, item, outcome, compressed, trace)

        return await all_finished(map(compress_for, items))
    compressed, trace = await engine.compress_document(document, llm_token_budget)
    context = await engine.pages.add_document(compressed.text, title=f"{document.id} in {compressed.tokens} tokens")
    graph = build_full_text().compile(store=engine.pages.store)

    async def answer(item: Item) -> ContextScore:
        question: Question = {"document": context.id, "question": item.question}
        found = await graph.ainvoke(question, context=engine.context)
        taken = {name: found[name] for name in ("status", "answer", "usage", "fallbacks", "by_rule")}
        return await _score(engine, item, Outcome(item.id, engine.id, 0, **taken), compressed, trace)

    return await all_finished(map(answer, items))


async def _score(
    engine: CompressionEngine, item: Item, outcome: Outcome, compressed: Compressed, trace: CompressionTrace
) -> ContextScore:
    answered = outcome.by_method(engine.context.model)
    given = {name: score(item, answered) for name in ("exact_match", "f1", "bleu_1") if (score := METRICS[name].score)}
    if engine.context.embeddings and answered.answer and item.references:
        embedder = await get_shared_embedder(engine.pages, engine.context)
        given["csim_h"] = (await similarities(item, answered.answer, embedder))["csim_h"]
    scores = {name: score for name, score in given.items() if score is not None}
    return ContextScore(outcome, scores, compressed, trace)
