"""A user's note takes the place of a method's, outlives rebuilds and new versions, and can be taken back."""

from dataclasses import replace
from typing import Any

import pytest

from readgraph.graphs import correcting, gam, read_agent
from readgraph.library.corrections import correct, restore
from readgraph.library.opening import Library
from readgraph.library.search.indexes import index_key, indexes_of
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document, Memory, TreeNode
from readgraph.state.summary_tree import older_id
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import asked_for
from tests.doubles.walker import ASKED, PARAGRAPHS, TEXT, Walker, down, run, says

ON_SERVER_TOO = True

pytestmark = pytest.mark.quick

MINE = "A pelican sat on the stair."
WITHOUT_MODEL = ReaderContext(min_page_words=15, max_page_words=25)


async def memory_of(library: Library, document: Document) -> Memory:
    return (await library.pages.memories(document.id))[-1]


async def read(library: Library, document: Document, context: ReaderContext = WITHOUT_MODEL) -> Memory:
    graph = read_agent.build().compile(store=library.store)
    found = await graph.ainvoke({"document": document.id}, context=context)
    return await library.pages.memory(document.id, found["memory"])


async def texts(library: Library, memory: Memory) -> list[str]:
    return [note.text for note in await library.pages.notes(memory.id, range(memory.pages))]


async def test_a_walk_uses_the_correction_and_makes_only_what_is_above_it_again(
    server: ModelServer, library: Library
) -> None:
    document = await library.pages.add_document(TEXT, title="log")
    server.respond = Walker()
    await run(library, {"document": document.id})
    memory = await memory_of(library, document)
    nodes = {node.id: node.text for node in await library.pages.tree_nodes(memory.id, ["1.0", "1.1", "1.2", "2.0"])}
    done = await correct(library.pages, memory, 4, f"  {MINE}\n")
    assert (done.note.text, done.renewed, done.note.replaced is not None) == (MINE, ["2.0", "1.1"], True)

    calls = server.calls
    server.respond = walker = Walker(down(1), down(1), says("answer", "a ledger"))
    found = await run(library, {"document": document.id, "question": ASKED})
    assert (found["answer"], found["corrected_notes"]) == ("a ledger", [4])
    assert MINE in walker.decided[1].text and server.calls - calls <= len(walker.decided) + 2
    memory = await memory_of(library, document)
    again = {node.id: node.text for node in await library.pages.tree_nodes(memory.id, [*nodes])}
    assert MINE in again["1.1"] and memory.levels == (3, 1)
    assert {node for node in nodes if again[node] != nodes[node]} <= {"1.1", "2.0"}

    server.respond = Walker(down(0), down(0), says("answer", "a goat"))
    other = await run(library, {"document": document.id, "question": "What was found in year 0?"}, thread="2")
    assert (other["answer"], other["corrected_notes"]) == ("a goat", [])


async def test_a_correction_holds_in_every_memory_of_the_method(server: ModelServer, library: Library) -> None:
    document = await library.pages.add_document(TEXT, title="log")
    first = await read(library, document)
    own = await texts(library, first)
    await correct(library.pages, first, 1, MINE)
    assert await texts(library, first) == [own[0], MINE, *own[2:]]
    second = await read(library, document, replace(WITHOUT_MODEL, gist_words=12))
    assert second.id != first.id and (await texts(library, second))[1] == MINE
    await restore(library.pages, second, 1)
    assert (await texts(library, first), MINE in await texts(library, second)) == (own, False)
    with pytest.raises(BadInput, match="was not corrected: there is nothing to restore"):
        await restore(library.pages, first, 1)


