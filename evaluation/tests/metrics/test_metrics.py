"""Scores of answers: values worked out by hand from the definitions, and what must hold of any answer."""

import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph_evaluation.metrics import METRICS
from readgraph_evaluation.records import Item, Outcome, TextSpan

pytestmark = pytest.mark.quick

FREE = ("f1", "locomo_f1", "bleu_1", "rouge_1", "rouge_2", "rouge_l", "substring_accuracy")
CATEGORIES = ("", "multi-hop", "temporal", "open-domain", "single-hop")

words = st.lists(
    st.sampled_from(["The", "lamp", "lamps", "goat,", "goat's", "and", "an", "keeper;", "1874", "海", "..."]),
    max_size=8,
).map(" ".join)
letters = st.text(st.sampled_from("lampsgot"), min_size=3, max_size=8).map(lambda word: f"x{word}")
texts = st.lists(letters, min_size=2, max_size=8).map(" ".join)


def score(
    metric: str,
    answer: str | None,
    *references: str,
    category: str = "",
    unanswerable: bool = False,
    together: bool = False,
    status: str = "answered",
) -> float | None:
    measure = METRICS[metric].score
    assert measure
    item = Item(
        "1", "text", "What was lit?", references, category=category, unanswerable=unanswerable, together=together
    )
    return measure(item, Outcome("1", "read-agent", 0, status, answer))


@pytest.mark.parametrize(
    ("metric", "answer", "reference", "expected"),
    [
        ("f1", "The cat sat on the mat.", "a cat sat", 200 * 2 / 6),
        ("f1", "cat cat", "cat", 200 / 3),
        ("f1", "THE LAMP!", "lamp", 100),
        ("f1", "lamps", "lamp", 0),
        ("exact_match", "THE LAMP!", "a lamp", 100),
        ("exact_match", "lamp lamp", "lamp", 0),
        ("f1", "and", "and", 100),
        ("f1", "the", "an", 100),
        ("f1", "the", "lamp", 0),
        ("f1", "", "the", 100),  # nothing is left of either, as in SQuAD's script
        ("exact_match", "", "the", 100),
        ("exact_match", " ", "lamp", 0),
        ("f1", None, "the", 0),
        ("locomo_f1", "lamps", "lamp", 100),
        ("locomo_f1", "lamp and oil", "lamp, oil", 100),
        ("locomo_f1", "7 May 2023", "May 7, 2022", 200 * 2 / 6),
        ("locomo_f1", "the", "an", 0),
        ("bleu_1", "the big red lamp", "A red lamp", 100 * 2 / 3),
        ("bleu_1", "lamp lamp lamp", "lamp", 100 / 3),
        ("bleu_1", "lamp", "a red lamp", 100 * math.exp(1 - 2 / 1)),
        ("bleu_1", "keeper's lamp", "keeper s lamp", 100),
        ("bleu_1", "goat", "lamp", 0),
        ("rouge_1", "the keeper lit the lamp", "the keeper put out the lamp", 200 * 4 / 11),
        ("rouge_2", "the keeper lit the lamp", "the keeper put out the lamp", 200 * 2 / 9),
        ("rouge_l", "the keeper lit the lamp", "the keeper put out the lamp", 200 * 4 / 11),
        ("rouge_l", "the lamp the keeper lit", "the keeper put out the lamp", 200 * 2 / 11),
        ("rouge_1", "Lamps.", "lamp", 100),
        ("rouge_2", "lamp", "lamp", 0),
        ("substring_accuracy", "It was the LAMPLIGHTER.", "lamp", 100),
        ("aggregation", "There were in all 1,204.", "1204", 100),
        ("aggregation", "There are 1,204 of them.", "1204", 0),  # the last word, as in the official script
        ("aggregation", "12 of 47", "47", 0),
        ("aggregation", "Answer: 12 of 47", "47", 0),
        ("aggregation", "-7", "7", 100 * 0.75**14),
        ("aggregation", "not spam", "spam", 0),
        ("aggregation", "Label: not spam", "spam", 0),
        ("aggregation", "Etikett: kein Müll", "Müll", 0),
        ("aggregation", "Etikett: Müll", "Müll", 100),
        ("aggregation", "", "the", 0),
        ("pairs_f1", "(35, 22)\n(22, 40)", "(22, 35); (22, 36)", 50),
        ("pairs_f1", "22, 35 and 22,36", "(22, 35); (22, 36)", 100),
        ("pairs_f1", "None of them.", "none", 100),
        ("pairs_f1", "None of them.", "(22, 35)", 0),
        ("aggregation", "Answer: 5", "7", 100 * 0.75**2),
        ("aggregation", "many", "7", 0),
        ("aggregation", "at least 8; 3 of 10 parts could not be read", "8", 100),
        ("aggregation", "at least 8; 3 of 10 parts could not be read", "10", 100 * 0.75**2),
        ("aggregation", "spam\n\n1,204 of 2,000 parts could not be read", "spam", 100),
        ("aggregation", "Label: **spam**", "spam", 100),
        ("aggregation", "20:44:30", "20:44:30", 100),
        ("aggregation", "5 April 2023", "2023-04-05", 100),
        ("aggregation", "05/04/2023", "2023-05-04", 100),
        ("aggregation", "Vex, Keyleth\nScanlan", "Scanlan; Vex; Percy; Grog", 50),
        ("aggregation", "The most frequent label is spam.", "spam", 100),
        ("aggregation", r"So it is \boxed{\text{7}}, not 12.", "7", 100),
        ("aggregation", "Spam is more common than ham.", "more common than", 100),
        ("aggregation", "It is more common or less common.", "more common than", 0),
        ("aggregation", "9" * 5000, "7", 0),
        ("substring_accuracy", "It was the goat.", "lamp", 0),
    ],
)
def test_a_score_is_as_worked_out_by_hand(metric: str, answer: str | None, reference: str, expected: float) -> None:
    assert score(metric, answer, reference) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("category", "answer", "reference", "expected"),
    [
        ("multi-hop", "running, hiking", "hikes, run", 100),
        ("multi-hop", "He likes running and hiking", "run, hike", 40),
        ("multi-hop", "running", "run, hike", 50),
        ("single-hop", "running", "run, hike", 200 * 1 / 3),
        ("open-domain", "likely yes", "Likely yes; she grew up by the sea", 100),
        ("temporal", "yes", "yes; no", 200 * 1 / 3),
    ],
)
def test_locomo_scores_by_the_category(category: str, answer: str, reference: str, expected: float) -> None:
    assert score("locomo_f1", answer, reference, category=category) == pytest.approx(expected)


