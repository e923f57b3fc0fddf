"""ReadAgent as a graph: reading, both look-ups, answers, budgets, fall-backs, threads."""

import asyncio
import re
from dataclasses import replace
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver

from readgraph.graphs import read_agent
from readgraph.graphs.read_agent import build, graph
from readgraph.library.opening import Library
from readgraph.models.prompt import versions_of
from readgraph.nodes.building.notes import GIST
from readgraph.nodes.building.paging import PAUSE
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.doubles.reader import asked_for, reader
from tests.support.some_methods import mostly_slow

pytestmark = pytest.mark.filterwarnings("ignore:The graph has no store")

CONTEXT = ReaderContext(model="openai:double")


@pytest.fixture
async def document(library: Library, story: str) -> Document:
    return await library.pages.add_document(story, title="story")


async def run(library: Library, given: Any, context: ReaderContext = CONTEXT, thread: str = "1") -> dict[str, Any]:
    compiled = build().compile(checkpointer=library.checkpointer, store=library.store)
    return dict(await compiled.ainvoke(given, {"configurable": {"thread_id": thread}}, context=context))


async def test_reading_covers_the_text_with_pages_and_gists(
    server: ModelServer, library: Library, document: Document
) -> None:
    found = await run(library, {"document": document.id})
    memory = await library.pages.memory(document.id, found["memory"])
    pages = await library.pages.pages(memory.id, range(memory.pages))
    assert memory.complete
    assert [page.start for page in pages] == [0, *(page.end for page in pages[:-1])]
    assert pages[-1].end == document.characters
    assert all(280 <= page.words <= 600 for page in pages[:-1])
    assert len(await library.pages.notes(memory.id, range(memory.pages))) == memory.pages
    assert [step["node"] for step in found["steps"]] == ["open", "read", "merge"]
    assert found["status"] == "reading"
    assert found["usage"]["calls"] == server.calls


@pytest.mark.parametrize(("strategy", "pages"), [("parallel", [1, 2]), ("sequential", [0, 1])])
async def test_a_question_is_answered_with_citations(
    server: ModelServer, library: Library, document: Document, story: str, strategy: Any, pages: list[int]
) -> None:
    found = await run(library, {"document": document.id, "question": "Who?"}, replace(CONTEXT, strategy=strategy))
    assert (found["status"], found["answer"], found["pages_read"]) == ("answered", "It says so.", pages)
    assert [story[c["start"] : c["end"]] for c in found["citations"]] == [c["quote"] for c in found["citations"]]
    assert found["citations"]
    assert 0 < found["compression_rate"] < 100
    assert found["usage"]["calls"] == server.calls == sum(step["usage"]["calls"] for step in found["steps"])


async def test_gists_are_asked_for_while_pages_are_still_cut(
    server: ModelServer, library: Library, document: Document
) -> None:
    await run(library, {"document": document.id})
    asked = [asked_for(request) for request in server.requests]
    assert asked.index("") < len(asked) - 1 - asked[::-1].index("PausePoint")


async def test_pages_read_again_stand_in_full_after_all_gists(
    server: ModelServer, library: Library, document: Document, story: str
) -> None:
    found = await run(library, {"document": document.id, "question": "Who?"})
    looked_up, answered = server.requests[-2:]
    assert (asked_for(looked_up), asked_for(answered)) == ("PagesToRead", "FreeAnswer")
    gists = looked_up.text.partition("\n</memory>")[0]
    page_1, page_2 = (
        story[page.start : page.end].strip() for page in await library.pages.pages(found["memory"], [1, 2])
    )
    in_full = f"\n\n<page 1 in full>\n{page_1}\n\n<page 2 in full>\n{page_2}\n</memory>"
    assert answered.text.startswith(gists + in_full), "a provider's cache may hold what both begin with"
    assert all(f"<page {number}>\nIn short: " in gists for number in (1, 2, 3))


async def test_a_multiple_choice_gives_letter_and_option(
    server: ModelServer, library: Library, document: Document
) -> None:
    found = await run(library, {"document": document.id, "question": "Who?", "options": ["the boy", "the gander"]})
    assert (found["choice"], found["answer"]) == ("B", "the gander")


