"""The hybrids as graphs: nodes of several methods in one, with the same input and output."""

from dataclasses import replace
from typing import Any

import pytest

from readgraph.graphs.methods import METHODS
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document
from readgraph.state.summary_tree import TreeShape, node_id
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, pages_shown, reader

CONTEXT = ReaderContext(model="openai:double", segment_words=200, children=3)
GOAT = "What did the keeper's Remarks for 19 January say about a goat?"


@pytest.fixture
def story(story: str) -> str:
    """A part of the story, with the goat in it."""
    return story[4_000:16_000]


@pytest.fixture
async def document(library: Library, story: str) -> Document:
    return await library.pages.add_document(story, title="a part")


async def run(
    method: str, library: Library, document: Document, context: ReaderContext = CONTEXT, **asked: Any
) -> dict[str, Any]:
    graph = METHODS[method].build().compile(store=library.store)
    return dict(await graph.ainvoke({"document": document.id, "question": GOAT, **asked}, context=context))


def asked(server: ModelServer, reply: str) -> list[ChatRequest]:
    """The requests for this reply."""
    return [request for request in server.requests if asked_for(request).endswith(reply)]


async def in_full(library: Library, memory: str, request: ChatRequest) -> list[int]:
    """The pages that a request shows otherwise than by their notes."""
    shown = pages_shown(request)
    notes = {note.page: note.text.strip() for note in await library.pages.notes(memory, shown)}
    return [page for page, text in shown.items() if text.strip() != notes[page]]


def nodes(found: dict[str, Any]) -> list[str]:
    return [step["node"] for step in found["steps"]]


async def test_gists_that_readagent_made_are_researched(
    server: ModelServer, library: Library, document: Document
) -> None:
    read = await run("read-agent", library, document)
    before = server.calls
    found = await run("gist-research", library, document)
    assert found["memory"] == read["memory"]
    assert [asked_for(request) for request in server.requests[before:]] == [
        "SearchPlan",
        "Integrated",
        "Verdict",
        "AnswerAlone",
    ]
    assert "In short: " in asked(server, "SearchPlan")[0].text
    assert found["pages_read"] == found["rounds"][0]["pages_shown"] and found["rounds"][0]["enough"] is True


async def test_a_guided_walk_begins_at_the_best_leaf_and_reverts_from_there(
    server: ModelServer, library: Library, document: Document
) -> None:
    leaves: list[ChatRequest] = []

    def reverts_once(request: ChatRequest) -> Any:
        reply = reader(request)
        if not asked_for(request).endswith("LeafVerdict"):
            return reply
        leaves.append(request)
        return {"reasoning": "", "action": "revert", "found": None, "quotes": []} if len(leaves) == 1 else reply

    server.respond = reverts_once
    found = await run("guided-walk", library, document)
    shape = TreeShape.of(await library.pages.memory(document.id, found["memory"]))
    best, up, sibling = (hop["node"] for hop in found["hops"])
    assert "Goat on gallery" in leaves[0].text and best == node_id(0, found["pages_read"][0])
    assert up == shape.parent(best) and shape.parent(sibling) == up and sibling != best
    assert [hop["action"] for hop in found["hops"]] == ["revert", "child", "answer"]
    assert found["status"] == "answered" and len(found["pages_read"]) == 2


async def test_where_search_finds_nothing_a_guided_walk_begins_at_the_root(
    server: ModelServer, library: Library, document: Document
) -> None:
    found = await run("guided-walk", library, document, question="Is it?")
    shape = TreeShape.of(await library.pages.memory(document.id, found["memory"]))
    assert (found["hops"][0]["node"], found["status"]) == (shape.root, "answered")


async def test_a_walks_leaves_are_read_beside_all_summaries(
    server: ModelServer, library: Library, document: Document
) -> None:
    found = await run("walk-and-read", library, document)
    (answered,) = asked(server, "FreeAnswer")
    shown = pages_shown(answered)
    memory = await library.pages.memory(document.id, found["memory"])
    assert [*shown] == [*range(memory.pages)]
    assert await in_full(library, memory.id, answered) == found["pages_read"]
    assert 0 < found["percent_read"] < 50 < found["compression_rate"]


