"""A file's earlier versions are found by its name, without listing every document of a large library."""

from typing import Any

import pytest

from readgraph.library.documents import NOTED, SOURCES
from readgraph.library.opening import Library
from readgraph.library.page_store import PageStore
from readgraph.library.stored_items import EVERY
from readgraph.library.upkeep.forgetting import forget_document

ON_SERVER_TOO = True
"""Each library is a folder, and a database of a PostgreSQL server."""


async def titles(pages: PageStore, source: str) -> list[str]:
    """The titles of the other versions of the newest document from this source."""
    newest = await pages.add_document(f"The newest of {source}.", title="newest", source=source)
    return sorted(other.title for other in await pages.other_versions(newest))


@pytest.fixture
async def pages(library: Library) -> PageStore:
    """Two versions of a file, and another file."""
    for title, source in (("first", "/a.txt"), ("second", "/a.txt"), ("other", "/b.txt"), ("none", "")):
        await library.pages.add_document(f"The text of {title}.", title=title, source=source)
    return library.pages


async def test_versions_are_found_without_a_list_of_all(pages: PageStore, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await titles(pages, "/a.txt") == ["first", "second"], "the first time all are noted"

    async def listed(*_: object) -> Any:
        raise AssertionError("all documents were listed")

    monkeypatch.setattr(PageStore, "documents_and_damaged", listed)
    assert await titles(pages, "/a.txt") == ["first", "second"]
    assert await titles(pages, "/b.txt") == ["other"] and await titles(pages, "/c.txt") == []


async def test_a_library_that_was_made_before_is_noted_once(pages: PageStore) -> None:
    await pages.clear(SOURCES)
    assert await titles(pages, "/a.txt") == ["first", "second"]
    assert await titles(pages, "/b.txt") == ["other"]


async def test_a_forgotten_document_leaves_no_note(library: Library, pages: PageStore) -> None:
    assert await titles(pages, "/a.txt") == ["first", "second"]
    for document in await pages.documents():
        await forget_document(library, document)
    assert [item.key for item in await pages.search(SOURCES, EVERY)] == [NOTED]