@pytest.mark.slow
async def test_what_the_text_does_not_say_is_no_answer(
    server: ModelServer, library: Library, document: Document
) -> None:
    server.respond = lambda request: (
        {"quotes": [], "answer": None} if asked_for(request) == "FreeAnswer" else reader(request)
    )
    found = await run(library, {"document": document.id, "question": "Who?"})
    assert (found["status"], found["answer"], found["citations"]) == ("no_answer", None, [])


async def test_a_quote_that_is_not_there_is_dropped_and_counted(
    server: ModelServer, library: Library, document: Document
) -> None:
    made_up = {"page": 1, "quote": "words that nobody ever wrote down there"}
    server.respond = lambda request: (
        {"quotes": [made_up], "answer": "It does."} if asked_for(request) == "FreeAnswer" else reader(request)
    )
    found = await run(library, {"document": document.id, "question": "Who?"})
    assert (found["citations"], found["fallbacks"]) == ([], {"quote_not_found": 1})


async def test_unusable_replies_fall_back_and_are_counted(
    server: ModelServer, library: Library, document: Document
) -> None:
    def useless(request: ChatRequest) -> str | dict[str, object]:
        if asked_for(request) == "PausePoint":
            return {"reason": "", "label": 99}
        return "no idea" if asked_for(request) else ""

    server.respond = useless
    found = await run(library, {"document": document.id, "question": "What about the goat on the gallery?"})
    memory = await library.pages.memory(document.id, found["memory"])
    pages = await library.pages.pages(memory.id, range(memory.pages))
    notes = await library.pages.notes(memory.id, range(memory.pages))
    assert memory.complete
    assert found["fallbacks"] == {
        "pause": sum(page.ended_by == "fallback" for page in pages),
        "gist": memory.pages,
        "look_up": 1,
        "answer": 1,
    }
    assert all(note.fallback and note.text for note in notes)


async def test_page_numbers_that_do_not_exist_are_dropped_one_by_one(
    server: ModelServer, library: Library, document: Document
) -> None:
    server.respond = lambda request: (
        {"reason": "", "pages": [7, 999, 3, 7, -1, 4, 5]} if asked_for(request) == "PagesToRead" else reader(request)
    )
    found = await run(library, {"document": document.id, "question": "Who?"}, replace(CONTEXT, max_pages=3))
    assert found["pages_read"] == [7, 3, 4]


async def test_the_sequential_look_up_ends_at_its_cap(
    server: ModelServer, library: Library, document: Document
) -> None:
    server.respond = lambda request: (
        {"reason": "more", "page": len(server.requests) % 7} if asked_for(request) == "NextPage" else reader(request)
    )
    context = replace(CONTEXT, strategy="sequential", max_pages=4)
    found = await run(library, {"document": document.id, "question": "Who?"}, context)
    assert len(found["pages_read"]) == len({*found["pages_read"]}) == 4


STOPS: list[Any] = ["STOP", "“STOP”.", "stop", {"reason": "enough", "page": "STOP"}, "Page 99\nSTOP"]


@pytest.mark.parametrize("said", mostly_slow(STOPS, STOPS[2:5:2]))
async def test_the_papers_own_words_end_the_sequential_look_up_or_name_a_page(
    server: ModelServer, library: Library, document: Document, said: Any
) -> None:
    asked = iter(["Page 3", {"reason": "more", "page": "page 5"}, {"reason": "more", "page": "1 or 2"}, said])
    server.respond = lambda request: (
        next(asked, {"reason": "", "page": None}) if asked_for(request) == "NextPage" else reader(request)
    )
    context = replace(CONTEXT, strategy="sequential", reply_form="text" if said == "stop" else "auto")
    found = await run(library, {"document": document.id, "question": "Who?"}, context)
    assert found["pages_read"] == [3, 5]
    assert found["usage"]["refused"] == (2 if said == "Page 99\nSTOP" else 1)


