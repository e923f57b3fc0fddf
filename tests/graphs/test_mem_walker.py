"""MemWalker as a graph: down, back up, several leaves, several walks, ends, figures."""

from dataclasses import replace
from typing import Any

import pytest

from readgraph.graphs.mem_walker import build, graph
from readgraph.library.opening import Library
from readgraph.state.records import Document
from readgraph.state.words import count_words
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import asked_for, between
from tests.doubles.walker import ASKED, CONTEXT, PARAGRAPHS, REVERT, TEXT, Walker, ask, down, moves, run, says

pytestmark = pytest.mark.filterwarnings("ignore:The graph has no store")


@pytest.fixture
async def document(library: Library) -> Document:
    return await library.pages.add_document(TEXT, title="log")


async def test_a_wrong_leaf_a_revert_a_second_child_and_an_answer(server: ModelServer, library: Library) -> None:
    """The walk of the paper's table 6: the first choice only looks right, the second holds the answer."""
    scenes = [
        "Marlow and Reed drive to the college. Reed says that Marlow will speak as a guest in the class he takes.",
        "Marlow thinks of his own days as a student, and wants to throw a disc with somebody on the lawn there.",
        "Marlow stands before the students of the class and explains with sweets how to begin a business.",
        "Back at the office a bat has come in through the roof, and all the clerks hide beneath their wide desks.",
        "Pia shows her paintings in the town. Hardly anybody comes to see them, until Marlow does, late that evening.",
    ]
    document = await library.pages.add_document("\n\n".join(scenes))
    server.respond = walker = Walker(
        down(2, "part 2 tells of the talk to the class"),
        {**REVERT, "reasoning": "it doesn't say who asked him"},
        down(0, "part 0 tells how they go there"),
        says("answer", "Reed", "Reed says that Marlow will speak as a guest"),
    )
    given = {"document": document.id, "question": "Who asked Marlow to speak in the class?"}
    found = await run(library, given, replace(CONTEXT, children=5))

    steps = ["open", "read", "grow", "enter", "descend", "read_leaf", "descend", "read_leaf", "answer", "cite"]
    assert [step["node"] for step in found["steps"]] == steps
    assert moves(found) == [
        ("1.0", "child", "0.2"),
        ("0.2", "revert", "1.0"),
        ("1.0", "child", "0.0"),
        ("0.0", "answer", None),
    ]
    assert [hop["reasoning"] for hop in found["hops"][:2]] == [
        "part 2 tells of the talk to the class",
        "it doesn't say who asked him",
    ]
    assert (found["status"], found["answer"], found["pages_read"]) == ("answered", "Reed", [2, 0])
    (citation,) = found["citations"]
    assert (citation["page"], citation["quote"]) == (0, "Reed says that Marlow will speak as a guest")
    read = [request.text.partition("<passage>\n")[2].partition("\n</passage>")[0] for request in walker.decided]
    assert read == ["", scenes[2], "", scenes[0]]
    assert "You have been to these already, so they can't be chosen: 2." in walker.decided[2].last
    assert all(hop["valid"] for hop in found["hops"])


async def test_at_the_root_there_is_no_going_back_up(server: ModelServer, library: Library, document: Document) -> None:
    server.respond = walker = Walker(down(1), down(None), down(0), down(2), says("answer", "a goat"))
    found = await ask(library, document)
    assert moves(found)[:3] == [("2.0", "child", "1.1"), ("1.1", "revert", "2.0"), ("2.0", "child", "1.0")]
    kinds = [asked_for(request) for request in walker.decided]
    assert kinds[:3] == ["ReasonedChildChoice", "ReasonedChildOrRevert", "ReasonedChildChoice"]
    assert ["null to go back" in request.text for request in walker.decided[:3]] == [False, True, False]


async def test_nodes_with_no_child_left_revert_by_themselves_and_the_root_ends_the_walk(
    server: ModelServer, library: Library, document: Document
) -> None:
    one_part = [down(0), REVERT, down(1), REVERT, down(2), REVERT]
    server.respond = walker = Walker(down(0), *one_part, down(1), *one_part, *one_part)
    found = await ask(library, document)
    assert (found["status"], found["answer"], found["findings"]) == ("no_answer", None, [])
    assert found["pages_read"] == list(range(9)) and found["percent_read"] == 100.0
    exhausted = [hop for hop in moves(found) if hop[1] == "exhausted"]
    assert exhausted == [
        ("1.0", "exhausted", "2.0"),
        ("1.1", "exhausted", "2.0"),
        ("1.2", "exhausted", "2.0"),
        ("2.0", "exhausted", None),
    ]
    chosen = ["Child" in asked_for(request) for request in walker.decided]
    assert (len(chosen), sum(chosen)) == (20, 11), "the root's last child is taken without a call, and no other"
    assert found["compression_rate"] is None


