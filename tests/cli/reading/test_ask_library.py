"""`ask` without a file: retrieval picks the documents of the library, and the method reads them."""

from pathlib import Path

import pytest

from tests.doubles.model_server import ModelServer
from tests.support.command import DOUBLE, Command, assert_refused

pytestmark = pytest.mark.quick

TEXTS = {
    "goats": "The goat stood on the gallery of the lamp. The keeper slept below.",
    "ganders": "The gander was late for the goat. It came by the ferry, and the gander was wet.",
    "tides": "High water came at noon. Nobody wrote it down.",
    "hills": "\n\n".join(f"Hill {number} is {number} feet tall, and of stone. " * 12 for number in range(12)),
}


@pytest.fixture
def library(readgraph: Command, tmp_path: Path) -> None:
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(text)
        readgraph("read", tmp_path / f"{name}.txt", "--quiet")


def picked(found: object) -> list[str]:
    assert isinstance(found, dict)
    return [each["title"] for each in found["picked"]]


@pytest.mark.usefixtures("library")
def test_the_documents_are_picked_and_named(readgraph: Command) -> None:
    one = readgraph("ask", "When was high water?", "--json").json
    assert (picked(one), one["title"]) == (["tides"], "tides") and "noon" in one["answer"]
    both = readgraph("ask", "What of the goat on the gallery, and of the late gander?", "--documents", 2, "--json").json
    assert {*picked(both)} == {"goats", "ganders"} and picked(both) == [each["title"] for each in both["documents"]]
    assert {citation["place"].split(",")[0] for citation in both["citations"]} <= {"ganders", "goats"}
    alone = readgraph(
        "ask", "What of the goat on the gallery, and of the late gander?", "--documents", 1, "--json"
    ).json
    assert picked(alone) == picked(both)[:1]
    assert "picked from the library: 'tides'" in readgraph("ask", "When was high water?").text
    assert "picked" not in readgraph("ask", "When?", "tides", "--json").json


@pytest.mark.usefixtures("library")
def test_words_without_content_pick_no_text_in_another_language(readgraph: Command, tmp_path: Path) -> None:
    german = "Der Befehl heißt who is the, und der Schreiber heißt nicht anders als die Feder. " * 3
    (tmp_path / "befehl.txt").write_text(german, encoding="utf-8")
    readgraph("read", tmp_path / "befehl.txt", "--quiet")
    assert picked(readgraph("ask", "Who is the keeper?", "--json").json) == ["goats"]


@pytest.mark.usefixtures("library")
def test_a_follow_up_and_an_estimate_go_with_it(readgraph: Command, server: ModelServer) -> None:
    readgraph("ask", "When was high water?", "--quiet")
    assert readgraph("ask", "--continue", "Who wrote it down?", "--json").json["title"] == "tides"
    tides, words = (
        readgraph("ask", "When was high water?", "--estimate", *DOUBLE, "--json").json,
        TEXTS["tides"].split(),
    )
    assert tides["words"] == len(words) and server.calls == 0


def test_a_history_is_picked_alone(readgraph: Command, tmp_path: Path) -> None:
    (tmp_path / "day.txt").write_text("The gander was late. The gander was wet. The gander ate.")
    (tmp_path / "other.txt").write_text(f"A gander came by.\n\n{TEXTS['hills']}")
    readgraph("remember", "days", tmp_path / "day.txt", "--quiet")
    readgraph("read", tmp_path / "other.txt", "--quiet")
    found = readgraph("ask", "Was the gander wet, and did the gander eat?", "--json").json
    assert (picked(found), found["method"]) == (["days"], "gam")
    assert picked(readgraph("ask", "Which gander came by?", "--json").json) == ["other"], "or not at all"


def test_of_few_documents_all_are_taken_for_a_question_in_another_language(readgraph: Command, tmp_path: Path) -> None:
    (tmp_path / "goats.txt").write_text(TEXTS["goats"])
    readgraph("read", tmp_path / "goats.txt", "--quiet")
    readgraph("collection", "add", "farm", "goats")
    for scope in ((), ("--collection", "farm")):
        found = readgraph("ask", "Wer hat die Ziege auf den Turm gebracht?", "--json", *scope).json
        assert picked(found) == ["goats"]
        assert "The question is in German and the text in English" in found["notices"][0]


def test_what_can_not_be_picked_is_reported(readgraph: Command, tmp_path: Path) -> None:
    assert_refused(readgraph("ask", "Who?"), "name a file, since the library is empty")
    (tmp_path / "goats.txt").write_text(TEXTS["goats"])
    readgraph("read", tmp_path / "goats.txt", "--quiet")
    assert_refused(readgraph("ask", "Zyxwv?"), "shares a word with the question")
    for more in ((), ("--estimate",)):
        assert_refused(readgraph("ask", "Who?", "goats", "--documents", 2, *more), "leave it out, or name no file")