async def test_where_a_walk_finds_nothing_the_summaries_may_answer(
    server: ModelServer, library: Library, document: Document
) -> None:
    def lost(request: ChatRequest) -> Any:
        return {"nothing": 1} if asked_for(request).endswith(("ChildChoice", "ChildOrRevert")) else reader(request)

    server.respond = lost
    found = await run("walk-and-read", library, document)
    assert (found["status"], found["pages_read"], found["percent_read"]) == ("answered", [], 0)


async def test_leaves_are_read_while_they_fit_the_window(
    server: ModelServer, library: Library, document: Document
) -> None:
    def goes_on(request: ChatRequest) -> Any:
        reply = reader(request)
        return {**reply, "action": "keep"} if isinstance(reply, dict) and "action" in reply else reply

    server.respond = goes_on
    found = await run("walk-and-read", library, document, replace(CONTEXT, window_words=1000))
    shown = pages_shown(asked(server, "FreeAnswer")[0])
    assert sum(len(text.split()) for text in shown.values()) <= 1000
    read = await in_full(library, found["memory"], asked(server, "FreeAnswer")[0])
    assert read and {*read} < {*found["pages_read"]}


HOPS = {"descend", "read_leaf"}


class Doubting:
    """The reader, but its first so many verdicts are that it isn't enough."""

    def __init__(self, doubts: int) -> None:
        self.doubts = doubts

    def __call__(self, request: ChatRequest) -> Any:
        """The next reply."""
        if asked_for(request) != "Verdict" or self.doubts <= 0:
            return reader(request)
        self.doubts -= 1
        return {"enough": False, "missing": ["Where did the goat stand?"]}


GISTS = ["open", "read", "merge", "judge"]
ROUND = ["search", "integrate", "reflect"]


@pytest.mark.parametrize(
    ("doubts", "way"),
    [
        (0, [*GISTS, "answer_gists", "cite"]),
        (1, [*GISTS, "look_up", *ROUND, "answer", "cite"]),
        (2, [*GISTS, "look_up", *ROUND, "plan", *ROUND, "answer", "cite"]),
        (99, [*GISTS, "look_up", *ROUND, "plan", *ROUND, "plan", *ROUND, "answer", "cite"]),
    ],
)
async def test_it_goes_on_only_while_it_is_not_enough(
    server: ModelServer, library: Library, document: Document, doubts: int, way: list[str]
) -> None:
    server.respond = Doubting(doubts)
    found = await run("escalate", library, document, replace(CONTEXT, pages_per_tool=2))
    assert (nodes(found), found["status"]) == (way, "answered")
    looked_up = [1, 2] if doubts else []
    assert [page for done in found["rounds"][:1] for page in done["plan"]["page"]] == looked_up
    assert found["pages_read"][:2] == looked_up
    planned = asked(server, "SearchPlan")
    assert all("Where did the goat stand?" in request.text for request in planned)
    assert found["usage"]["calls"] == server.calls


async def test_gists_that_can_not_be_judged_are_not_enough(
    server: ModelServer, library: Library, document: Document
) -> None:
    server.respond = lambda request: "no idea" if asked_for(request) == "Verdict" else reader(request)
    found = await run("escalate", library, document)
    assert found["fallbacks"]["judge"] == 1 and "look_up" in nodes(found) and found["status"] == "answered"


@pytest.mark.parametrize("rounds", [0, 1])
async def test_where_a_context_is_wanted_it_is_made(
    server: ModelServer, library: Library, document: Document, rounds: int
) -> None:
    found = await run("escalate", library, document, replace(CONTEXT, context_only=True, rounds=rounds))
    assert (found["status"], found["answer"], bool(found["context"])) == ("researched", None, True)


async def test_without_rounds_the_gists_answer(server: ModelServer, library: Library, document: Document) -> None:
    found = await run("escalate", library, document, replace(CONTEXT, rounds=0))
    assert nodes(found) == [*GISTS, "answer_gists", "cite"] and asked(server, "Verdict") == []


TREE = ["open", "read", "grow", "enter"]


def after_the_walks(found: dict[str, Any]) -> list[str]:
    """The nodes that ran, without the hops."""
    return [node for node in nodes(found) if node not in HOPS]


