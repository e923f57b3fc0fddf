"""Evaluation folders made without reading, so that every figure is known; and their results by method."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from readgraph.state.context import ReaderContext
from readgraph.state.reading import NOTHING_USED
from readgraph_evaluation.folder import EvaluationFolder
from readgraph_evaluation.plan import what_is_run
from readgraph_evaluation.records import Dataset, Item, Outcome, Text
from readgraph_evaluation.rows import row_named

CONTEXT = ReaderContext(model="openai:double")
NOTHING: dict[str, Any] = {"calls": 0, "input_words": 0, "output_words": 0, "cost": None, "fallbacks": {}}

Right = Callable[[int, int], bool]
"""Whether the answer to the question with this number is correct in this run."""


def every(number: int, run: int) -> bool:
    return True


def never(number: int, run: int) -> bool:
    return False


def even(number: int, run: int) -> bool:
    return number % 2 == 0


def quiz(questions: int, texts: int = 2, name: str = "quality", categories: Sequence[str] = ("",)) -> Dataset:
    """Questions with two options, of which the first is correct, about each text in turn."""
    items = tuple(
        Item(
            id=f"q{number}",
            text=f"t{number % texts}",
            question=f"What of {number}?",
            references=("this",),
            options=("this", "that"),
            correct=0,
            category=categories[number % len(categories)],
        )
        for number in range(questions)
    )
    made = tuple(Text(f"t{number}", f"Text {number}", "word " * (100 + 50 * number)) for number in range(texts))
    return Dataset(name, made, items, ("accuracy",), licence="MIT")


def folder_of(
    path: Path,
    dataset: Dataset,
    methods: dict[str, Right],
    runs: int = 1,
    context: ReaderContext = CONTEXT,
    **fields: Any,
) -> EvaluationFolder:
    """A folder with these answers of the methods; `fields` are part of every outcome."""
    folder = EvaluationFolder(path)
    what = what_is_run(None, dataset, [row_named(name, context) for name in methods], runs, None, context)
    with folder.open_for(what):
        folder.keep_questions(dataset)
        folder.append(
            "memories", [memory(name, run, text) for name in methods for run in range(runs) for text in dataset.texts]
        )
        folder.append(
            "answers",
            [
                answer(name, run, item, right(number, run), **fields)
                for name, right in methods.items()
                for run in range(runs)
                for number, item in enumerate(dataset.items)
            ],
        )
    return folder


def memory(method: str, run: int, text: Text) -> dict[str, Any]:
    """A line of memories.jsonl: two pages, and notes with a tenth of their words."""
    words = len(text.text.split())
    return {
        **NOTHING,
        **{
            "method": method,
            "run": run,
            "text": text.id,
            "memory": f"{method}-{text.id}",
            "fingerprint": f"f-{method}",
        },
        **{"words": words, "page_words": [words // 2] * 2, "note_words": [words // 20] * 2},
        **{"usage": {**NOTHING_USED}, "calls": 2, "input_words": words},
    }


def by_method(results: Any) -> dict[str, Any]:
    """The results of each method (see results.json)."""
    return {method["method"]: method for method in results["methods"]}


def answer(method: str, run: int, item: Item, right: bool, **fields: Any) -> dict[str, Any]:
    """A line of answers.jsonl."""
    choice = 0 if right else 1
    given: dict[str, Any] = {"status": "answered", "answer": item.options[choice], "choice": choice}
    given |= {"compression_rate": 50.0, "calls": 2, "input_words": 200, "output_words": 20}
    return Outcome(item.id, method, run, **(given | fields)).line()
