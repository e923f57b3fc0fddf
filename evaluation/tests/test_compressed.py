"""Compressed texts are scored by the answers that they still give."""

import pytest

from readgraph.features.compression import ExtractiveEngine, ReadAgentGistEngine
from readgraph_evaluation.compressed import score_contexts
from readgraph_evaluation.records import Item
from tests.doubles.pipeline import Pipeline

pytestmark = pytest.mark.quick

TEXT = "Ben took the log book home.\n\nMarian counted twenty-two gallons of oil.\n\nThe lamp went out at ten."
ITEMS = [
    Item("1", "a", "Who took the log book?", ("Ben took it!", "Marian")),
    Item("2", "a", "When did the lamp go out?", ("At ten.",)),
    Item("3", "a", "Who stole the moon?", unanswerable=True),
]


async def test_questions_are_answered_from_the_compressed_text() -> None:
    engine = ReadAgentGistEngine(
        local_llm_pipeline=lambda prompt: "Ben took it." if "question" in prompt else "Ben. The lamp.",
        embedding_fn=lambda text: [text.count("Ben"), 1.0],
    )
    first, second, third = await score_contexts(engine, TEXT, ITEMS, 12)
    assert first.compressed.text == "Ben. The lamp." == second.compressed.text
    assert first.outcome.answer == "Ben took it." and first.trace.compressed_tokens <= 12
    assert first.scores == pytest.approx({"exact_match": 100, "f1": 100, "bleu_1": 100, "csim_h": 100}, abs=0.01)
    assert (second.scores["exact_match"], second.scores["f1"], third.scores) == (0, 0, {})


async def test_a_text_can_be_compressed_for_each_question() -> None:
    first, second, _ = await score_contexts(ExtractiveEngine(), TEXT, ITEMS, 12, per_question=True)
    assert first.compressed.text == first.outcome.answer == "Ben took the log book home."
    assert second.compressed.text == "The lamp went out at ten." and 0 < second.scores["f1"] < 100


async def test_a_substitute_s_answer_counts_as_none() -> None:
    engine = ReadAgentGistEngine(local_llm_pipeline=Pipeline(answer=" ", pages="Page 0"))
    (score,) = await score_contexts(engine, TEXT, ITEMS[:1], 12, per_question=True)
    assert score.compressed.status == "nearest" and set(score.scores.values()) == {0}
