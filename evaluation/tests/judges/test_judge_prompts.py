"""What judges are asked is as it was recorded, and no text of a question or an answer can break it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from readgraph.models.prompt import Prompt
from readgraph.nodes.prompts import every_wording
from readgraph_evaluation.judges.prompts import (
    RULES,
    consistent_prompt,
    judge_prompt,
    order_prompt,
    permissive_prompt,
    point_prompt,
    strict_prompt,
)
from readgraph_evaluation.who_questions import who_question_prompt
from tests.nodes.test_prompts import (
    HOSTILE_TEXTS,
    QUESTION,
    check_first_fence,
    check_order,
    check_own_fence,
    compare_with_snapshot,
)
from tests.security.test_hostile_texts import check_structure

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"
LIT, OUT = "To light the lamp.", "The lamp was out."

CASES: dict[str, Prompt] = {
    "who_question": who_question_prompt("The keeper climbed.\n\nThe lamp was out.\n"),
    "judge": judge_prompt("right", QUESTION, LIT, OUT),
    **{f"judge_{rule}": judge_prompt(rule, QUESTION, LIT, OUT) for rule in RULES},
    "point": point_prompt(QUESTION, LIT, "It says that the lamp was out."),
    "order": order_prompt(QUESTION, "He climbed, and lit it.", ["The lamp went out.", "He climbed."]),
    "strict": strict_prompt(QUESTION, LIT, OUT),
    "permissive": permissive_prompt(QUESTION, LIT, OUT),
    "consistent": consistent_prompt(QUESTION, LIT, OUT),
}

ANSWERED: dict[str, Callable[[str], Prompt]] = {
    "judge_answer": lambda text: judge_prompt("right", QUESTION, text, OUT),
    "judge_point": lambda text: point_prompt(QUESTION, "It was night.", text),
    "judge_listed": lambda text: order_prompt(QUESTION, text, ["The lamp went out."]),
    "rate_answer": lambda text: strict_prompt(QUESTION, text, OUT),
    "rate_reference": lambda text: permissive_prompt(QUESTION, "It was night.", text),
}
"""Prompts with a text as the answer, or as what it is compared with."""

QUESTIONED: dict[str, Callable[[str], Prompt]] = {
    "strict": lambda asked: strict_prompt(asked, "The lamp.", OUT),
    "permissive": lambda asked: permissive_prompt(asked, "The lamp.", OUT),
    "consistent": lambda asked: consistent_prompt(asked, "The lamp.", OUT),
}


@pytest.mark.parametrize("name", CASES)
def test_a_prompt_is_as_its_snapshot(name: str) -> None:
    compare_with_snapshot(CASES[name], SNAPSHOTS / f"{name}.txt")
    check_order(CASES[name])


def test_every_prompt_has_a_snapshot() -> None:
    worded = {prompt.worded.words.name for prompt in CASES.values() if prompt.worded}
    names = {words.name for words in every_wording() if words.name.startswith(("judge_", "rate_", "who_"))}
    assert names == worded and {file.stem for file in SNAPSHOTS.glob("*.txt")} == CASES.keys()


@pytest.mark.parametrize("name", ANSWERED)
def test_a_hostile_text_has_a_fence_of_its_own(name: str) -> None:
    for text in HOSTILE_TEXTS:
        check_own_fence(ANSWERED[name], text)


def test_a_hostile_summary_stands_unchanged_within_its_fence() -> None:
    for text in HOSTILE_TEXTS:
        check_first_fence(who_question_prompt, text)


@pytest.mark.parametrize("make", [who_question_prompt, *ANSWERED.values(), *QUESTIONED.values()])
@pytest.mark.slow
def test_the_structure_of_each_prompt_is_that_of_a_harmless_text(make: Callable[[str], Prompt]) -> None:
    check_structure(make)