async def test_a_new_version_keeps_the_corrections_of_unchanged_pages(library: Library) -> None:
    old = await library.pages.add_document(TEXT, title="log", source="log.txt")
    memory = await read(library, old)
    for number in (1, 7):
        await correct(library.pages, memory, number, MINE)
    changed = TEXT.replace(PARAGRAPHS[7], PARAGRAPHS[7].replace("anchor", "compass"))
    new = await library.pages.add_document(changed, title="log", source="log.txt")
    await read(library, new)
    await forget_document(library, old)
    assert await library.pages.search(("readgraph", "corrections", old.id), 9) == []
    rebuilt = await read(library, new, replace(WITHOUT_MODEL, gist_words=12))
    assert [number for number, text in enumerate(await texts(library, rebuilt)) if text == MINE] == [1]
    await restore(library.pages, rebuilt, 1)
    again = await read(library, new, replace(WITHOUT_MODEL, gist_words=14))
    assert MINE not in await texts(library, again)


async def test_a_corrected_memo_is_shown_and_found(server: ModelServer, library: Library) -> None:
    document = await library.pages.add_document(TEXT, title="log")
    graph: Any = gam.build().compile(store=library.store)
    context = ReaderContext(model="openai:double", memo_page_words=50)
    await graph.ainvoke({"document": document.id, "question": ASKED}, context=context)
    memory = await memory_of(library, document)
    await correct(library.pages, memory, 1, MINE)
    found = await graph.ainvoke({"document": document.id, "question": ASKED}, context=context)
    assert found["corrected_notes"] == [1]
    planned = [request for request in server.requests if asked_for(request).startswith("SearchPlan")]
    assert MINE in planned[-1].text
    (note,) = await library.pages.notes(memory.id, [1])
    assert note.header, "the header stays"
    index = (await indexes_of(library.store)).keyword
    assert [hit.page for hit in await index.search(index_key(memory), "pelican")] == [1]


@pytest.mark.parametrize(
    ("part", "text", "reason"),
    [
        (99, MINE, "has no part 99: its parts are 0 to"),
        (-1, MINE, "has no part -1"),
        (0, " \n", "is empty: write the note"),
        (0, "word " * 50, "has 50 words, its part only"),
    ],
)
async def test_what_can_not_be_corrected_is_refused(library: Library, part: int, text: str, reason: str) -> None:
    document = await library.pages.add_document(TEXT, title="log")
    memory = await read(library, document)
    own = await texts(library, memory)
    with pytest.raises(BadInput, match=reason):
        await correct(library.pages, memory, part, text)
    assert await texts(library, memory) == own


async def test_gists_of_gists_above_a_note_are_made_again(library: Library) -> None:
    document = await library.pages.add_document(TEXT, title="log")
    memory = await read(library, document)
    names = [older_id(8, 1, 0), older_id(8, 1, 1), older_id(8, 2, 0)]
    for name in names:
        await library.pages.put_tree_node(memory.id, TreeNode(name, "Old words.", 2, compressed=True))
    assert {*(await correct(library.pages, memory, 1, MINE)).renewed} == {names[0], names[2]}
    assert [node.id for node in await library.pages.tree_nodes(memory.id, names)] == [names[1]]


async def test_a_graph_corrects_and_restores(library: Library) -> None:
    document = await library.pages.add_document(TEXT, title="log")
    memory = await read(library, document)
    own = await texts(library, memory)
    graph: Any = correcting.build().compile(store=library.store)
    given = {"document": document.id, "part": 1, "method": "read-agent"}
    done = await graph.ainvoke({**given, "text": MINE})
    assert (done["note"], done["replaced"], (await texts(library, memory))[1]) == (MINE, own[1], MINE)
    assert [step["summary"] for step in done["steps"]][1:] == ["corrected the note of part 1"]
    assert (await graph.ainvoke(given))["note"] == own[1] and await texts(library, memory) == own
    for wrong in ({"part": "1"}, {"part": True}, {"text": 5}):
        with pytest.raises(BadInput, match="must be the n"):
            await graph.ainvoke({**given, "text": MINE, **wrong})
    with pytest.raises(BadInput, match="has no memory of gam: read it first"):
        await graph.ainvoke({**given, "method": "gam"})
