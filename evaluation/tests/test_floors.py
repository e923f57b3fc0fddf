"""What answers score that nobody read for."""

from dataclasses import replace

from readgraph_evaluation.floors import score_floors
from readgraph_evaluation.records import Dataset, Item, Text

STORY = "The lamp went out. Mara climbed the stair with oil. By dawn it burned again. The boat came late."
FREE = Item("a", "story", "What came?", ("The boat came late.",))


def dataset(*items: Item, metrics: tuple[str, ...] = ("f1", "accuracy", "abstention", "evidence_recall")) -> Dataset:
    return Dataset("any", (Text("story", "Story", STORY),), items, metrics)


def test_free_answers_are_as_long_as_the_references_are() -> None:
    floors = score_floors(dataset(replace(FREE, references=("The lamp went out.",))))
    assert floors["the beginning"] == {"f1": 100.0}, "four words, as the reference has"
    assert floors.keys() == {"the beginning", "random sentences"} and 0 <= floors["random sentences"]["f1"] <= 100
    assert score_floors(dataset(FREE)) == score_floors(dataset(FREE)), "the same in every run"


def test_options_are_taken_at_random_and_declining_counts_where_it_may_be_right() -> None:
    choice = Item("b", "story", "What was out?", options=("oil", "the lamp", "the stair"), correct=1)
    floors = score_floors(dataset(choice, replace(FREE, id="c", unanswerable=True)))
    assert round(floors["a random option"]["accuracy"], 1) == 33.3
    assert floors["always declining"]["abstention"] == 100 and "evidence_recall" not in floors["always declining"]


def test_without_texts_or_where_a_model_must_rate_there_is_none() -> None:
    assert score_floors(replace(dataset(FREE), texts=())) == {}
    assert score_floors(dataset(FREE, metrics=("lr_1",))) == {}
    empty = Text.of_documents("story", "Story", ["One.", "Two came."])
    assert score_floors(replace(dataset(FREE), texts=(empty,)))["the beginning"] == {"f1": 0.0}
