"""What is said with quotes that answer a question without a model."""

from pathlib import Path

import pytest

from readgraph.language.hints import EVERY_PART, WHOLE_TEXT, find_hints
from tests.support.command import Command

QUOTE = "The lamp of the house was broken by Tom. He paid three shillings. His name was known to all."


@pytest.mark.parametrize(
    "question",
    [
        "What is the plot?",
        "Summarise the story.",
        "What is this book about?",
        "Worum geht es?",
        "Fasse den Text zusammen.",
        "De quoi parle ce livre ?",
        "¿De qué trata el libro?",
        "Di cosa parla il libro?",
        "Waar gaat het boek over?",
        "О чём эта книга?",
    ],
)
def test_who_asks_for_all_of_the_text_is_led_to_a_summary(question: str) -> None:
    assert find_hints(question, [QUOTE], ["en"]) == [WHOLE_TEXT]


@pytest.mark.parametrize(
    "question", ["List all persons.", "Name every ship.", "How many dogs bark?", "Nenne alle Namen."]
)
def test_who_asks_for_something_of_every_part_is_led_to_a_table(question: str) -> None:
    assert find_hints(question, ["The dogs bark."], ["en"]) == [EVERY_PART]


@pytest.mark.parametrize(
    "question",
    [
        "Who broke the lamp?",
        "How many shillings did Tom pay?",
        "What was the quarrel about that Tom had over the lamp?",
        "What did the list on the wall of the house say of Tom?",
        "Was Tom known?",
        "How old was the lamp?",
    ],
)
def test_an_ordinary_question_gets_none(question: str) -> None:
    assert find_hints(question, [QUOTE], ["en"]) == []


def test_a_match_of_a_single_word_is_named() -> None:
    assert find_hints("What is the name of the king of France?", [QUOTE], ["en"]) == [
        "Only 'name' is shared with the question."
    ]


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wer hat die Lampe in dem Haus zerbrochen?", "German"),
        ("Qui a cassé la lampe de la maison ?", "French"),
        ("¿Quién rompió la lámpara de la casa?", "Spanish"),
        ("Кто разбил лампу в этом доме?", "Russian"),
        ("Wie viele Lampen waren in dem Haus?", "German"),
    ],
)
def test_another_language_is_named(question: str, language: str) -> None:
    (hint,) = find_hints(question, [QUOTE], ["en"])
    assert hint.startswith(f"The question is in {language} and the text in English")
    assert not any(
        "The question is in" in each for each in find_hints(question, [QUOTE], ["en", "de", "fr", "es", "ru"])
    )


def test_a_language_that_the_quotes_are_in_is_not_called_another() -> None:
    quote = "Le gardien Yann Le Goff a quitté le phare le 12 septembre 1978 après vingt-trois ans de service."
    assert find_hints("Quand le gardien Yann a-t-il quitté le phare ?", [quote], ["ru"]) == []


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Hvad hed koen, der blev født om bord?", "da"),
        ("Hvem var kaptajn på færgen?", "da"),
        ("Kdo byl kapitán na lodi a kde se to stalo?", "cs"),
    ],
)
def test_a_question_in_the_language_of_the_text_is_not_taken_for_one_near_to_it(question: str, language: str) -> None:
    assert not any("The question is in" in each for each in find_hints(question, ["Rosa"], [language]))
    (hint,) = find_hints("Wer war der Kapitän und wie hieß die Kuh?", ["Rosa"], [language])
    assert hint.startswith("The question is in German and the text in ")


def test_names_of_one_title_are_told_apart(readgraph: Command, tmp_path: Path) -> None:
    for name, text in {"old": "The lamp of the tower was lit by Ann at six.", "new": QUOTE}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "notes.txt").write_text(text, encoding="utf-8")
    files = (tmp_path / "old" / "notes.txt", tmp_path / "new" / "notes.txt")
    told = readgraph("ask", "Who had broken the lamp of the house?", *files, "-q")
    assert "notes (new), line 1" in told.out
    weak = readgraph("ask", "What is the name of the king of France?", *files, "--json").json
    assert weak["notices"] == ["Only 'name' is shared with the question."]