def test_of_numbers_of_users_none_is_nearly_right() -> None:
    measure = METRICS["aggregation"].score
    assert measure
    asked = Item("1", "text", "Which user?", ("44106",), groups=("user",))
    assert [measure(asked, Outcome("1", "m", 0, "answered", said)) for said in ("User: 44106", "44107")] == [100, 0]


@pytest.mark.parametrize(
    ("task", "answer", "references", "expected"),
    [
        ("passkey", "The key is 71432, not 9.", ("71432",), 100),
        ("passkey", "9 or 71432", ("71432",), 0),
        ("number_string", "001122", ("001122",), 100),
        ("kv_retrieval", '{"a-b": "c-d"}', ("c-d",), 100),
        ("kv_retrieval", "c-def", ("c-d",), 0),
        ("longdialogue_qa_eng", "It is Mara K.", ("MARA K.", "KEEPER"), 100),
        ("longdialogue_qa_eng", "Maram", ("MARA",), 0),
        ("longbook_qa_eng", "The lamp oil", ("lamp", "a goat"), 200 / 3),
        ("longbook_qa_chn", "是灯塔。", ("灯塔",), 80),
        ("longbook_sum_eng", "Mara climbed.\nThe lamp burned.", ("The lamp burned.\nMara climbed.",), 100),
        ("math_find", "It is 9.0 of 12", ("9",), 100),
        ("math_find", "none", ("9",), 0),
        ("math_calc", "[1, 4, 9, 8]", ("1", "4", "8", "5"), 50),
        ("math_calc", "", ("1",), 0),
        ("math_calc", "1" * 5000, ("1", "2"), 0),
        ("code_run", "The return value is: -7.", ("-7",), 100),
        ("code_run", "-7 it is", ("-7",), 0),
    ],
)
def test_infinite_bench_scores_by_the_task(
    task: str, answer: str, references: tuple[str, ...], expected: float
) -> None:
    together = task == "math_calc"
    assert score("infinite_bench", answer, *references, category=task, together=together) == pytest.approx(expected)


def test_infinite_bench_scores_a_choice_as_right_or_wrong() -> None:
    measure = METRICS["infinite_bench"].score
    assert measure
    item = Item("1", "text", "Which?", options=("a lamp", "a goat"), correct=1, category="code_debug")
    assert [measure(item, Outcome("1", "m", 0, "answered", choice=choice)) for choice in (1, 0)] == [100, 0]


def test_what_is_unanswerable_is_right_where_the_method_says_so() -> None:
    def scored(answer: str | None, status: str = "answered") -> float | None:
        return score("abstention", answer, "a goat", category="adversarial", unanswerable=True, status=status)

    assert scored("That is Not Mentioned in the log.") == scored("No information available") == 100
    assert scored(None, "no_answer") == 100
    assert scored("a goat") == scored(None, "budget") == scored("") == 0
    assert score("abstention", "not mentioned", "a goat") is None
    assert score("locomo_f1", "not mentioned", "a goat", category="adversarial") is None


