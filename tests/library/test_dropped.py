"""What is kept for speed shows nothing of before, after each act that changes what it was made of.

| kept | of what | known by |
|---|---|---|
| `nodes/search.py` `_rankers` | a memory's words | namespace, memory and its start, pages |
| `library/search/postings.py` `layouts`, `read` | the keyword index's rows | the file's last change |
| the keyword index itself | pages, headers, notes | memory and its start |
| the index of passages | all texts | the number in the catalogue, which knows rows by what they hold |
| `library/search/vector_index.py` `_open` and its file | the same, as vectors | memory and its start |
| `library/documents.py` `_read_groups` | places of a document | store, document, when it was added, places |
| `library/stored_items.py` `_last_seen` | that the last of many items was there | store, namespace, count |
| `nodes/memory.py` `_opened` | a memory, for one run | store, namespace, document, memory |

Each of them is tried here with each act. Others have tests of their own: `library/search/catalogue.py`
(`test_catalogue.py`); `state/settings/settings_file.py`, by the file's time and size (`cli/setup`);
`models/client.py` and `models/names.py`, by event loop, settings and environment (`models/test_many_loops.py`);
`library/file_store.py` `roomy_until`, a disk's room for a moment (`test_full_disk.py`). What `@cache`, `lru_cache` and
`cache_by_text` keep of other functions follows from their arguments and the code alone.
"""

import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from readgraph.api.finding import find_hits
from readgraph.graphs import read_agent
from readgraph.library.address import SEARCH
from readgraph.library.corrections import correct, restore
from readgraph.library.histories import SessionText, append_sessions, history
from readgraph.library.opening import Library, open_library
from readgraph.library.page_store import PageStore
from readgraph.library.search import passages
from readgraph.library.stored_items import BATCH
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.nodes.search import memory_tools, okapi_ranker
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document, Memory
from tests.doubles.model_server import ModelServer

CONTEXT = ReaderContext(min_page_words=15, max_page_words=25)
QUERY = "Where did the pelican sit, beside the lamp?"
LAMP = "The keeper lit the lamp at dusk. "
PELICAN = "A pelican sat on the stair. "


def session(text: str, number: int) -> SessionText:
    return SessionText(text, f"Day {number}", f"2025-03-0{number + 1}")


async def opened(library: Library, namespace: str = "") -> tuple[PageStore, Document, Memory]:
    """The history and its memory, which is made, or goes on, as far as that is needed."""
    pages = PageStore(library.store, namespace=namespace)
    document = await history(pages, "log")
    assert document
    context = replace(CONTEXT, namespace=namespace)
    found = await read_agent.build().compile(store=library.store).ainvoke({"document": document.id}, context=context)
    return pages, document, await pages.memory(document.id, found["memory"])


async def look(library: Library, namespace: str = "") -> dict[str, Any]:
    """What each of them gives, by its name."""
    pages, document, memory = await opened(library, namespace)
    embedding = replace(CONTEXT, namespace=namespace, embeddings="openai:double-embeddings")
    tools = await memory_tools(Runtime(context=embedding, store=library.store), document, memory)
    found: dict[str, Any] = {name: await tool.find(QUERY, 9) for name, tool in tools.items()}
    found["okapi"] = await okapi_ranker(pages, document, memory).find(QUERY, 9)
    asked: Any = {"document": document.id, "question": QUERY}
    graph = read_agent.build().compile(store=library.store)
    answered = await graph.ainvoke(asked, context=replace(CONTEXT, namespace=namespace))
    found["run"] = [answered[name] for name in ("answer", "pages_read", "citations")]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(passages, "LARGE", 1)
        found["passages"] = [hit.text for hit in await find_hits(pages, QUERY, [document], None, 9)]
    found["places"] = await pages.place_names(document, range(0, document.characters, 20))
    return {name: _rounded(value) for name, value in found.items()}


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    return [*map(_rounded, value)] if isinstance(value, (list, tuple)) else value


async def begin(pages: PageStore, text: str = LAMP) -> None:
    await append_sessions(pages, "log", [session(f"{text}{number} boats came. " * 3, number) for number in range(3)])


async def go_on(library: Library) -> None:
    grown = session(f"{LAMP}2 boats came. " * 3 + PELICAN, 2)
    await append_sessions(library.pages, "log", [grown], go_on=True)


async def append(library: Library) -> None:
    await append_sessions(library.pages, "log", [session(PELICAN, 3)])


async def correct_note(library: Library) -> None:
    pages, _, memory = await opened(library)
    await correct(pages, memory, 1, PELICAN)


async def restore_note(library: Library) -> None:
    pages, _, memory = await opened(library)
    await restore(pages, memory, 1)


async def make_again(library: Library) -> None:
    document = await history(library.pages, "log")
    assert document
    await forget_document(library, document)
    await begin(library.pages, PELICAN)


async def of_another(act: Callable[[Library], Awaitable[None]], library: Library, folder: Path) -> None:
    """The act, by what has opened the library a second time, as another process does."""
    async with open_library(folder) as other:
        await look(other)
        await act(other)
        await look(other)


ACTS = {"append": append, "go on": go_on, "correct": correct_note, "make again": make_again}


@pytest.mark.parametrize("by", ["this process", "another"])
@pytest.mark.parametrize("act", ACTS)
async def test_nothing_shows_what_was_before(server: ModelServer, tmp_path: Path, act: str, by: str) -> None:
    folder = tmp_path / "library"
    async with open_library(folder) as library:
        await begin(library.pages)
        before = await look(library)
        if by == "another":
            await of_another(ACTS[act], library, folder)
        else:
            await ACTS[act](library)
        after = await look(library)
        if act == "correct":
            await restore_note(library)
            assert await look(library) == before
            await correct_note(library)
    assert after != before
    shutil.rmtree(folder / SEARCH)
    async with open_library(folder) as fresh:
        assert after == await look(fresh)


async def test_nothing_shows_what_another_tenant_has(server: ModelServer, tmp_path: Path) -> None:
    async with open_library(tmp_path / "library") as library:
        await begin(library.pages)
        own = await look(library)
        await begin(PageStore(library.store, namespace="tenant"), PELICAN)
        others = await look(library, "tenant")
        assert all(others[name] != own[name] for name in own if name != "places")
        assert await look(library) == own


async def test_the_places_of_a_document_that_another_made_again_are_its_own(tmp_path: Path) -> None:
    many = [(number, f"p. {number}") for number in range(2 * BATCH + 1)]  # in three groups, of which one is read
    other_names = [(at, f"{name} b") for at, name in many]
    async with open_library(tmp_path / "library") as library, open_library(tmp_path / "library") as other:
        document = await library.pages.add_document(LAMP * 30, places=many)
        assert await library.pages.places(document) == many
        assert await library.pages.place_names(document, [7]) == ["p. 7"]
        await forget_document(other, document)
        again = await other.pages.add_document(LAMP * 30, places=other_names)
        assert await library.pages.places(again) == other_names
        assert await library.pages.place_names(again, [7]) == ["p. 7 b"]
