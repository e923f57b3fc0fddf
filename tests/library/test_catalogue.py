"""Libraries with very many documents: what the catalogue and the index of texts find is what a list would find."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from readgraph.api.documents import WHOLE_LIBRARY, document_named, pick_documents
from readgraph.api.finding import find_hits
from readgraph.library.address import library_place, list_records
from readgraph.library.opening import Library, open_library
from readgraph.library.search import catalogue, passages
from readgraph.library.search.catalogue import catalogue_of, count_documents
from readgraph.library.search.passages import likely_passages
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.state.errors import ReadgraphError
from readgraph.state.records import Document
from tests.support.command import Command
from tests.support.damaging import PAGE
from tests.support.tables import asked_at

ON_SERVER_TOO = True
TITLES = ["The Lamp", "the lamp", "Lamp oil, 1912", "Goats of the island", "Ärger im Hafen", "", "The Ledger"]
TEXTS = [
    "The lamp burns at night over the harbour.",
    "A lamp was bought. The oil for the lamp came in March.",
    "Oil is dear this year, says the ledger of the keeper.",
    "A goat stood on the gallery. The keeper looked at the goat.",
    "Der Hafen war voller Schiffe, und die Ziege stand am Kai.",
    "The wind turned, and the fog came in over the quay.",
    "Mackerel were sold on the quay in the fog.",
]


@contextmanager
def many(documents: int) -> Iterator[None]:
    """In this block so many documents are very many."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(catalogue, "MANY", documents)
        yield


@pytest.fixture
async def documents(library: Library) -> list[Document]:
    return [
        await library.pages.add_document(text, title=title, source=f"/papers/{number}.txt")
        for number, (title, text) in enumerate(zip(TITLES, TEXTS, strict=True))
    ]


async def said(library: Library, name: str) -> str:
    try:
        return (await document_named(library.pages, name)).id
    except ReadgraphError as problem:
        return str(problem)


NAMES = "The ledger|lamp|the lamp|goats of|ärger|/papers/3.txt|papers/3.txt|3.txt|Lamb oil|xylophone| |of the".split(
    "|"
)


@pytest.mark.parametrize("name", [*NAMES, "id", "id start"])
async def test_a_name_means_the_same(library: Library, documents: list[Document], name: str) -> None:
    name = {"id": documents[2].id, "id start": documents[2].id[:9]}.get(name, name)
    listed = await said(library, name)
    with many(1):
        assert await said(library, name) == listed
    assert not name.endswith("3.txt") or listed == documents[3].id


@pytest.mark.parametrize(
    "query", ["lamp", "the goat and the keeper", "Hafen", "fog quay", "oil ledger lamp", "xylophones"]
)
async def test_a_search_finds_the_same_passages(library: Library, documents: list[Document], query: str) -> None:
    listed = await find_hits(library.pages, query, [], None, 10)
    with many(1):
        hits = await find_hits(library.pages, query, [], None, 10)
        assert {hit.document for hit in hits} == {hit.document for hit in listed}
        assert not hits or (await pick_documents(library.pages, query, WHOLE_LIBRARY))[0].id == hits[0].document