@pytest.mark.parametrize("metric", FREE)
def test_where_a_metric_applies_and_where_there_is_no_answer(metric: str) -> None:
    assert score(metric, "a lamp") is None
    assert score(metric, None, "a lamp") == score(metric, " \n", "a lamp") == 0
    assert score(metric, None, "a lamp", status="no_answer") == 0
    assert score(metric, "a lamp", "a lamp", unanswerable=True) is None


def test_of_references_that_are_all_wanted_those_in_the_answer_count() -> None:
    found = ("7301", "lamp", "Goat")
    assert score("substring_accuracy", "7301 and a goat", *found, together=True) == pytest.approx(200 / 3)
    assert score("substring_accuracy", "a bell", *found, together=True) == 0


@pytest.mark.parametrize("metric", FREE)
def test_the_best_reference_counts(metric: str) -> None:
    one, other = (
        score(metric, "the keeper lit a lamp", "a goat"),
        score(metric, "the keeper lit a lamp", "keeper lit a"),
    )
    both = score(metric, "the keeper lit a lamp", "a goat", "keeper lit a")
    assert one is not None and other is not None
    assert both == max(one, other) > one


def test_a_choice_is_right_or_wrong() -> None:
    accuracy = METRICS["accuracy"].score
    assert accuracy
    item = Item("1", "text", "Which?", options=("a lamp", "a goat"), correct=1)
    assert [accuracy(item, Outcome("1", "m", 0, "answered", choice=choice)) for choice in (1, 0, None)] == [100, 0, 0]
    assert accuracy(Item("1", "text", "Which?"), Outcome("1", "m", 0, "answered", choice=0)) is None
    assert accuracy(item, Outcome("1", "m", 0, "nearest", choice=1, by_rule=True)) is None, "a guess has no accuracy"
    failed = Outcome("1", "m", 0, "nearest", choice=1, by_rule=True).by_method("a:model")
    assert accuracy(item, failed) == 0, "a model's substitute is wrong"


@pytest.mark.parametrize(
    ("read", "cited", "recall", "precision"),
    [
        ([], [], 0, None),
        ([(0, 10)], [], 0, None),  # ends where the evidence begins
        ([(0, 11)], [], 50, None),
        ([(0, 11)], [(35, 36)], 100, 100),
        ([], [(12, 14), (15, 16), (20, 30)], 50, 200 / 3),
        ([(0, 100)], [(50, 60)], 100, 0),
        ([(12, 12)], [(12, 12)], 0, 0),  # nothing stands there
    ],
)
def test_evidence_is_found_where_spans_overlap(
    read: list[tuple[int, int]], cited: list[tuple[int, int]], recall: float, precision: float | None
) -> None:
    item = Item("1", "text", "What?", evidence=(TextSpan(10, 20), TextSpan(30, 40)))
    outcome = Outcome(
        "1",
        "m",
        0,
        "answered",
        "x",
        read=tuple(TextSpan(*span) for span in read),
        cited=tuple(TextSpan(*c) for c in cited),
    )
    expected = {"evidence_recall": recall, "citation_precision": precision}
    for name, value in expected.items():
        measure = METRICS[name].score
        assert measure
        assert measure(item, outcome) == (None if value is None else pytest.approx(value))
        assert measure(Item("1", "text", "What?"), outcome) is None


@given(words, words, st.sampled_from(CATEGORIES))
def test_scores_are_from_0_to_100(answer: str, reference: str, category: str) -> None:
    for metric in FREE:
        value = score(metric, answer, reference, category=category)
        assert value is not None and 0 <= value <= 100


@given(texts, st.sampled_from(CATEGORIES))
def test_the_reference_itself_is_right(text: str, category: str) -> None:
    for metric in FREE:
        assert score(metric, text, text, category=category) == pytest.approx(100)


@given(texts, texts)
def test_f_measures_are_symmetric(one: str, other: str) -> None:
    for metric in ("f1", "locomo_f1", "rouge_1", "rouge_2", "rouge_l"):
        assert score(metric, one, other) == pytest.approx(score(metric, other, one))


@given(texts, texts)
def test_a_longer_match_is_worth_no_less(one: str, other: str) -> None:
    by = {metric: score(metric, one, other) or 0 for metric in FREE}
    assert by["rouge_l"] <= by["rouge_1"] + 1e-9
    assert by["rouge_2"] == 0 or by["rouge_1"] > 0
    assert score("rouge_1", f"{one} {other}", one) == pytest.approx(
        200 * len(one.split()) / (2 * len(one.split()) + len(other.split()))
    )