async def test_a_budget_ends_the_reading_with_what_was_found(
    server: ModelServer, library: Library, document: Document
) -> None:
    given = {"document": document.id, "question": "What about the goat on the gallery?"}
    found = await run(library, given, replace(CONTEXT, max_calls=12))
    assert (found["status"], server.calls) == ("budget", 12)
    assert not (await library.pages.memory(document.id, found["memory"])).complete
    answered = {*server.answered}
    found = await run(library, given)
    assert found["status"] == "answered"
    assert len(server.requests) == len({request.key for request in server.requests}), "nothing was asked twice"
    assert answered < {*server.answered}


async def test_a_second_question_uses_the_memory_and_starts_clean(
    server: ModelServer, library: Library, document: Document
) -> None:
    first = await run(library, {"document": document.id, "question": "Who?", "options": ["a", "b"]})
    before = server.calls
    second = await run(library, {"question": "When?"})
    assert second["document"] == document.id
    assert server.calls - before == second["usage"]["calls"] == 2
    assert second["choice"] is None
    assert [step["node"] for step in second["steps"]] == ["open", "read", "merge", "look_up", "answer", "cite"]
    third = await run(library, {"document": document.id})
    assert (third["status"], third["answer"], third["pages_read"]) == ("reading", None, [])
    assert first["memory"] == second["memory"] == third["memory"]


@pytest.mark.parametrize("kept_in", ["sqlite", "memory"])
async def test_pages_chosen_by_a_person_give_another_answer(
    server: ModelServer, library: Library, document: Document, kept_in: str
) -> None:
    saver: BaseCheckpointSaver[Any] = InMemorySaver() if kept_in == "memory" else library.checkpointer
    compiled = build().compile(checkpointer=saver, store=library.store, interrupt_before=["look_up"])
    config: Any = {"configurable": {"thread_id": "edited"}}
    await compiled.ainvoke({"document": document.id, "question": "Who?"}, config, context=CONTEXT)
    waiting = await compiled.aget_state(config)
    assert waiting.next == ("look_up",)
    plain = await compiled.ainvoke(None, config, context=CONTEXT)
    assert plain["pages_read"] == [1, 2]

    edited = await compiled.aupdate_state(
        waiting.config, {"pages_read": [9], "continue_search": False}, as_node="look_up"
    )
    answered = await compiled.ainvoke(None, edited, context=CONTEXT)
    assert answered["pages_read"] == [9]
    assert [citation["page"] for citation in answered["citations"]] == [9]
    assert answered["citations"] != plain["citations"]
    history = [state.values.get("pages_read") async for state in compiled.aget_state_history(config)]
    assert [1, 2] in history
    assert [9] in history