async def test_evidence_of_several_leaves_is_kept_and_weighed(
    server: ModelServer, library: Library, document: Document
) -> None:
    quotes = ["found a goat beneath the stair", "found a mackerel beneath the stair"]
    server.respond = walker = Walker(
        down(0),
        down(0),
        says("keep", "in year 0 a goat", quotes[0]),
        down(1),
        says("answer", "first a goat, then a mackerel", quotes[1]),
        {"reason": "they go together", "pages": [0, 1], "answer": "a goat and a mackerel"},
    )
    found = await ask(library, document)
    assert moves(found)[2:] == [("0.0", "keep", "1.0"), ("1.0", "child", "0.1"), ("0.1", "answer", None)]
    assert (found["status"], found["answer"]) == ("answered", "a goat and a mackerel")
    assert [finding["answers"] for finding in found["findings"]] == [False, True]
    assert [citation["quote"] for citation in found["citations"]] == quotes
    assert all("<found>\nin year 0 a goat\n</found>" in request.text for request in walker.decided[3:5])
    assert 'in year 0 a goat\n"found a goat beneath the stair"' in walker.decided[5].text


async def test_what_was_kept_answers_where_no_leaf_did(
    server: ModelServer, library: Library, document: Document
) -> None:
    weighed = {"reason": "", "pages": [], "answer": "year 0 says a goat"}
    server.respond = Walker(down(0), down(0), says("keep", "a goat"), weighed)
    found = await ask(library, document, replace(CONTEXT, max_hops=3))
    assert (found["status"], found["answer"], len(found["hops"])) == ("answered", "year 0 says a goat", 3)
    server.respond = Walker({**weighed, "answer": None})
    found = await run(library, {"document": document.id, "question": ASKED}, replace(CONTEXT, max_hops=3, sample=0))
    assert found["status"] == "answered", "the recorded replies are used again"
    server.respond = Walker(down(0), down(0), says("keep", "a goat"), {**weighed, "answer": None})
    found = await ask(library, document, replace(CONTEXT, max_hops=3), question="What else?")
    assert (found["status"], found["answer"], found["findings"][0]["text"]) == ("no_answer", None, "a goat")


async def test_several_walks_begin_at_the_next_best_child_and_are_weighed(
    server: ModelServer, library: Library, document: Document
) -> None:
    server.respond = Walker(
        *[down(1), down(1), says("answer", "a ledger", "found a ledger")],
        *[down(0), down(0), REVERT, down(1), says("answer", "a mackerel", "found a mackerel")],
        {"reason": "only one is of year 4", "pages": [4], "answer": "a ledger"},
    )
    found = await ask(library, document, replace(CONTEXT, walks=2))
    assert [hop["walk"] for hop in found["hops"]] == [0] * 3 + [1] * 5
    assert moves(found)[3] == ("2.0", "child", "1.0")
    assert (found["answer"], found["pages_read"]) == ("a ledger", [4, 0, 1])
    assert [citation["quote"] for citation in found["citations"]] == ["found a ledger"]
    assert found["usage"]["calls"] == server.calls == 9 + 4 + 9


async def test_findings_that_cannot_be_weighed_leave_the_first_answer(
    server: ModelServer, library: Library, document: Document
) -> None:
    server.respond = Walker(down(1), down(1), says("answer", "a ledger"), down(0), down(0), says("answer", "a goat"))
    found = await ask(library, document, replace(CONTEXT, walks=2))
    assert (found["answer"], found["status"], found["fallbacks"]) == ("a ledger", "answered", {"weigh": 1})


@pytest.mark.parametrize("walks", [1, 2])
async def test_a_multiple_choice_gives_letter_and_option(
    server: ModelServer, library: Library, document: Document, walks: int
) -> None:
    chosen = {**says("answer", "a ledger"), "choice": "(B) a ledger"}
    weighed = {"reason": "", "pages": [4], "choice": "b"}
    server.respond = Walker(down(1), down(1), chosen, down(0), down(0), {**chosen, "choice": "A"}, weighed)
    found = await ask(library, document, replace(CONTEXT, walks=walks), options=["a goat", "a ledger"])
    assert (found["choice"], found["answer"], found["status"]) == ("B", "a ledger", "answered")


async def test_a_letter_that_is_no_option_is_asked_for_again(
    server: ModelServer, library: Library, document: Document
) -> None:
    wrong = {**says("answer", "a ledger"), "choice": "E"}
    server.respond = Walker(down(1), down(1), wrong, {**wrong, "choice": None}, {**wrong, "choice": "A"})
    found = await ask(library, document, options=["a goat", "a ledger"])
    assert (found["choice"], found["usage"]["refused"]) == ("A", 2)


