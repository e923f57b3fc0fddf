"""A random part of a dataset's questions."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.tests.support.evaluations import quiz
from readgraph.state.errors import BadInput
from readgraph_evaluation.plan import HALVES, draw_sample, take_half
from readgraph_evaluation.records import WebStep
from tests.support.command import Command, assert_refused
from tests.support.examples import EXAMPLES
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


@pytest.mark.parametrize("texts", [1, 7, 20])
def test_halves_share_nothing_and_make_up_the_whole(texts: int) -> None:
    dataset = quiz(40, texts=texts)
    one, other = (take_half(dataset, half) for half in HALVES)
    assert {*one.items} | {*other.items} == {*dataset.items} and not {*one.items} & {*other.items}
    assert abs(len({item.text for item in one.items}) - len({item.text for item in other.items})) <= 1
    assert texts == 1 or not {text.id for text in one.texts} & {text.id for text in other.texts}
    assert other.note == f"The report half: {len(other.items)} of 40 questions."
    assert take_half(dataset, "report") == other
    with pytest.raises(BadInput, match="There is no half 'dev'"):
        take_half(dataset, "dev")
    with pytest.raises(BadInput, match="too few questions to be halved"):
        take_half(replace(dataset, items=dataset.items[:1], texts=dataset.texts[:1]), "report")


@pytest.mark.slow
def test_a_folder_holds_one_half(tmp_path: Path, readgraph: Command) -> None:
    command = ("evaluate", EXAMPLES / "questions.jsonl", "--methods", "bm25", "--no-full-text", "--quiet")
    readgraph(*command, "--half", "development", "--out", tmp_path / "out")
    other = readgraph(*command, "--half", "report", "--out", tmp_path / "out")
    assert_refused(other, "out holds answers to the development half: name a new folder for the other one")
    assert readgraph(*command, "--half", "development", "--out", tmp_path / "out").code == 0
    readgraph(*command, "--out", tmp_path / "out")
    assert readgraph(*command, "--half", "report", "--out", tmp_path / "out").code == 0, "it holds both now"


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