def test_every_metric_is_scored_from_the_answer_or_by_a_rater() -> None:
    assert {name for name, metric in METRICS.items() if metric.rater == "judge"} == {
        "judged_accuracy", "lr_1", "lr_2", "dmr_accuracy", "beam_score", "nuggets", "event_order",
    }  # fmt: skip
    assert {name for name, metric in METRICS.items() if metric.rater == "embeddings"} == {"csim_1", "csim_3", "csim_h"}
    for name, metric in METRICS.items():
        assert metric.name == name and metric.line.endswith(".")
        assert (metric.score is None) == bool(metric.rater or metric.all_of or metric.of_run)


def outcome(item: str, confidence: float | None, status: str = "answered") -> Outcome:
    return Outcome(item, "m", 0, status, "x", confidence=confidence)


@pytest.mark.parametrize(
    ("outcomes", "at_coverage", "auroc"),
    [
        ([outcome("1", 0.1), outcome("2", 3), outcome("3", 4), outcome("4", 5)], 100, 100),
        ([outcome("1", 9), outcome("2", 3), outcome("3", 4), outcome("4", 5)], 0, 0),
        ([outcome(item, None) for item in "1234"], 25, 50),
        ([outcome(item, 0.7) for item in "4321"], 25, 50),
        ([outcome(item, None, "no_answer") for item in "1234"], 25, 50),
        ([outcome("1", None, "no_answer"), outcome("2", -7), outcome("3", None), outcome("4", 5)], 100, 100),
        ([outcome("1", 2), outcome("2", 2), outcome("3", 4), outcome("4", 1, "no_answer")], 0, 50),
        ([outcome("1", 2), outcome("2", 2), outcome("3", 4), outcome("4", 5)], 50, 100 * 2.5 / 3),
    ],
)
def test_the_least_sure_answers_are_declined_and_equal_ones_by_chance(
    outcomes: list[Outcome], at_coverage: float, auroc: float
) -> None:
    asked = [(Item(each.item, "t", "?", unanswerable=each.item == "1"), each) for each in outcomes]
    for name, expected in (("abstention_at_coverage", at_coverage), ("abstention_auroc", auroc)):
        of_run = METRICS[name].of_run
        assert of_run and of_run(asked) == {"1": pytest.approx(expected)}


@pytest.mark.slow
def test_the_packages_are_imported_when_they_are_needed() -> None:
    code = (
        "import sys, readgraph_evaluation.judges.judging, readgraph_evaluation.statistics; "
        "print({'nltk', 'rouge_score', 'scipy', 'matplotlib'} & sys.modules.keys())"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "set()"


@pytest.mark.slow
def test_scoring_sets_up_no_logging() -> None:
    code = (
        "import logging; from readgraph_evaluation.metrics.answers import summary_rouge; "
        "summary_rouge('a lamp', 'a lamp'); print(logging.root.handlers)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("options", "reference", "chosen", "said"),
    [
        (("Keeper", "The goat"), "The goat", 1, "The goat"),
        (("Keeper", "The goat"), "B", 1, "The goat"),
        (("Keeper", "The goat"), "B. The goat", 1, "The goat"),
        (("Keeper", "The goat"), "The goat", None, "(B) The goat"),
        (("Keeper", "The goat"), "(B) The goat", None, "B"),
        (("A) Keeper", "B) The goat"), "The goat", 1, "B) The goat"),
        (("A. Keeper", "B. The goat"), "B", 1, "B. The goat"),
        (("A", "B"), "B", 1, "B"),
    ],
)
def test_the_letter_of_an_option_is_no_word_of_the_answer(
    options: tuple[str, ...], reference: str, chosen: int | None, said: str
) -> None:
    item = Item("1", "text", "Who?", (reference,), options=options, correct=1)
    right = Outcome("1", "read-agent", 0, "answered", said, choice=chosen)
    wrong = Outcome("1", "read-agent", 0, "answered", options[0], choice=0)
    for name in ("f1", "exact_match", "rouge_1", "rouge_l", "bleu_1", "substring_accuracy", "subspan_accuracy"):
        measure = METRICS[name].score
        assert measure
        assert (name, measure(item, right)) == (name, 100)
        if options != ("A", "B"):
            assert (name, measure(item, wrong)) == (name, 0)


def test_a_letter_counts_where_there_are_no_options() -> None:
    assert score("f1", "B. The goat", "goat") == pytest.approx(200 / 3)
    assert score("rouge_1", "B: a goat", "B") == 50


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        ("It was  THE Lamp-Oil, of 1874.", "lampoil of 1874", 100),
        ("In the year 1,874", "1874", 100),
        ("31 feet deep", "1 feet", 100),  # words aren't told apart
        ("A goat\nThe lamp", "the lamp", 0),  # only the first line counts
        ("\n The lamp.", "a lamp", 100),
        ("lamp", "lamp oil", 0),
    ],
)
def test_a_sub_span_is_found_as_in_lost_in_the_middle(answer: str, reference: str, expected: float) -> None:
    assert score("subspan_accuracy", answer, "nowhere", reference) == expected