@pytest.mark.parametrize(
    ("name", "otherwise", "hops"),
    [
        ("always reverts", {**REVERT, "part": None}, 1),
        ("picks a child that doesn't exist", {**REVERT, "part": 99}, 1),
        ("says nothing that can be used", "I am only a model.", 1),
        ("keeps and never stops", {**says("keep", "more"), "part": 0}, 3),
    ],
)
async def test_a_walk_that_comes_to_nothing_ends_with_a_true_status(
    server: ModelServer, library: Library, document: Document, name: str, otherwise: Any, hops: int
) -> None:
    server.respond = Walker(otherwise=otherwise)
    found = await ask(library, document)
    assert found["status"] == "no_answer"
    assert len(found["hops"]) >= hops
    assert not found["hops"][-1]["valid"] and found["hops"][-1]["action"] == "unusable"
    assert found["fallbacks"] == {"triage": 1} and found["usage"]["refused"] == 3
    assert [finding["text"] for finding in found["findings"]] == ["more"][: hops - 2 if hops > 2 else 0]


async def test_a_leaf_without_a_usable_reply_ends_the_walk(
    server: ModelServer, library: Library, document: Document
) -> None:
    server.respond = Walker(down(0), down(1), says("keep", "a mackerel"), down(0))
    found = await ask(library, document)
    assert (found["status"], found["fallbacks"]) == ("no_answer", {"leaf": 1})
    assert moves(found)[-1] == ("0.0", "unusable", None)
    assert [finding["text"] for finding in found["findings"]] == ["a mackerel"], "what was learned stays"


async def test_a_model_that_never_stops_is_stopped_by_the_cap(
    server: ModelServer, library: Library, document: Document
) -> None:
    def wander(request: Any) -> Any:
        if not (wanted := asked_for(request)):
            return "A note."
        if wanted == "WeighedAnswer":
            return {"reason": "", "pages": [], "answer": None}
        done = request.last.partition("can't be chosen: ")[2]
        return {**says("keep", "a thing"), "part": next(n for n in range(3) if str(n) not in done)}

    server.respond = wander
    for cap in (1, 4, 7, 32):
        found = await ask(library, document, replace(CONTEXT, max_hops=cap))
        assert (found["status"], len(found["hops"])) == ("no_answer", min(cap, 25))
        assert len(found["findings"]) == len(found["pages_read"])


@pytest.mark.parametrize(("how", "carried"), [("path", [["2.0"], ["2.0", "1.0"]]), ("off", [[], []])])
async def test_the_working_memory_holds_the_notes_of_the_path(
    server: ModelServer, library: Library, document: Document, how: Any, carried: list[list[str]]
) -> None:
    server.respond = walker = Walker(down(0), down(0), says("answer", "a goat"))
    found = await ask(library, document, replace(CONTEXT, working_memory=how))
    for request, nodes, hop in zip(walker.decided[1:], carried, found["hops"][1:], strict=True):
        texts = [node.text for node in await library.pages.tree_nodes(found["memory"], nodes)]
        memory = "<background>\n{}\n</background>\n\n".format("\n\n".join(texts))
        assert memory in request.text if nodes else "<background>" not in request.text
        assert hop["memory_words"] == sum(len(text.split()) for text in texts)
    assert "<background>" not in walker.decided[0].text


async def test_the_working_memory_may_hold_all_nodes_visited(
    server: ModelServer, library: Library, document: Document
) -> None:
    script = [down(0), down(1), REVERT, down(None), down(1), down(0), says("answer", "a plaque")]
    server.respond = walker = Walker(*script)
    await ask(library, document, replace(CONTEXT, working_memory="visited"))
    background = walker.decided[-1].text.partition("</background>")[0]
    assert [f"found a {thing}" in background for thing in ("goat", "mackerel", "lantern")] == [True, True, False]


async def test_the_working_memory_may_be_a_summary_of_all_nodes_visited(
    server: ModelServer, library: Library, document: Document
) -> None:
    script = [down(0), down(1), REVERT, down(None), down(1), down(0), says("answer", "a plaque")]
    server.respond = walker = Walker(*script)
    found = await ask(library, document, replace(CONTEXT, working_memory="summary", node_words=25))
    compressed = [request for request in server.requests if "main points, in their order: at most 25" in request.text]
    last = walker.decided[-1].text.partition("</background>")[0]
    assert "In short: " in last and 0 < found["hops"][-1]["memory_words"] <= 50
    assert any("found a mackerel" in request.text for request in compressed), "of nodes that the walk left, too"


