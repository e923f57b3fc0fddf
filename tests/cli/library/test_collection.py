"""`collection`, and `ask` and `search` of a named collection."""

from pathlib import Path

import pytest

from readgraph import BadInput, Library
from tests.cli.reading.test_ask_library import TEXTS, picked
from tests.support.command import Command, assert_refused

pytestmark = pytest.mark.quick


@pytest.fixture(autouse=True)
def birds(readgraph: Command, tmp_path: Path) -> None:
    """A library of three documents, of which two are a collection."""
    texts = tmp_path / "texts"
    texts.mkdir()
    for name in ("goats", "ganders", "tides"):
        (texts / f"{name}.txt").write_text(TEXTS[name])
    readgraph("read", texts, "--quiet", "--method", "bm25")
    readgraph("collection", "add", "Wet things", "ganders", texts / "tides.txt")


def titles(readgraph: Command) -> dict[str, list[str]]:
    listed = readgraph("collection", "list", "--json").json
    return {each["name"]: [document["title"] for document in each["documents"]] for each in listed}


def test_documents_are_added_listed_and_removed(readgraph: Command) -> None:
    assert titles(readgraph) == {"Wet things": ["ganders", "tides"]}
    added = readgraph("collection", "add", "wet  THINGS", "tides", "goats", "--json").json
    assert added["name"] == "Wet things" and [each["title"] for each in added["documents"]][2:] == ["goats"]
    readgraph("collection", "add", "dry", "goats")
    assert list(titles(readgraph)) == ["dry", "Wet things"]
    printed = readgraph("collection", "list").text
    assert printed.index("dry") < printed.index("goats") < printed.index("Wet things") < printed.index("tides")
    taken = readgraph("collection", "remove", "wet things", "goats").text
    assert taken.strip() == "Took 'goats' out of 'Wet things', which holds 2 documents now."
    assert titles(readgraph)["Wet things"] == ["ganders", "tides"]
    removed = readgraph("collection", "remove", "wet things", "--json").json
    assert [each["title"] for each in removed["removed"]] == ["ganders", "tides"]
    assert list(titles(readgraph)) == ["dry"] and len(readgraph("show", "--json").json) == 3


def test_a_question_and_a_search_stay_in_the_collection(readgraph: Command) -> None:
    about = "Was the goat on the gallery?"
    asked = ("ask", about, "--collection", "wet things", "--method", "bm25")
    assert picked(readgraph(*asked, "--json").json) == ["ganders"]
    assert readgraph(*asked, "--estimate", "--json").json["words"] == len(TEXTS["ganders"].split())
    assert "goats" in picked(readgraph("ask", about, "--json").json)
    hits = readgraph("search", "goat", "--collection", "wet things", "--json").json
    assert {hit["title"] for hit in hits} == {"ganders"}
    assert {hit["title"] for hit in readgraph("search", "goat", "--json").json} == {"ganders", "goats"}
    assert_refused(readgraph("ask", "Zyxwv?", "--collection", "wet things"), "document of the collection 'Wet things'")


def test_what_is_forgotten_leaves_its_collections(readgraph: Command) -> None:
    readgraph("forget", "tides", "--yes")
    assert titles(readgraph) == {"Wet things": ["ganders"]}
    readgraph("forget", "ganders", "--yes")
    assert titles(readgraph) == {}
    assert "There are no collections" in readgraph("collection", "list").text


REFUSED = {
    "collection remove": "Missing argument",
    "collection add dry": "Missing argument",
    "collection remove wetthings": "'readgraph collection list' lists them. Do you mean 'Wet things'?",
    "collection add dry gosts": "Do you mean 'goats'?",
    "search goat --collection dry": "no collection 'dry'",
    "search goat goats --collection dry": "name no others",
    "ask What? --collection wet-thing": "Do you mean 'Wet things'?",
    "ask What? goats --collection dry": "or name no others",
    "ask What? goats --collection dry --estimate": "or name no others",
    "ask --continue What? --collection dry": "or name no others",
}


def test_what_can_not_be_is_reported(readgraph: Command) -> None:
    for line, reason in REFUSED.items():
        assert_refused(readgraph(*line.split()), reason)
    assert_refused(readgraph("collection", "remove", "wet things", "goats"), "'goats' is not in the collection")
    assert_refused(readgraph("collection", "add", " ", "goats"), "name is empty")
    readgraph("ask", "goat gander?", "goats", "ganders", "--quiet")
    (joined,) = {each["id"] for one in readgraph("show", "--json").json for each in one.get("read_together", ())}
    assert_refused(readgraph("collection", "add", "dry", joined), "name each of them")


async def test_collections_from_python(library: Library) -> None:
    lamp = await library.pages.add_document("The lamp was lit.", title="lamp")
    before = await library.collections.list_collections()
    made = await library.collections.add("lights", [lamp, lamp])
    assert (made.name, made.documents) == ("lights", (lamp,)) and await library.collections.list_collections() == [
        made,
        *before,
    ]
    assert await library.collections.remove("Lights") == made
    with pytest.raises(BadInput, match="no collection 'lights'"):
        await library.collections.get_collection("lights")
