"""GAM as its paper has it and varies it: reasoning, pages of each tool, research without memory."""

from dataclasses import replace
from typing import Any

import pytest

from readgraph.graphs.gam import build_research
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from readgraph.state.records import Memory
from tests.doubles.model_server import ChatRequest, ModelServer, Responder
from tests.doubles.reader import asked_for
from tests.doubles.researcher import QUESTION, remembered_pages, researcher, trail_pages

CONTEXT = ReaderContext(model="openai:double", rounds=5, pages_per_tool=3)


@pytest.fixture
async def memory(server: ModelServer, library: Library) -> Memory:
    server.respond = researcher
    return await remembered_pages(library.store, trail_pages(), CONTEXT, header="The log, day {}.")


async def run(library: Library, memory: Memory, **settings: Any) -> dict[str, Any]:
    graph, context = build_research().compile(store=library.store), replace(CONTEXT, **settings)
    return dict(await graph.ainvoke({"document": memory.document, "question": QUESTION}, context=context))


def saying(**replies: Any) -> Responder:
    """The researcher, but for these types of reply."""
    return lambda request: replies.get(asked_for(request), researcher(request))


@pytest.mark.parametrize("pages", [3, 20])
async def test_a_round_reads_as_many_pages_per_tool_as_are_allowed(
    server: ModelServer, library: Library, memory: Memory, pages: int
) -> None:
    """The paper varies them from 3 to 20 (figure 2)."""
    server.respond = saying(SearchPlan={"keyword": ["wind", "rain"]})
    found = await run(library, memory, rounds=1, pages_per_tool=pages)
    assert len(found["pages_read"]) == len(found["rounds"][0]["hits"]) == pages


async def test_a_round_reads_the_best_pages_of_all_tools_together(
    server: ModelServer, library: Library, memory: Memory
) -> None:
    """The paper's "maximum number of retrieved pages" is 5: of each tool, or with `pages_per_round` of all together."""
    server.respond = saying(SearchPlan={"keyword": ["wind", "rain"], "vector": ["a storm"], "page": [17, 18, 19]})
    settings: Any = {"rounds": 1, "pages_per_tool": 5, "embeddings": "openai:double-embeddings"}
    every = (await run(library, memory, **settings))["rounds"][0]["hits"]
    assert len(every) > 5
    for most in (5, 1, 100):
        found = await run(library, memory, **settings, pages_per_round=most)
        assert found["rounds"][0]["hits"] == every[:most]
        assert {*found["pages_read"]} == {hit["page"] for hit in every[:most]}


@pytest.mark.parametrize("tool", ["keyword", "vector"])
async def test_without_memory_no_page_is_found_by_its_memo(server: ModelServer, library: Library, tool: str) -> None:
    """Research without memory (table 3) searches the pages; what stands only in a memo is not there."""
    texts = [f"Day {number}: rain on field {number}." for number in range(6)]
    context = replace(CONTEXT, embeddings="openai:double-embeddings", rounds=1, pages_per_tool=1)
    memory = await remembered_pages(library.store, texts, context, memo="{0}zeppelin {0}zeppelin {0}zeppelin")
    server.respond = saying(SearchPlan={tool: ["4zeppelin"]})
    with_memos = await run(library, memory, **vars(context))
    assert with_memos["pages_read"] == [4]
    found = await run(library, memory, **vars(context) | {"without_memory": True})
    assert 4 not in found["pages_read"], found["rounds"]
    server.respond = saying(SearchPlan={tool: ["field 3"]})
    found = await run(library, memory, **vars(context) | {"without_memory": True, "sample": 1})
    assert found["pages_read"] == [3]


FIELDS = {
    "SearchPlan": ["needs", "keyword", "page"],
    "Integrated": ["content", "sources", "quotes"],
    "Verdict": ["enough", "missing"],
    "Enough": ["enough"],
}


@pytest.mark.parametrize("separate", [False, True])
@pytest.mark.parametrize("reasoning", [True, False])
async def test_reasons_come_before_plan_notes_and_verdict(
    server: ModelServer, library: Library, memory: Memory, reasoning: bool, separate: bool
) -> None:
    """As in the authors' prompts, which ask to think first."""
    found = await run(library, memory, rounds=2, reasoning=reasoning, separate_requests=separate)
    judged = {"Enough"} if separate else {"Verdict"}
    deciding = [request for request in server.requests if asked_for(request) in {"SearchPlan", "Integrated", *judged}]
    assert {asked_for(request) for request in deciding} == {"SearchPlan", "Integrated", *judged}
    for request in deciding:
        fields, thinks = FIELDS[asked_for(request)], "Think about" in request.last
        asked = [*(request.schema or {})["properties"]]
        assert (asked, thinks) == (["reasoning", *fields] if reasoning else fields, reasoning)
    assert found["fallbacks"] == {} and found["usage"]["refused"] == 0


async def test_a_reply_without_reasons_is_taken(server: ModelServer, library: Library, memory: Memory) -> None:
    def brief(request: ChatRequest) -> Any:
        said: Any = researcher(request)
        return {name: value for name, value in said.items() if name != "reasoning"}

    server.respond = brief
    found = await run(library, memory)
    assert (found["answer"], found["fallbacks"], found["usage"]["refused"]) == ("At elm.", {}, 0)