async def test_segments_may_be_summarised_after_the_text_before_them(server: ModelServer, library: Library) -> None:
    server.respond = Walker()
    document = await library.pages.add_document(TEXT)
    read = build().compile(store=library.store)
    for words in (0, 12):
        await read.ainvoke({"document": document.id}, context=replace(CONTEXT, earlier_words=words))
    shown = [between(request, "before") for request in server.requests if "Summarise the whole passage" in request.text]
    assert shown[:9] == [""] * 9 and len(await library.pages.memories(document.id)) == 2
    assert [*map(count_words, shown[9:])] == [12] * 8
    assert "a goat beneath the stair, and sold it again in the autumn." in shown[9:]


async def test_the_oldest_notes_go_first_where_the_window_is_full(server: ModelServer, library: Library) -> None:
    text = "\n\n".join(f"Year {year}. " + "The keeper wrote of wind and oil. " * 70 for year in range(9))
    document = await library.pages.add_document(text)
    context = replace(CONTEXT, segment_words=500, node_words=300, window_words=1250)

    def respond(request: Any) -> Any:
        wanted = asked_for(request)
        if not wanted:
            return ("upper " if "<memory>" in request.text else "leaf ") * (200 if "<memory>" in request.text else 120)
        return {**says("answer", "wind"), "part": 0}

    server.respond = respond
    found = await ask(library, document, context)
    assert [hop["memory_words"] for hop in found["hops"]] == [0, 200, 400]
    found = await ask(library, document, context, question="What did the keeper write " + "and write " * 100 + "?")
    assert [hop["memory_words"] for hop in found["hops"]] == [0, 200, 200]
    server.respond = Walker(down(0), down(0), says("keep", "wind " * 120), down(1), says("answer", "wind"))
    found = await ask(library, document, context, question="When did the keeper write?")
    assert [hop["memory_words"] for hop in found["hops"]] == [0, 200, 400, 200, 200]


async def test_without_reasoning_nobody_reasons(server: ModelServer, library: Library, document: Document) -> None:
    server.respond = walker = Walker({"part": 0}, {"part": 0}, {"quotes": [], "action": "answer", "found": "a goat"})
    found = await ask(library, document, replace(CONTEXT, reasoning=False))
    assert [asked_for(request) for request in walker.decided] == ["ChildChoice", "ChildOrRevert", "LeafVerdict"]
    assert found["answer"] == "a goat" and all(hop["reasoning"] == "" for hop in found["hops"])
    assert all("reasoning" not in str(request.schema) for request in walker.decided)


async def test_reasons_come_before_the_decision(server: ModelServer, library: Library, document: Document) -> None:
    server.respond = walker = Walker(down(0), down(0), {**says("answer", "a goat"), "choice": "A"})
    await ask(library, document, options=["a goat", "a bell"])
    fields = [[*(request.schema or {})["properties"]] for request in walker.decided]
    assert fields == [["reasoning", "part"]] * 2 + [["reasoning", "quotes", "action", "found", "choice"]]


@pytest.mark.parametrize(("days", "nodes"), [(1, ["0.0"]), (2, ["1.0", "0.0"])])
async def test_the_smallest_trees(server: ModelServer, library: Library, days: int, nodes: list[str]) -> None:
    document = await library.pages.add_document("\n\n".join(PARAGRAPHS[:days]))
    server.respond = Walker(*[down(0)] * (days - 1), says("answer", "a goat"))
    found = await ask(library, document)
    assert ([hop["node"] for hop in found["hops"]], found["answer"]) == (nodes, "a goat")
    server.respond = Walker(*[down(0)] * (days - 1), REVERT, REVERT)
    found = await ask(library, document, question="What else?")
    assert (found["status"], found["hops"][-1]["next_node"]) == ("no_answer", None)
    assert found["pages_read"] == list(range(days))


async def test_figures_of_the_context_are_true(server: ModelServer, library: Library, document: Document) -> None:
    server.respond = Walker(down(0), down(2), says("answer", "a lantern"))
    found = await ask(library, document)
    (page,) = await library.pages.pages(found["memory"], [2])
    path = await library.pages.tree_nodes(found["memory"], ["2.0", "1.0"])
    seen = page.words + sum(node.words for node in path)
    assert found["compression_rate"] == round(100 * (1 - seen / document.words), 2)
    assert found["percent_read"] == round(100 * page.words / document.words, 2)
    assert found["hops"][-1]["shown_words"] == page.words


def test_the_drawing_is_the_papers_figure() -> None:
    edges = {(edge.source, edge.target) for edge in graph.get_graph().edges}
    walking = {(a, b) for a in ("descend", "read_leaf") for b in ("descend", "read_leaf", "answer")}
    assert walking <= edges
    assert graph.name == "mem_walker"
