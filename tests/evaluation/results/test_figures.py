"""Figures of results beside the scores."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from readgraph.evaluation.results.figures import results_of
from tests.support.evaluations import by_method, every, folder_of, quiz

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
