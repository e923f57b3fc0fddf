"""How much of the evidence compressed texts hold: every engine, with and without the question, without a model.

    python -m benchmarks.compression [--budgets 100 200 400] [--model PROVIDER:NAME]

The project's own story and transcripts with their questions. "for the question": the text is compressed for each
question, and a question counts where the compressed text holds words of its evidence, by the share of them. "before":
the text is compressed once, for all questions. The first words of the text, as many, stand beside. Also seconds.
"""

import argparse
import asyncio
import json
import time
from pathlib import Path
from statistics import fmean

from readgraph import ReaderContext
from readgraph.features.compression import engine_named
from readgraph.features.compression.condenser import words_in
from readgraph.features.compression.engines import engine_ids
from readgraph.language.terms import content_words
from readgraph.state.words import first_words

EXAMPLES = Path(__file__).parents[1] / "examples"

Asked = tuple[str, str]
"""A question and the words of its evidence."""


def texts() -> list[tuple[str, list[Asked]]]:
    found = []
    for file in sorted(EXAMPLES.glob("*.questions.json")):
        about = json.loads(file.read_text(encoding="utf-8"))
        asked = [
            (question["question"], " ".join(question["evidence"]))
            for question in about["questions"]
            if question.get("evidence")
        ]
        found.append(((EXAMPLES / about["document"]).read_text(encoding="utf-8"), asked))
    return found


def held(text: str, evidence: str) -> float:
    """The percentage of the evidence's content words that a text holds."""
    wanted = {*content_words(evidence)}
    return 100 * len(wanted & {*content_words(text)}) / max(len(wanted), 1)


async def measured(identity: str, budget: int, context: ReaderContext) -> tuple[float, float, float]:
    """Evidence held by what was compressed for the question, and before; seconds."""
    start, asked, before = time.perf_counter(), list[float](), list[float]()
    for text, questions in texts():
        engine = engine_named(identity)(context=context)
        once, _ = await engine.acompress(text, budget)
        before += [held(once.text, evidence) for _, evidence in questions]
        for question, evidence in questions:
            compressed, _ = await engine.acompress(text, budget, question)
            asked.append(held(compressed.text, evidence))
    return fmean(asked), fmean(before), time.perf_counter() - start


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budgets", type=int, nargs="+", default=[100, 200, 400], help="tokens")
    parser.add_argument("--model", default="", help="without one, the texts' own sentences")
    options = parser.parse_args()
    context = ReaderContext(model=options.model)
    print(f"{'engine':16}{'tokens':>8}{'for the question':>18}{'before':>8}{'seconds':>9}")
    for budget in options.budgets:
        for identity in engine_ids():
            asked, before, seconds = await measured(identity, budget, context)
            print(f"{identity:16}{budget:8}{asked:17.1f}%{before:7.1f}%{seconds:9.1f}")
        first = fmean(
            held(first_words(text, words_in(budget)), evidence) for text, asked in texts() for _, evidence in asked
        )
        print(f"{'first words':16}{budget:8}{first:17.1f}%{first:7.1f}%")


if __name__ == "__main__":
    asyncio.run(main())
