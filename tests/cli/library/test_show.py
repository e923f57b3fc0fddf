"""What the library keeps: show, forget, replies, settings."""

import asyncio
import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest
from pytest import MonkeyPatch

from readgraph.library.opening import open_library
from readgraph.library.stored_items import ROOT, number_key
from readgraph.state.records import Document, Note, Page, Recipe, utc_now
from tests.doubles.model_server import ModelServer
from tests.support.command import ASK, DOUBLE, STORY, Command, assert_refused, kinds, plain


def test_what_was_read_is_shown(readgraph: Command, server: ModelServer, story: str) -> None:
    assert "library is empty" in readgraph("show").text and readgraph("show", "--json").json == []
    made, kept = readgraph("read", STORY, *DOUBLE).text, readgraph("read", STORY, *DOUBLE, "--json").json
    assert kept["complete"] is True and kept["pages"] == kept["notes"] == kinds(server.requests).count("note")
    assert f"read as {kept['pages']} parts" in made and f"notes for {kept['notes']} parts: " in made
    listed, (record,) = readgraph("show").text, readgraph("show", "--json").json
    assert all(part in listed for part in (STORY.stem, record["id"], "openai:double", str(kept["pages"])))
    assert record["title"] == STORY.stem and record["memories"][0]["recipe"]["model"] == "openai:double"
    for named in (STORY.stem, STORY.stem.upper(), record["id"], record["id"][:6], STORY, os.path.relpath(STORY)):
        pages, printed = readgraph("show", named, "--json").json["pages"], readgraph("show", named).text
        assert "".join(story[page["start"] : page["end"]] for page in pages) == story
        assert len(pages) == kept["pages"] and all(plain(page["gist"]) in printed for page in pages)


def test_a_title_is_found_by_a_part_and_suggested_where_it_is_misspelt(readgraph: Command, tmp_path: Path) -> None:
    for name in ("the-old-lamp.txt", "the-new-lamp.txt", "harbour minutes.txt"):
        (tmp_path / name).write_text(f"This is the text of {name}. The gander was late.")
    readgraph("read", *tmp_path.glob("*.txt"), "--quiet")
    for part in ("minutes", "Harbour", "harbour-min"):
        assert "harbour minutes" in readgraph("show", part).text
        assert readgraph("ask", "Who was late?", part, "--json").json["title"] == "harbour minutes"
    readgraph("ask", "Who?", "harbour minutes", "the-old-lamp", "--quiet")
    assert readgraph("show", "minutes", "--json").json["title"] == "harbour minutes", "not the collection"
    assert_refused(readgraph("show", "lamp"), "'the-new-lamp', id ")
    assert_refused(readgraph("show", "inutes"), "Do you mean 'harbour minutes'?")
    assert_refused(readgraph("show", "the old lmap"), "Do you mean 'the-old-lamp'")
    assert_refused(readgraph("ask", "Who?", "harbor"), "Do you mean 'harbour minutes'?")
    assert "mean" not in readgraph("show", "zebra crossing").err
    assert_refused(readgraph("forget", "minutes", "--yes"), "Do you mean 'harbour minutes'?")


