"""Figures of results beside the scores."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluation.tests.support.evaluations import by_method, every, folder_of, memory, quiz
from readgraph_evaluation.results import results_of

SAID = "three plain words"


def test_words_are_counted_of_answers_that_the_method_gave(tmp_path: Path) -> None:
    quizzed = quiz(4)
    free = tuple(replace(item, options=(), correct=None) for item in quizzed.items[:2])
    mixed = replace(quizzed, items=(*free, *quizzed.items[2:]), metrics=("f1", "accuracy"))

    def words(name: str, items: tuple[int, int], **fields: Any) -> float | None:
        dataset = replace(mixed, items=mixed.items[slice(*items)])
        folder = folder_of(tmp_path / name, quizzed, {"survey": every}, answer=SAID, **fields)
        found: float | None = by_method(results_of(dataset, folder))["survey"]["figures"]["answer_words"]
        return found

    assert words("free", (0, 2), choice=None) == 3
    assert words("unchosen", (2, 4), choice=None) is None, "an option was to be chosen, and none was"
    assert words("both", (0, 4), choice=None) == 3
    assert words("chosen", (2, 4), choice=0) is None
    assert words("substitute", (0, 2), choice=None, status="nearest") is None, "passages in the model's place"


def test_rows_that_wait_for_one_memory_take_its_seconds_once(tmp_path: Path) -> None:
    dataset = quiz(4)
    rows = ("read-agent", "gists-only", "read-agent@max_pages=1")
    folder = folder_of(tmp_path, dataset, dict.fromkeys(rows, every))
    lines = [
        {**memory(row, 0, text), "memory": f"gists of {text.id}", "calls": 5 * (row == rows[0]), "seconds": seconds}
        for row, seconds in zip(rows, (23.0, 22.5, 0.1), strict=True)
        for text in dataset.texts
    ]
    unfinished = {"method": rows[1], "run": 0, "text": "t9", "seconds": 2.0}
    folder.write("memories.jsonl", "".join(json.dumps(line) + "\n" for line in [*lines, unfinished]))
    texts = (*dataset.texts, replace(dataset.texts[0], id="t9"))
    dataset = replace(dataset, texts=texts, items=(*dataset.items, replace(dataset.items[0], id="q9", text="t9")))
    built = {name: of["building"] for name, of in by_method(results_of(dataset, folder)).items()}
    assert [built[row]["seconds"] for row in rows] == [46, 48, 46], "two memories of 23 seconds each"
    assert [built[row]["calls"] for row in rows] == [10, 10, 10]
