"""The summary tree: its shape, its segments, how it is grown, resumed, appended to and forgotten."""

import asyncio
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.runtime import Runtime

from readgraph.graphs import read_agent
from readgraph.graphs.mem_walker import build, recipe
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.opening import Library
from readgraph.library.stored_items import ROOT
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.nodes.building.build import read_pages
from readgraph.nodes.building.paging import segments
from readgraph.nodes.extractive.gists import extract_note
from readgraph.nodes.step import StepNode
from readgraph.state.context import PROFILES, ReaderContext
from readgraph.state.errors import BadInput, ModelUnavailable
from readgraph.state.records import Memory, Note, Page, Recipe, TreeNode
from readgraph.state.summary_tree import TreeShape, node_id
from readgraph.state.words import count_words
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.doubles.reader import reader

CONTEXT = ReaderContext(model="openai:double", segment_words=20, children=8, node_words=30, concurrency=32)
SMALL = replace(CONTEXT, children=3)
SENTENCE = "On day {n} the keeper of lamp {n} wrote that the wind stood in the north and that oil was low. "


def log(days: int) -> str:
    """A text of so many paragraphs of 20 words, each a segment of the tests' context."""
    return "\n\n".join(SENTENCE.format(n=day) for day in range(days))


async def grown(
    library: Library, text: str, context: ReaderContext = CONTEXT, source: str = ""
) -> tuple[Memory, dict[str, Any]]:
    document = await library.pages.add_document(text, source=source)
    given: Any = {"document": document.id}
    found = dict(await build().compile(store=library.store).ainvoke(given, context=context))
    return await library.pages.memory(document.id, found["memory"]), found


async def nodes_of(library: Library, memory: Memory) -> list[TreeNode]:
    counts = enumerate(memory.levels, 1)
    ids = [node_id(level, number) for level, count in counts for number in range(count)]
    return await library.pages.tree_nodes(memory.id, ids)


