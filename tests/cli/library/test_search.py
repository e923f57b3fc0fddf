"""`search`: passages of the stored documents by their words."""

from pathlib import Path

import pytest

from readgraph.language.excerpts import excerpt, marks
from tests.support.command import ASK, STORY, Command, assert_refused

pytestmark = pytest.mark.quick


def test_passages_are_found_with_their_places(readgraph: Command, story: str, tmp_path: Path) -> None:
    (tmp_path / "goats.md").write_text("# Milk\n\nA goat gives milk.\n\n# Hay\n\nIt wants hay.")
    readgraph("ask", "Why?", tmp_path / "goats.md", STORY, "--quiet")  # makes a collection, whose texts count once
    hits = readgraph("search", "goats on the gallery", "--json").json
    assert {hit["title"] for hit in hits} == {"goats", STORY.stem} and len(hits) <= 10
    assert len({(hit["document"], hit["start"]) for hit in hits}) == len(hits)
    (best, *_) = readgraph("search", "goats on the gallery", STORY, "--json").json
    assert best["place"] == "3. Exhibit Four" and best["page"] is None
    assert best["text"] == story[best["start"] : best["end"]]
    assert {story[start:end].lower() for start, end in best["marks"]} >= {"goat", "gallery"}
    printed = readgraph("search", "goats on the gallery", "sarn").text
    assert "**Goat** on **gallery**" in printed and STORY.stem in printed


def test_a_hit_names_the_page_that_holds_it(readgraph: Command, story: str) -> None:
    readgraph(*ASK, "--quiet")
    for hit in readgraph("search", "barometer lantern", "--json").json:
        (shown,) = readgraph("show", STORY, "--page", hit["page"], "--json").json["stretches"]
        assert shown["method"] == hit["method"] == "read-agent"
        assert shown["start"] <= hit["marks"][0][0] < shown["end"]


def test_each_document_is_searched_in_its_language(readgraph: Command, tmp_path: Path) -> None:
    texts = {
        "orgel": "Die Orgel schwieg zu Ostern, weil die Mäuse ihre Bälge gefressen hatten.",
        "пожар": "В городе не было ни одного пожарного, и мельница сгорела за ночь.",
        "goat": "The goat stood on the gallery, and nobody knew how it had come there.",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text)
        readgraph("read", tmp_path / f"{name}.txt", "--method", "bm25")
    for query, name, marked in (
        ("Orgeln", "orgel", "Orgel"),
        ("Пожарные", "пожар", "пожарного"),
        ("goats", "goat", "goat"),
    ):
        (hit,) = readgraph("search", query, "--json").json
        assert hit["title"] == name
        assert [texts[name][start:end] for start, end in hit["marks"]] == [marked]
    assert "пожарного" in readgraph("ask", "Кто такие пожарные?", "--quiet").text


def test_documents_of_one_title_are_told_apart_by_their_ids(readgraph: Command, tmp_path: Path) -> None:
    for bells in ("nine", "ten"):  # two versions of one file
        (tmp_path / "tower.txt").write_text(f"The tower has {bells} bells.")
        readgraph("read", tmp_path / "tower.txt", "--quiet")
    names = [f"tower ({each['id']})" for each in readgraph("show", "--json").json]
    searched, asked = readgraph("search", "bells").text, readgraph("ask", "How many bells has the tower?").text
    assert all(f"{name}, line 1" in searched and f"'{name}'" in asked for name in names)
    assert "tower, line 1" in readgraph("search", "nine").text


def test_nothing_is_found_in_plain_words(readgraph: Command) -> None:
    assert_refused(readgraph("search", "goat"), "The library is empty")
    readgraph("read", STORY, "--method", "bm25")
    assert "No passage shares a word" in readgraph("search", "zyxwv").text
    assert readgraph("search", "zyxwv", "--json").json == []
    assert_refused(readgraph("search", " ?"), "write a word")
    assert_refused(readgraph("search", "goat", "nothing like it"), "holds no document")


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("Goats climb; a goat's climbing.", "goat climbs", ["Goats", "climb", "goat", "climbing"]),
        ("The naïve café", "NAIVE cafe", ["naïve", "café"]),
        ("山羊在灯塔上。", "灯塔", ["灯塔"]),
        ("Of this and that", "zebra", []),
    ],
)
def test_the_words_of_the_query_are_marked(text: str, query: str, marked: list[str]) -> None:
    assert [text[start:end] for start, end in marks(text, query)] == marked


def test_an_excerpt_holds_most_of_the_words() -> None:
    text = "A goat. " + "Nothing at all. " * 60 + "The goat on the gallery of the lamp. " + "Nothing more. " * 60
    start, end = excerpt(text, marks(text, "goat gallery lamp"))
    assert "goat on the gallery of the lamp" in text[start:end] and end - start <= 280
    assert excerpt("A goat.", [(2, 6)]) == (0, 7)
