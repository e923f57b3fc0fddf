"""Search a memory as planned: all tools at once, their rankings fused (GAM, section 2.2.2)."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.nodes.contracts import AskedState
from readgraph.nodes.memory_view import listed, remembered
from readgraph.nodes.research.planning import research_tools, tools_offered, usable_plan
from readgraph.nodes.search_tools import OpenTools
from readgraph.nodes.searching import Bounds, Found, Search, fused_hits, searching
from readgraph.nodes.step import StepNode
from readgraph.state.channels.research import Plan, SearchHit
from readgraph.state.context import ReaderContext
from readgraph.state.search.fusing import DEPTH, by_place, pages_of
from readgraph.state.settings import Embeddings, Research, SearchTools


class SearchState(AskedState):
    """What searching reads."""

    plan: Plan


class SearchUpdate(TypedDict):
    """What searching writes: pages not read before, the best first, and the plan as it was searched for."""

    plan: Plan
    hits: list[SearchHit]
    step_summary: str


def searching_with(open_tools: OpenTools) -> StepNode[SearchState, SearchUpdate]:
    """The node that searches with these tools."""

    async def planned(state: SearchState, runtime: Runtime[ReaderContext]) -> Search[SearchUpdate]:
        """Find the pages that the plan looks for, at most `pages_per_tool` of each tool, none that was read before.

        The plan may have been edited since: what can't be searched for is dropped here too.
        """
        document, memory = await remembered(runtime, state["document"], state["memory"])
        tools, context = await open_tools(runtime, document, memory), runtime.context
        unread, most = {*range(memory.pages)} - {*state["pages_read"]}, context.pages_per_tool
        plan = usable_plan(state["plan"], tools_offered(context, tools), unread, most)

        def with_pages(found: Found) -> SearchUpdate:
            found = found | ({"page": by_place(plan["page"])} if plan["page"] else {})
            hits = fused_hits(found, most)
            first = {name: pages_of(ranking[:most]) for name, ranking in found.items()}
            return {"plan": plan, "hits": hits, "step_summary": _told(first, hits)}

        queries = {"keyword": plan["keyword"], "vector": plan["vector"]}
        return Search(tools, queries, Bounds(DEPTH, unread), with_pages)

    return searching(planned, settings=(Research, SearchTools, Embeddings))


def _told(found: dict[str, list[int]], hits: list[SearchHit]) -> str:
    if not hits:
        return "found no part that was not read before"
    return "; ".join(f"{name}: {listed(pages)}" for name, pages in found.items())


search = searching_with(research_tools)