async def test_readings_side_by_side_do_not_mix(server: ModelServer, library: Library, story: str) -> None:
    halves = [story[: len(story) // 2], story[len(story) // 2 :]]
    documents = [await library.pages.add_document(half) for half in halves]
    both = await asyncio.gather(*(run(library, {"document": d.id, "question": "Who?"}, thread=d.id) for d in documents))
    assert sum(found["usage"]["calls"] for found in both) == server.calls
    assert [found["document"] for found in both] == [document.id for document in documents]


async def test_older_prompts_keep_their_memory_until_it_is_rebuilt(
    server: ModelServer, library: Library, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await run(library, {"document": document.id})
    newer = {**versions_of(PAUSE, GIST), GIST.prompt: GIST.version + 1}
    monkeypatch.setattr("readgraph.nodes.building.recipes.versions_of", lambda *wordings: newer)
    second = await run(library, {"document": document.id})
    assert (second["memory"], second["usage"]["calls"]) == (first["memory"], 0)
    assert "older prompts" in second["steps"][1]["summary"]
    rebuilt = await run(library, {"document": document.id}, replace(CONTEXT, rebuild=True))
    assert rebuilt["memory"] != first["memory"]


async def test_a_plain_function_is_a_node_too(server: ModelServer, library: Library, document: Document) -> None:
    def first_page(state: dict[str, Any]) -> dict[str, Any]:
        return {"pages_read": [0], "continue_search": False}

    async def shout(state: dict[str, Any]) -> dict[str, Any]:
        return {"answer": state["question_text"].upper(), "quotes": [], "status": "answered"}

    compiled = build(look_up=first_page, answer=shout).compile(store=library.store)
    for found in (
        await compiled.ainvoke({"document": document.id, "question": "Who?"}, context=CONTEXT),
        compiled.invoke({"document": document.id, "question": "Who?"}, context=CONTEXT),
    ):
        assert (found["pages_read"], found["answer"]) == ([0], "WHO?")
        assert [step["node"] for step in found["steps"]] == "open read merge look_up answer cite".split()


async def test_progress_tells_pages_gists_and_cost(
    server: ModelServer, library: Library, document: Document, story: str
) -> None:
    compiled = build().compile(store=library.store)
    events = [e async for e in compiled.astream({"document": document.id}, context=CONTEXT, stream_mode="custom")]
    told = [event["progress"] for event in events if "of" in event["progress"]]
    assert told[-1]["done"] == told[-1]["of"] == len(story)
    assert told[-1]["pages"] == told[-1]["notes"]
    assert told[-1]["usage"]["calls"] == server.calls
    assert [t["done"] for t in told] == sorted(t["done"] for t in told)


def test_the_drawing_is_the_papers_figure() -> None:
    drawn = graph.get_graph()
    assert [*drawn.nodes] == ["__start__", "open", "read", "merge", "look_up", "answer", "cite", "__end__"]
    assert ("look_up", "look_up") in {(edge.source, edge.target) for edge in drawn.edges}
    assert read_agent.graph.name == "read_agent"


async def test_a_reading_model_builds_the_memory_and_the_model_answers(
    server: ModelServer, library: Library, document: Document
) -> None:
    context = replace(CONTEXT, model="openai:large", reading_model="openai:small")
    found = await run(library, {"document": document.id, "question": "Who?"}, context)
    assert {asked_for(r) for r in server.requests if r.body["model"] == "large"} == {"PagesToRead", "FreeAnswer"}
    memory = await library.pages.memory(document.id, found["memory"])
    assert memory.recipe.model == "openai:small"
    assert {step["node"]: step["model"] for step in found["steps"]}["read"] == "openai:small"
    assert found["usage"]["input_tokens"] > 0


async def test_gists_for_a_purpose_are_another_memory_whose_prompts_tell_it(
    server: ModelServer, library: Library, document: Document
) -> None:
    plain = await run(library, {"document": document.id})
    without = len([request for request in server.requests if not asked_for(request)])
    for_goats = replace(CONTEXT, purpose="Who keeps goats?")
    found = await run(library, {"document": document.id}, for_goats, thread="2")
    gists = [request.text for request in server.requests if not asked_for(request)]
    assert found["memory"] != plain["memory"]
    assert ["Who keeps goats?" in text for text in gists] == [number >= without for number in range(2 * without)]
    again = await run(library, {"document": document.id}, replace(for_goats, purpose=""), thread="3")
    assert again["memory"] == plain["memory"]


async def test_a_follow_up_without_a_model_searches_for_the_new_question(library: Library, document: Document) -> None:
    context = ReaderContext(model="", max_pages=1)
    first = await run(library, {"document": document.id, "question": "Who took the log book?"}, context)
    other = await run(library, {"question": "What stood on the gallery?", "follow_up": True}, context)
    alone = await run(library, {"document": document.id, "question": "What stood on the gallery?"}, context, "new")
    assert other["citations"] == alone["citations"] != first["citations"]
    vague = await run(library, {"question": "And why was that?", "follow_up": True}, context)
    assert vague["citations"] == other["citations"], "it has no word of its own to search for"


async def test_a_follow_up_knows_what_was_asked_and_answered_before(
    server: ModelServer, library: Library, document: Document
) -> None:
    await run(library, {"document": document.id, "question": "Who took it?"})
    await run(library, {"question": "And when?", "follow_up": True})
    third = await run(library, {"question": "Where to?", "follow_up": True})
    asked = server.requests[-1].text
    said = ["Who took it?", "It says so.", "And when?", "It says so.", "Where to?"]
    assert re.findall("|".join(map(re.escape, said)), asked) == said
    assert third["status"] == "answered"
    clean = await run(library, {"question": "Why?"})
    assert clean["status"] == "answered"
    assert "Who took it?" not in server.requests[-1].text
    with pytest.raises(BadInput, match="no question before"):
        await run(library, {"document": document.id, "question": "Why?", "follow_up": True}, thread="new")
