"""What the record of a question's outcome says."""

from dataclasses import replace

from readgraph.state.reading import NOTHING_USED, Usage
from readgraph_evaluation.metrics import METRICS
from readgraph_evaluation.records import Item, Outcome


def test_an_evaluation_counts_the_share_that_caches_held() -> None:
    used: Usage = {**NOTHING_USED, "input_tokens": 1000, "cache_read_tokens": 800}
    assert Outcome("1", "gam", 0, "answered", usage=used).percent_cached == 80
    assert Outcome("1", "gam", 0, "answered").percent_cached is None, "no server counted tokens"


def test_of_several_answers_the_best_counts() -> None:
    item, outcome = Item("1", "t", "?", references=("answer 3",)), Outcome("1", "full-text", 0, "answered", "Answer 1.")
    assert METRICS["exact_match"].score_best(item, outcome) == 0
    said = tuple((f"Answer {number}.", None) for number in (1, 2, 3))
    assert METRICS["exact_match"].score_best(item, replace(outcome, alternatives=said)) == 100
