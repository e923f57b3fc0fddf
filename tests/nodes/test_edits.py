"""A file that was changed and is read again pays only for what changed."""

from typing import Any

import pytest

from readgraph.graphs.read_agent import build
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from readgraph.state.records import Note, Page
from tests.doubles.model_server import ModelServer

CONTEXT = ReaderContext(model="openai:double")
PARAGRAPHS = [f"On day {n} the keeper of lamp {n} wrote in the log. " * 8 for n in range(330)]
CHANGES: dict[str, tuple[int, int, list[str]]] = {
    "edited": (165, 166, ["On that day nobody wrote anything, and the lamp was out until the morning. " * 4]),
    "edited at the start": (0, 1, ["The log of the lamp. " * 12]),
    "edited at the end": (329, 330, ["Here the log ends. " * 12]),
    "inserted": (90, 90, ["A leaf was found between these pages. " * 10]),
    "deleted": (210, 212, []),
    "appended": (330, 330, ["On the day after, the lamp was sold. " * 10]),
}


async def read(library: Library, text: str, source: str = "/log.txt") -> tuple[str, dict[str, Any]]:
    document = await library.pages.add_document(text, title="log", source=source)
    compiled = build().compile(store=library.store)
    given: Any = {"document": document.id}
    return document.id, dict(await compiled.ainvoke(given, context=CONTEXT))


async def kept(library: Library, found: dict[str, Any]) -> tuple[list[Page], list[Note]]:
    memory = await library.pages.memory(found["document"], found["memory"])
    assert memory.complete
    numbers = range(memory.pages)
    return await library.pages.pages(memory.id, numbers), await library.pages.notes(memory.id, numbers)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "edited" else [pytest.mark.slow]) for name in CHANGES]
)
async def test_a_changed_paragraph_costs_at_most_six_calls(
    server: ModelServer, library: Library, name: str, record_property: Any
) -> None:
    first, last, instead = CHANGES[name]
    changed = [*PARAGRAPHS[:first], *instead, *PARAGRAPHS[last:]]
    before, found = await read(library, "\n\n".join(PARAGRAPHS))
    old, _ = await kept(library, found)
    assert len(old) >= 60
    calls = server.calls

    after, found = await read(library, "\n\n".join(changed))
    pages, notes = await kept(library, found)
    paid = server.calls - calls
    record_property("calls", paid)
    assert 0 < paid <= 6
    text = "\n\n".join(changed)
    assert [page.start for page in pages] == [0, *(page.end for page in pages[:-1])]
    assert pages[-1].end == len(text)
    for page, note in zip(pages, notes, strict=True):
        gist = " ".join(text[page.start : page.end].split()[:25])
        assert (note.page, note.text) == (page.number, f"In short: {gist}")
    assert before != after
    assert (await library.pages.document(before)).id == before, "the old version is kept"


async def test_another_file_of_like_text_is_read_by_itself(server: ModelServer, library: Library) -> None:
    text = "\n\n".join(PARAGRAPHS[:40])
    await read(library, text)
    calls = server.calls
    await read(library, text.replace("keeper", "baker"), source="/other.txt")
    assert server.calls > 1.8 * calls