def test_a_title_of_several_documents_is_not_called_unknown_beside_a_file_with_such_a_name(
    readgraph: Command, tmp_path: Path, monkeypatch: MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for bells in ("nine", "ten"):
        Path("tower.txt").write_text(f"The tower has {bells} bells.")
        readgraph("read", "tower.txt", "--quiet")
    assert_refused(readgraph("ask", "How many bells has the tower?", "tower"), "'tower' matches several documents")


def test_show_finds_a_path_from_any_folder(readgraph: Command, monkeypatch: MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(STORY.parent)
    readgraph("read", STORY.name)
    monkeypatch.chdir(tmp_path)
    assert "part 0, " in readgraph("show", STORY).text


@pytest.mark.slow
def test_a_library_of_many_documents_is_listed_and_searched_whole(readgraph: Command, tmp_path: Path) -> None:
    many = 10_001

    async def fill() -> None:
        async with open_library(tmp_path / "library") as library:
            records = [Document(f"{number:016x}", f"book {number}", "", 1, 4, utc_now()) for number in range(many)]
            await library.pages.put([((ROOT, "documents"), each.id, asdict(each)) for each in records])
            memory = await library.pages.open_memory(records[0].id, Recipe("read_agent", {}, ""))
            await library.pages.add_page(memory, Page(0, 0, 4, 1, "rest"))
            await library.pages.put_note(memory.id, Note(0, "Lamp", 77))
            await library.pages.put([((ROOT, "text", records[0].id), number_key(0), {"text": "lamp"})])

    asyncio.run(fill())
    listed = readgraph("show").text
    assert "10,001 documents" in listed and "the newest 100 are shown" in listed
    assert listed.count("not read yet") == 100 and len(readgraph("show", "--json").json) == many
    assert "Lamp" in readgraph("show", "book 0").text


def test_a_model_that_fails_leaves_the_pages_in_view(readgraph: Command) -> None:
    readgraph("read", STORY)
    assert readgraph(*ASK, "--model", "nonsense:x").code == 2
    assert "part 0, " in readgraph("show", STORY).text


def test_a_document_is_forgotten(readgraph: Command) -> None:
    readgraph("read", str(STORY))
    assert_refused(readgraph("forget", STORY.stem), "give --yes")
    assert "Deleted" in readgraph("forget", str(STORY), "--yes").out
    assert "empty" in readgraph("show").out
    assert_refused(readgraph("forget", STORY.stem, "--yes"), "holds no document")


def test_earlier_versions_are_shown_as_such_and_a_renamed_file_has_its_new_name(
    readgraph: Command, tmp_path: Path
) -> None:
    file = tmp_path / "log.txt"
    for text in ("The goat stood there.", "The goat stood there in 1907."):
        file.write_text(text)
        readgraph("read", file)
    new, old = readgraph("show", "--json").json
    assert (old["replaced_by"], "replaced_by" in new) == (new["id"], False)
    assert f"an earlier version: {new['id']} stands in its place" in readgraph("show").text
    renamed = file.rename(tmp_path / "diary.txt")
    readgraph("read", renamed)
    new, old = readgraph("show", "--json").json
    assert (new["title"], new["source"]) == ("diary", str(renamed))


def test_what_is_forgotten_with_a_document_is_said_before(readgraph: Command, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "keeper.txt").write_text("The keeper Marian counted forty gulls.")
    (folder / "baker.txt").write_text("The baker Tobias sold ninety loaves.")
    for question in ("What did the baker Tobias sell?", "What did Marian count?"):
        readgraph("ask", question, folder, "--quiet")
    said = "together with others: 'baker, keeper' (2 documents, 2 questions, of which 1 about the others alone stays)"
    assert_refused(readgraph("forget", "keeper"), said)
    listed = readgraph("show").text
    assert "2 documents, " in listed and "2 documents read together" in listed and "not read yet" not in listed
    assert "2 documents, 1 reading" in readgraph("library", "check").out
    forgotten = readgraph("forget", "keeper", "--yes", "--json").json
    assert [(each["questions"], each["kept"]) for each in forgotten["joint"]] == [(2, 1)] and forgotten["kept"] == 1
    assert [each["title"] for each in readgraph("show", "--json").json] == ["baker"]


def test_a_profile_sets_the_sizes_that_were_not_given(readgraph: Command) -> None:
    readgraph("read", str(STORY), "--profile", "movie", "--max-page-words", "1200")
    (kept,) = json.loads(readgraph("show", "--json").out)
    parameters = kept["memories"][0]["recipe"]["parameters"]
    assert (parameters["min_page_words"], parameters["max_page_words"], parameters["gist_words"]) == (600, 1200, 96)
    assert_refused(readgraph("read", str(STORY), "--profile", "poem"), "choose one of quality")


def test_replies_move_to_another_library(readgraph: Command, server: ModelServer, tmp_path: Path) -> None:
    readgraph(*ASK, *DOUBLE)
    assert "Exported" in readgraph("replies", "export", tmp_path / "run.jsonl", "--document", STORY.stem).out
    assert_refused(readgraph("replies", "export", tmp_path / "run.jsonl"), "exists already")
    assert_refused(readgraph("replies", "export", "-"), "no file that can be written")
    assert_refused(readgraph("ask", "Who?", STORY, "--save", "-"), "no file that can be written")
    assert "Imported" in readgraph("replies", "import", tmp_path / "run.jsonl", "--library", tmp_path / "other").out
    calls = server.calls
    readgraph(*ASK, *DOUBLE, "--library", tmp_path / "other")
    assert server.calls == calls
    assert_refused(readgraph("replies", "import", STORY), "is not JSON")


def test_settings_are_read_from_their_file(readgraph: Command, server: ModelServer, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('model = "openai:double"\nmin_page_words = 400\nmax_page_words = 900\n')
    readgraph("read", STORY, "--max-page-words", "1000")
    (kept,) = json.loads(readgraph("show", "--json").out)
    recipe = kept["memories"][0]["recipe"]
    sizes = (recipe["parameters"]["min_page_words"], recipe["parameters"]["max_page_words"])
    assert (recipe["model"], sizes) == ("openai:double", (400, 1000))
    for text, reason in (
        ("colour = 1", "unknown setting 'colour'"),
        ("max_pages = -1", "'max_pages' can't be used"),
        ("model = ", "can't be read"),
        ('method = "none"', "choose one of"),
        ('price = "cheap"', "is not a price"),
    ):
        (tmp_path / "settings.toml").write_text(text)
        assert_refused(readgraph("read", STORY), reason)


def test_show_tells_how_much_is_done(readgraph: Command, server: ModelServer) -> None:
    readgraph("read", STORY, *DOUBLE, "--max-calls", 12)
    (record,) = readgraph("show", "--json").json
    (memory,) = record["memories"]
    assert 0 < memory["notes"] <= memory["pages"] and not memory["complete"]
    assert f"{memory['notes']} of about " in readgraph("show").text and "1 document, " in readgraph("show").text


def test_a_reading_that_was_stopped_at_once_is_of_unknown_length(readgraph: Command, server: ModelServer) -> None:
    readgraph("read", STORY, *DOUBLE, "--max-calls", 0)
    assert "nothing done yet" in readgraph("show").text