@contextmanager
def large(words: int) -> Iterator[None]:
    """In this block texts of so many words are ranked by the index."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(passages, "LARGE", words)
        yield


@pytest.mark.parametrize("query", ["lamp", "the goat and the keeper", "Hafen", "fog quay", "xylophones"])
async def test_few_documents_of_many_words_are_searched_as_others(
    library: Library, documents: list[Document], query: str
) -> None:
    async def search(*named: Document, collection: str | None = None) -> set[tuple[str, int, str]]:
        hits = await find_hits(library.pages, query, named, collection, 10)
        return {(hit.document, hit.start, hit.text) for hit in hits}

    await library.collections.add("some", documents[:4])
    listed = [await search(), await search(*documents[2:5]), await search(collection="some")]
    with large(1):
        assert [await search(), await search(*documents[2:5]), await search(collection="some")] == listed


async def test_an_index_with_more_or_fewer_passages_is_mended(library: Library, documents: list[Document]) -> None:
    with large(1):
        before = await find_hits(library.pages, "lamp goat", documents, None, 9)
        assert len(before) == 3
        for changed in ("indexed = 9 WHERE number = 1", "indexed = 0 WHERE number = 2", "indexed = indexed + 1"):
            found = await catalogue_of(library.pages, 0)
            assert found
            with closing(sqlite3.connect(found.file, isolation_level=None)) as connection:
                connection.execute(f"UPDATE documents SET {changed}")
            assert await find_hits(library.pages, "lamp goat", documents, None, 9) == before


async def test_it_is_told_how_many_words_the_index_lacks(
    library: Library, documents: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    told, total = list[str](), sum(document.words for document in documents)
    monkeypatch.setattr(passages, "WORDS_AT_ONCE", 1)
    monkeypatch.setattr(passages, "tell_pause", told.append)
    with large(1):
        for _ in "first", "again":
            await find_hits(library.pages, "lamp", documents, None, 9)
    assert told[:2] == [f"{read} of {total} new words are in it" for read in (0, documents[0].words)]
    assert len(told) == len(documents)


async def test_rare_words_weigh_more_by_the_whole_library(library: Library) -> None:
    for number in range(30):
        await library.pages.add_document(f"Entry {number}. The keeper wrote of the lamp, the lamp, the lamp.")
    rare = await library.pages.add_document("The keeper wrote of a mackerel and of one lamp.")
    with many(1):
        assert (await find_hits(library.pages, "mackerel lamp", [], None, 3))[0].document == rare.id


async def test_what_is_new_changed_or_gone_is_seen(library: Library, documents: list[Document]) -> None:
    with many(1):
        assert await count_documents(library.pages) == len(TEXTS)
        added = await library.pages.add_document("A bell rang under the stair.", title="Bells")
        assert (await document_named(library.pages, "bells")).id == added.id
        assert [hit.document for hit in await find_hits(library.pages, "bell", [], None, 3)] == [added.id]
        await forget_document(library, added)
        assert await count_documents(library.pages) == len(TEXTS)
        assert not await find_hits(library.pages, "bell", [], None, 3)
        await forget_document(library, documents[-1])  # the last row: the next one may get its number
        again = await library.pages.add_document("Snow lay on the roof.", title="Snow")
        assert (await document_named(library.pages, "snow")).id == again.id
        assert "ledger" in await said(library, "the ledger")


async def test_rows_that_were_numbered_anew_are_compared(
    library: Library, where: str, documents: list[Document]
) -> None:
    with many(1):
        await count_documents(library.pages)
        key = documents[0].id
        delete = f"DELETE FROM store WHERE prefix = 'readgraph.documents' AND key = '{key}'"
        if where.startswith("postgresql:"):
            asked_at(where, delete)
            asked_at(where, "VACUUM FULL store")
        else:
            with closing(sqlite3.connect(library.folder / "library.sqlite", isolation_level=None)) as store:
                store.execute(delete)
                store.execute("VACUUM")
        assert await count_documents(library.pages) == len(TEXTS) - 1
        assert key not in {each.id for each in (await likely_passages(library.pages, "lamp") or ([],))[0]}


async def test_what_was_forgotten_is_in_no_file(library: Library, documents: list[Document]) -> None:
    secret = await library.pages.add_document("The combination is xyzzyplugh.", title="Secretly")
    with many(1):
        assert await find_hits(library.pages, "xyzzyplugh", [], None, 3)
        await forget_document(library, secret)
    files = sorted((library.folder / "search").rglob("*.sqlite"))
    assert {file.name for file in files} >= {"documents.sqlite", "texts.sqlite"}
    for file in files:
        with closing(sqlite3.connect(file)) as index:
            assert not [line for line in index.iterdump() if "secretly" in line.lower() or secret.id in line], file


@pytest.mark.parametrize("name", ["documents.sqlite", "texts.sqlite"])
async def test_a_damaged_file_is_made_again(tmp_path: Path, name: str) -> None:
    async def search() -> list[str]:
        async with open_library(tmp_path / "library") as library:
            await library.pages.add_document(TEXTS[0])
            return [hit.document for hit in await find_hits(library.pages, "lamp", [], None, 3)]

    with many(1):
        listed = await search()
        assert listed
        (tmp_path / "library" / "search" / name).write_bytes(b"x" * 9000)
        assert await search() == listed


async def test_a_catalogue_that_is_damaged_anywhere_holds_up_no_forgetting(tmp_path: Path) -> None:
    pages = 5
    with many(1):
        for page in range(pages):
            async with open_library(tmp_path / f"{page}") as library:
                kept, gone = [await library.pages.add_document(text) for text in TEXTS[:2]]
                assert await find_hits(library.pages, "lamp", [], None, 3)
                file = tmp_path / f"{page}" / "search" / "documents.sqlite"
                with closing(sqlite3.connect(file)) as connection:
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                data = file.read_bytes()
                assert len(data) > pages * PAGE
                file.write_bytes(data[: page * PAGE] + b"\xff" * PAGE + data[(page + 1) * PAGE :])
                await forget_document(library, gone)
                assert {hit.document for hit in await find_hits(library.pages, "lamp", [], None, 3)} == {kept.id}


async def test_a_namespace_has_its_own(library: Library, where: str, documents: list[Document]) -> None:
    async with open_library(where, namespace="ada") as own:
        mine = await own.pages.add_document("My lamp is green.", title="Green lamp")
        with many(1):
            assert [hit.document for hit in await find_hits(own.pages, "lamp", [], None, 9)] == [mine.id]
            assert len(await find_hits(library.pages, "lamp", [], None, 9)) == 2
            assert await count_documents(own.pages) == 1
            assert (await catalogue_of(own.pages)) != (await catalogue_of(library.pages))


def test_the_newest_are_shown(readgraph: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"The lamp {number}.")
        readgraph("read", tmp_path / f"{number}.txt", "--quiet")
    monkeypatch.setattr("readgraph.cli.run.show.MOST_SHOWN", 2)
    all_shown: Any = readgraph("show", "--json").json
    with many(1):
        shown = readgraph("show").text
        assert readgraph("show", "--json").json == all_shown and len(all_shown) == 3
    assert "3 documents" in shown and "the newest 2 are shown, --json lists all" in shown
    assert [each["id"] in shown for each in all_shown] == [True, True, False]


@pytest.mark.parametrize(("typed", "titles"), [("", 7), ("the_l", 3), ("LAMP_oil_1", 1), ("ärger", 1), ("x", 0)])
async def test_what_was_typed_is_looked_for_among_all(
    library: Library, where: str, documents: list[Document], typed: str, titles: int
) -> None:
    if where.startswith("postgresql:"):
        assert not [*list_records("documents", library_place(where), typed)], "who completes waits for no network"
        return
    assert len([*list_records("documents", library.folder, typed)]) == titles
    (found,) = list_records("documents", library.folder, documents[3].id[:10])
    assert found["title"] == TITLES[3]
