"""Means, intervals and paired tests: values worked out by hand, known laws, and small numbers."""

import random
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.intervals import coverage
from readgraph_evaluation.statistics import compare, summarise_scores

Runs = list[dict[str, float]]

scores = st.sampled_from([0.0, 12.5, 40.0, 100.0])
runs = st.lists(st.dictionaries(st.sampled_from("abcdef"), scores, min_size=1), min_size=1, max_size=3)


TWO_MORE = {"x": 0.0, "y": 100.0}


def of(*values: float) -> dict[str, float]:
    return {str(question): value for question, value in enumerate(values)}


def test_a_mean_over_runs_with_their_deviation() -> None:
    # means 75, 25, 50
    found = summarise_scores(
        [of(100, 0, 100, 100) | TWO_MORE, of(100, 0, 0, 0) | TWO_MORE, of(100, 0, 100, 0) | TWO_MORE]
    )
    assert found and (found.questions, found.texts, found.runs) == (6, 6, 3)
    assert found.mean == pytest.approx(50)
    assert found.deviation == pytest.approx(50 / 3)
    assert found.interval and found.interval[0] < 50 < found.interval[1]


def test_a_question_that_has_no_score_in_a_run_counts_where_it_has_one() -> None:
    found = summarise_scores([{"a": 100, "b": 0}, {"a": 50}, {}])
    assert found and (found.questions, found.runs, found.mean) == (2, 2, 37.5)


def test_texts_are_drawn_with_all_their_questions() -> None:
    scores, texts = of(*[100] * 30, *[0] * 30), {str(number): f"text {number // 10}" for number in range(60)}
    by_texts, by_questions = summarise_scores([scores], texts), summarise_scores([scores])
    assert by_texts and by_questions and (by_texts.texts, by_questions.texts) == (6, 60)
    assert by_texts.interval and by_texts.interval[0] < 20, "six texts tell little"
    assert by_questions.interval and by_questions.interval[0] > 30
    difference = compare([scores], [of(*[0] * 60)], texts)
    assert difference and (difference.texts, difference.p) == (6, 0.25)
    assert difference.interval == pytest.approx(by_texts.interval)


@pytest.mark.parametrize("texts", [1, 2, 5])
def test_few_texts_have_no_interval(texts: int) -> None:
    scores, about = of(*[100, 0] * 20), {str(number): f"text {number % texts}" for number in range(40)}
    found, difference = summarise_scores([scores], about), compare([scores], [of(*[0] * 40)], about)
    assert found and (found.texts, found.mean, found.interval) == (texts, 50, None)
    assert difference and (difference.difference, difference.interval) == (50, None)


@pytest.mark.slow
@pytest.mark.parametrize("texts", [6, 12])
def test_ninety_five_percent_are_ninety_five_percent(texts: int) -> None:
    assert coverage(texts, questions=6, tries=150) == pytest.approx(0.95, abs=0.05)


def test_a_question_is_drawn_with_all_its_runs() -> None:
    spread = of(*[100, 0] * 20)
    once, thrice = summarise_scores([spread]), summarise_scores([spread] * 3)
    assert once and thrice and once.interval == thrice.interval  # more runs of the same are not more questions
    assert thrice.deviation == 0


def test_an_interval_is_near_that_of_the_normal_law() -> None:
    found = summarise_scores([of(*[100, 100, 100, 0, 0] * 40)])
    half = NormalDist().inv_cdf(0.975) * 100 * (0.6 * 0.4 / 200) ** 0.5
    assert found and found.interval == pytest.approx((60 - half, 60 + half), abs=0.6)


def test_small_numbers() -> None:
    assert summarise_scores([]) is summarise_scores([{}]) is None
    one = summarise_scores([of(50)])
    assert one and (one.mean, one.deviation, one.interval) == (50, None, None)
    assert compare([], [of(1)]) is compare([{"a": 1}], [{"b": 1}]) is None
    single = compare([of(100)], [of(0)])
    assert single and (single.difference, single.interval, single.p, single.first_better) == (100, None, 1, 1)


def test_all_tosses_of_a_few_questions_are_counted() -> None:
    six = compare([of(*[100] * 6)], [of(*[0] * 6)])
    assert six and six.p == 2 / 2**6  # all heads or all tails
    assert six.interval == (100, 100)
    assert six.texts == 6
    mixed = compare([of(100, 100, 100, 0)], [of(0, 0, 0, 100)])
    assert mixed and mixed.p == 10 / 16  # 3 or 4 heads, 3 or 4 tails
    assert (mixed.difference, mixed.first_better, mixed.second_better) == (50, 3, 1)


def test_many_questions_are_sampled() -> None:
    # Of 100 questions on which they differ, 65 for the one: two-sided binomial chance 0.0035.
    first, second = of(*[100] * 65, *[0] * 35, *[100] * 300), of(*[0] * 65, *[100] * 35, *[100] * 300)
    found = compare([first], [second])
    assert found and found.p == pytest.approx(0.0035, abs=0.002)
    assert (found.questions, found.difference, found.first_better, found.second_better) == (400, 7.5, 65, 35)
    assert found.interval and 0 < found.interval[0] < 7.5 < found.interval[1]
    assert compare([first], [second]) == found


def test_the_order_in_which_answers_came_changes_nothing() -> None:
    rng = random.Random(3)
    first, second = ([of(*rng.choices([0, 12.5, 33.3, 40, 100], k=37)) for _ in range(2)] for _ in range(2))

    def shuffled(runs: Runs) -> Runs:
        return [dict(rng.sample([*run.items()], len(run))) for run in rng.sample(runs, len(runs))]

    for _ in range(3):
        assert summarise_scores(shuffled(first)) == summarise_scores(first)
        assert compare(shuffled(first), shuffled(second)) == compare(first, second)


def test_only_shared_questions_are_compared() -> None:
    found = compare([{"a": 100, "b": 100, "x": 0}], [{"y": 100, "b": 0, "a": 100}])
    assert found and (found.questions, found.difference, found.first_better, found.second_better) == (2, 50, 1, 0)


@given(runs)
def test_identical_results_do_not_differ(runs: Runs) -> None:
    found = compare(runs, runs)
    assert found and (found.difference, found.p, found.first_better, found.second_better) == (0, 1, 0, 0)
    assert found.interval in (None, (0, 0))


@given(runs, runs)
def test_a_comparison_turned_round_is_the_same_with_other_signs(first: Runs, second: Runs) -> None:
    one, other = compare(first, second), compare(second, first)
    assert (one is None) == (other is None)
    if one and other:
        assert (one.difference, one.p) == pytest.approx((-other.difference, other.p))
        assert (one.first_better, one.second_better) == (other.second_better, other.first_better)
        assert 0 < one.p <= 1


@given(runs)
def test_an_interval_lies_within_the_scores(runs: Runs) -> None:
    found = summarise_scores(runs)
    assert found and 0 <= found.mean <= 100
    if found.interval:
        assert 0 <= found.interval[0] <= found.mean + 1e-9 and found.mean - 1e-9 <= found.interval[1] <= 100
