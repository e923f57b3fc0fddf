"""A random part of a dataset's questions."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from readgraph.evaluation.plan import draw_sample
from readgraph.evaluation.records import WebStep
from tests.support.command import Command, assert_refused
from tests.support.evaluations import quiz
from tests.support.questions import GOAT, WELL, story_file


def test_a_sample_is_drawn_over_all_texts_and_grows() -> None:
    dataset = quiz(400, texts=20)
    small, large = draw_sample(dataset, 40, seed=3), draw_sample(dataset, 80, seed=3)
    drawn = {item.id for item in small.items}
    assert len(drawn) == 40 and drawn < {item.id for item in large.items}
    assert {text.id for text in small.texts} == {item.text for item in small.items} and len(small.texts) > 10
    assert [item for item in dataset.items if item.id in drawn] == [*small.items], "they keep their order"
    assert small.note == "40 of 400 questions, drawn at random with seed 3."
    assert small == draw_sample(dataset, 40, seed=3) != draw_sample(dataset, 40, seed=4)
    counted = Counter(item.id for seed in range(200) for item in draw_sample(dataset, 40, seed).items)
    assert len(counted) == 400 and max(counted.values()) < 50, "each is as likely as the others: 20 times of 200"


def test_an_episode_is_drawn_with_all_its_steps() -> None:
    dataset = quiz(30, texts=30)
    items = [
        replace(item, step=WebStep(f"episode {number // 3}", 3, (), ("7",), "CLICK"))
        for number, item in enumerate(dataset.items)
    ]
    steps = Counter(
        item.step.episode for item in draw_sample(replace(dataset, items=tuple(items)), 10).items if item.step
    )
    assert [*steps.values()] == [3, 3, 3]
    assert len(draw_sample(replace(dataset, items=tuple(items)), 1).items) == 3


@pytest.mark.slow
def test_a_sample_is_asked(readgraph: Command, tmp_path: Path, out: Path) -> None:
    file = story_file(tmp_path, GOAT, WELL, texts=3)
    told = readgraph("evaluate", file, "--methods", "bm25", "--sample", 2, "--seed", 1, "--out", out, "--json").json
    assert {method["outcomes"] for method in told["methods"]} == {2}
    assert told["what"]["note"] == "2 of 6 questions, drawn at random with seed 1."
    assert_refused(readgraph("evaluate", file, "--seed", 1, "--out", out), "say how many questions with --sample")