@given(st.integers(1, 3000), st.integers(2, 12))
def test_each_level_is_cut_into_groups_of_which_none_is_too_large_or_one_alone(pages: int, most: int) -> None:
    shape = TreeShape.over(pages, most)
    assert shape.counts[0] == pages and shape.counts[-1] == 1
    for level, (below, here) in enumerate(pairwise(shape.counts), 1):
        groups = [shape.group(level, number) for number in range(here)]
        assert [child for group in groups for child in group] == list(range(below))
        assert all(len(group) <= most for group in groups)
        assert most == 2 or all(len(group) > 1 for group in groups)
        for number, group in enumerate(groups):
            assert all(shape.parent(node_id(level - 1, child)) == node_id(level, number) for child in group)
    assert shape.pages(shape.root) == range(pages)
    for page in {0, pages // 2, pages - 1}:
        path = shape.path(node_id(0, page))
        assert len(path) == len(shape.counts) - 1 and (path or [node_id(0, page)])[0] == shape.root
        assert all(page in shape.pages(node) for node in path)


@given(st.integers(1, 2000), st.integers(3, 9))
def test_appending_a_page_moves_no_group_but_the_last_two_of_a_level(pages: int, most: int) -> None:
    before, after = TreeShape.over(pages, most), TreeShape.over(pages + 1, most)
    for level in range(1, len(before.counts)):
        kept = before.counts[level] - 2
        assert all(before.group(level, number) == after.group(level, number) for number in range(kept))


@pytest.mark.parametrize("node", ["3.0", "0.17", "1.3", "", "0", "0.-1", "leaf", "0.0.0"])
def test_a_node_that_does_not_exist_is_named(node: str) -> None:
    with pytest.raises(BadInput, match="The tree has no node"):
        TreeShape.over(17, 8).children(node)


def test_a_memory_without_a_whole_tree_is_one_group() -> None:
    memory = Memory("m", "d", Recipe("mem-walker", {"children": 3}, ""), "", pages=10, complete=True, levels=(4,))
    assert TreeShape.of(memory).children("1.0") == [node_id(0, page) for page in range(10)]
    whole = replace(memory, levels=(4, 2, 1))
    assert TreeShape.of(whole).root == "3.0"
    assert TreeShape.of(replace(memory, pages=1, levels=())).root == "0.0"


def test_a_memory_stored_before_there_were_trees_still_loads() -> None:
    stored = asdict(Memory("m", "d", Recipe("read-agent", {}, ""), "2026-01-01T00:00:00+00:00", pages=3, read_to=30))
    del stored["levels"]
    assert Memory.load(stored).levels == ()
    assert Memory.load({**stored, "levels": [2, 1]}).levels == (2, 1)


@pytest.mark.parametrize("words", [30, 100, 750])
async def test_segments_end_with_the_paragraph_nearest_to_their_size(story: str, words: int) -> None:
    runtime: Any = Runtime(context=ReaderContext(segment_words=words))
    pages = [page async for page in segments(story, None, runtime)]
    assert "".join(story[page.start : page.end] for page in pages) == story
    assert [page.number for page in pages] == list(range(len(pages)))
    assert all(0.75 * words - 1 <= page.words <= 1.25 * words + 1 for page in pages[:-1])
    assert all(page.words == count_words(story[page.start : page.end]) for page in pages)
    if words > 200:
        assert all(story[: page.end].endswith("\n") or page.end == len(story) for page in pages)
    later = [page async for page in segments(story, pages[2], runtime)]
    assert later == pages[3:]


def test_the_sizes_of_the_papers_experiments_are_profiles() -> None:
    sizes = {name: (PROFILES[name]["segment_words"], PROFILES[name]["children"]) for name in ("quality", "report")}
    assert sizes == {"quality": (750, 8), "report": (900, 8)}
    assert {"segment_words": 750, "children": 5}.items() <= PROFILES["screenplay"].items()
    assert PROFILES["quality"]["min_page_words"] == 280


async def test_a_tree_is_grown_level_by_level(server: ModelServer, library: Library) -> None:
    memory, found = await grown(library, log(25), SMALL)
    assert (memory.pages, memory.levels) == (25, (9, 3, 1))
    nodes = await nodes_of(library, memory)
    assert [node.id for node in nodes] == [*(f"1.{n}" for n in range(9)), "2.0", "2.1", "2.2", "3.0"]
    assert all(node.compressed and node.words == count_words(node.text) for node in nodes)
    assert found["usage"]["calls"] == server.calls == 25 + 9 + 3 + 1
    assert [step["node"] for step in found["steps"]] == ["open", "read", "grow", "enter"]
    again, found = await grown(library, log(25), SMALL)
    assert (again, found["usage"]["calls"]) == (memory, 0)


@pytest.mark.slow
async def test_a_level_is_grown_all_at_once(server: ModelServer, library: Library) -> None:
    await grown(library, log(36), replace(CONTEXT, children=36))
    server.reset()
    server.latency = 0.2
    await grown(library, log(36), replace(CONTEXT, children=3))
    assert server.calls == 12 + 4 + 2 + 1 and server.most_in_flight > 8


async def test_a_tree_over_another_methods_memory_is_refused(server: ModelServer, library: Library) -> None:
    document = await library.pages.add_document(log(3))
    given: Any = {"document": document.id}

    async def read(state: Any, runtime: Any) -> Any:
        return await read_agent.read.work(state, runtime)

    with pytest.raises(BadInput, match="its recipe needs 'children'"):  # nobody could tell when the graph was built
        await build(read=read).compile(store=library.store).ainvoke(given, context=CONTEXT)


async def test_short_notes_are_joined_without_a_call(server: ModelServer, library: Library) -> None:
    memory, _ = await grown(library, log(8), replace(CONTEXT, node_words=1000))
    (root,) = await nodes_of(library, memory)
    notes = await library.pages.notes(memory.id, range(8))
    assert (root.text, root.compressed) == ("\n\n".join(note.text for note in notes), False)
    assert server.calls == 8


@pytest.mark.parametrize("days", [1, 2, 9])
async def test_small_trees(server: ModelServer, library: Library, days: int) -> None:
    memory, _ = await grown(library, log(days))
    assert memory.levels == {1: (), 2: (1,), 9: (2, 1)}[days]
    assert TreeShape.of(memory).pages(TreeShape.of(memory).root) == range(days)


async def test_the_tree_of_a_history_that_grew_is_that_of_one_read_at_once(
    server: ModelServer, library: Library
) -> None:
    days = [SessionText(SENTENCE.format(n=day)) for day in range(20)]
    compiled = build().compile(store=library.store)

    async def read(name: str, sessions: int) -> Memory:
        document = (await append_sessions(library.pages, name, days[:sessions])).document
        given: Any = {"document": document.id}
        found = await compiled.ainvoke(given, context=SMALL)
        return await library.pages.memory(document.id, found["memory"])

    for sessions in (4, 9, 20):
        memory = await read("bit by bit", sessions)
        assert TreeShape.of(memory) == TreeShape.over(memory.pages, 3)
    assert memory.pages == 20
    calls = server.calls
    at_once = await read("at once", 20)
    assert await nodes_of(library, memory) == await nodes_of(library, at_once)
    assert server.calls == calls, "the replies to the same prompts are known"


@pytest.mark.slow
async def test_a_segment_added_to_a_thousand_costs_the_right_edge_of_the_tree(
    server: ModelServer, library: Library, record_property: Any
) -> None:
    noted = []

    async def note(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
        noted.append(page.number)
        return await extract_note(text, page, runtime)

    async def read(days: int) -> Memory:
        """Count the leaves' notes, which are not asked for here: a thousand calls would take their time."""
        document = await library.pages.add_document(log(days), source="/log.txt")
        graph = build(read=StepNode(read_pages(segments, note, recipe), builds=True)).compile(store=library.store)
        given: Any = {"document": document.id}
        found = await graph.ainvoke(given, context=CONTEXT)
        return await library.pages.memory(document.id, found["memory"])

    memory = await read(1000)
    before, paid = await nodes_of(library, memory), server.calls
    assert (memory.levels, len(noted), paid) == ((125, 16, 2, 1), 1000, 144)
    noted.clear()
    after = await read(1001)
    record_property("calls", len(noted) + server.calls - paid)
    assert (after.pages, after.levels, noted) == (1001, (126, 16, 2, 1), [999, 1000])
    assert server.calls - paid <= 8, "at most two nodes on each of four levels"
    kept = {node.id: node for node in before}
    assert sum(kept.get(node.id) != node for node in await nodes_of(library, after)) <= 8


async def test_a_build_that_failed_goes_on_and_pays_nothing_twice(server: ModelServer, library: Library) -> None:
    for broken in (15, 35):
        server.fault_for = lambda request, call, after=broken: Fault.server_error() if call > after else None
        with pytest.raises(ModelUnavailable):
            await grown(library, log(25), SMALL)
        server.calls = len(server.answered)
    server.fault_for = None
    memory, _ = await grown(library, log(25), SMALL)
    assert memory.levels == (9, 3, 1)
    assert len(server.answered) == len({*server.answered}) == 38


async def test_a_budget_leaves_the_tree_to_be_grown_later(server: ModelServer, library: Library) -> None:
    memory, found = await grown(library, log(25), replace(SMALL, max_calls=28))
    assert (memory.complete, memory.levels, found["status"], server.calls) == (True, (), "budget", 28)
    memory, found = await grown(library, log(25), SMALL)
    assert (memory.levels, found["status"], server.calls) == ((9, 3, 1), "reading", 38)
    nodes = await nodes_of(library, memory)
    assert all(node.text.startswith("In short: ") for node in nodes), "no node was made without the model"


async def test_readings_at_the_same_time_grow_one_tree(server: ModelServer, library: Library) -> None:
    server.latency = 0.002
    both = await asyncio.gather(*(grown(library, log(30)) for _ in range(2)))
    assert both[0][0] == both[1][0]
    assert len(server.requests) == len({request.key for request in server.requests}) == 30 + 4 + 1


@pytest.mark.parametrize("said", ["", "word " * 500])
async def test_what_is_no_compressed_text_falls_back_to_extracts(
    server: ModelServer, library: Library, said: str
) -> None:
    def respond(request: ChatRequest) -> str | dict[str, Any]:
        return said if "Shorten each of the" in request.text else reader(request)

    server.respond = respond
    memory, found = await grown(library, log(9))
    nodes = await nodes_of(library, memory)
    assert found["fallbacks"] == {"compress": 3}
    assert all(node.fallback and 0 < node.words <= CONTEXT.node_words for node in nodes)


async def test_without_a_model_the_tree_is_made_of_extracts(library: Library, story: str) -> None:
    context = ReaderContext(model="", segment_words=200, children=4, node_words=120)
    memory, found = await grown(library, story, context)
    nodes = await nodes_of(library, memory)
    assert memory.levels[-1] == 1 and found["usage"]["calls"] == 0
    assert all(0 < node.words <= 120 for node in nodes)
    words = set(story.split())
    assert all({*node.text.split()} <= words for node in nodes)


async def test_a_forgotten_document_leaves_no_tree(server: ModelServer, library: Library) -> None:
    memory, _ = await grown(library, log(20))
    assert await nodes_of(library, memory)
    await forget_document(library, await library.pages.document(memory.document))
    assert await nodes_of(library, memory) == []
    assert await library.store.asearch((ROOT, "tree"), limit=10) == []


async def test_growing_tells_its_progress(server: ModelServer, library: Library) -> None:
    document = await library.pages.add_document(log(25))
    given: Any = {"document": document.id}
    compiled = build().compile(store=library.store)
    told = [event["progress"] async for event in compiled.astream(given, context=SMALL, stream_mode="custom")]
    growing = [event for event in told if event["node"] == "grow" and "of" in event]
    assert [event["done"] for event in growing] == list(range(1, 14))
    assert growing[-1]["of"] == 13 and growing[-1]["notes"] == 38