@pytest.mark.parametrize(
    ("doubts", "way"),
    [
        (0, ["note_findings", "reflect", "answer", "cite"]),
        (1, ["note_findings", "reflect", "plan", *ROUND, "answer", "cite"]),
        (99, ["note_findings", "reflect", "plan", *ROUND, "plan", *ROUND, "answer", "cite"]),
    ],
)
async def test_research_goes_on_from_a_walks_leaves(
    server: ModelServer, library: Library, document: Document, doubts: int, way: list[str]
) -> None:
    server.respond = Doubting(doubts)
    found = await run("walk-and-research", library, document, replace(CONTEXT, pages_per_tool=2))
    assert (after_the_walks(found), found["status"]) == ([*TREE, *way], "answered")
    leaves = [int(hop["node"].split(".")[1]) for hop in found["hops"] if hop["node"].startswith("0.")]
    walked, *researched = found["rounds"]
    assert walked["pages_shown"] == leaves and [hit["tools"] for hit in walked["hits"]] == [["walk"]]
    assert walked["sources"] == leaves and "It says so." in walked["notes"]
    assert all({*leaves}.isdisjoint(done["pages_shown"]) for done in researched)
    assert all("Where did the goat stand?" in request.text for request in asked(server, "SearchPlan"))
    assert len(found["pages_read"]) == 1 + sum(len(done["pages_shown"]) for done in researched)
    memory = await library.pages.pages(found["memory"], found["pages_read"])
    assert found["percent_read"] == round(100 * sum(page.words for page in memory) / document.words, 2)


async def test_what_a_walk_found_is_given_where_no_round_is_allowed(
    server: ModelServer, library: Library, document: Document
) -> None:
    for rounds in (0, 1):
        found = await run("walk-and-research", library, document, replace(CONTEXT, rounds=rounds, context_only=True))
        assert (found["status"], found["context"]) == ("researched", found["rounds"][0]["notes"])
    assert {"Verdict", "SearchPlan", "Integrated"}.isdisjoint(map(asked_for, server.requests))


async def test_a_walk_that_is_not_enough_is_followed_by_one_to_what_is_missing(
    server: ModelServer, library: Library, document: Document
) -> None:
    server.respond = Doubting(1)
    found = await run("reflective-walk", library, document)
    again = ["note_findings", "reflect", "walk_again"]
    assert after_the_walks(found) == [*TREE, *again, "note_findings", "reflect", "answer", "cite"]
    (second,) = [hop for hop in found["hops"] if hop["walk"] == 1]
    first, other = found["pages_read"]
    assert second["node"] == node_id(0, other) and other != first
    assert "goat" in asked(server, "ReasonedLeafVerdict")[1].text.casefold()
    assert [done["pages_shown"] for done in found["rounds"]] == [[first], [other]]
    assert {finding["page"] for finding in found["findings"]} == {first, other}
    assert len(asked(server, "WeighedAnswer")) == 1 and found["percent_read"] > 0


async def test_walks_that_are_reflected_on_end_after_their_rounds(
    server: ModelServer, library: Library, document: Document
) -> None:
    server.respond = Doubting(99)
    found = await run("reflective-walk", library, document)
    assert [done["enough"] for done in found["rounds"]] == [False, False, None]
    assert len({*found["pages_read"]}) == 3 and found["status"] == "answered"
    alone = await run("reflective-walk", library, document, replace(CONTEXT, rounds=0))
    assert after_the_walks(alone) == [*TREE, "note_findings", "reflect", "answer", "cite"]


async def test_where_nothing_is_near_what_is_missing_the_walk_begins_at_the_root(
    server: ModelServer, library: Library, document: Document
) -> None:
    def vague(request: ChatRequest) -> Any:
        return {"enough": False, "missing": ["zyx"]} if asked_for(request) == "Verdict" else reader(request)

    server.respond = vague
    found = await run("reflective-walk", library, document, replace(CONTEXT, rounds=2))
    shape = TreeShape.of(await library.pages.memory(document.id, found["memory"]))
    assert next(hop["node"] for hop in found["hops"] if hop["walk"] == 1) == shape.root
    assert found["status"] == "answered"
