"""Search a memory as planned: all tools at once, their rankings fused (GAM, section 2.2.2)."""

import asyncio
from collections.abc import Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.nodes.contracts import AskedState
from readgraph.nodes.fusing import fuse
from readgraph.nodes.memory_text import listed, remembered
from readgraph.nodes.planning import tools_offered, usable_plan
from readgraph.nodes.search_tools import OpenTools, SearchTool, memory_tools
from readgraph.nodes.step import StepNode
from readgraph.nodes.tasks import failing_as_one
from readgraph.state.context import ReaderContext
from readgraph.state.research import Found, Plan


class SearchState(AskedState):
    """What searching reads."""

    plan: Plan


class SearchUpdate(TypedDict):
    """What searching writes: pages not read before, the best first, and the plan as it was searched for."""

    plan: Plan
    hits: list[Found]
    did: str


def searching(open_tools: OpenTools) -> StepNode[SearchState]:
    """The node that searches with these tools."""

    async def search(state: SearchState, runtime: Runtime[ReaderContext]) -> SearchUpdate:
        """Find the pages that the plan looks for, at most `pages_per_tool` of each tool, none that was read before.

        The plan may have been edited since: what can't be searched for is dropped here too.
        """
        document, memory = await remembered(runtime, state["document"], state["memory"])
        tools, context = await open_tools(runtime, document, memory), runtime.context
        unread, most = {*range(memory.pages)} - {*state["pages_read"]}, context.pages_per_tool
        plan = usable_plan(state["plan"], tools_offered(context, tools), unread, most)
        queries = {name: asked for name, asked in (("keyword", plan["keyword"]), ("vector", plan["vector"])) if asked}
        deep = most + len(state["pages_read"])  # so many that the best few are left when those read are taken out
        with failing_as_one():
            async with asyncio.TaskGroup() as tasks:
                searches = {
                    name: tasks.create_task(_search(tools[name], asked, unread, most, deep))
                    for name, asked in queries.items()
                }
        found = {name: done.result() for name, done in searches.items()}
        if plan["page"]:
            found["page"] = plan["page"]
        hits: list[Found] = [
            {"page": page, "tools": [name for name, pages in found.items() if page in pages], "score": round(score, 5)}
            for page, score in fuse(list(found.values()))
        ]
        return {"plan": plan, "hits": hits, "did": _told(found, hits)}

    return StepNode(search)


async def _search(tool: SearchTool, queries: Sequence[str], unread: set[int], most: int, deep: int) -> list[int]:
    """The best few unread pages of all queries together."""
    rankings = await asyncio.gather(*(tool.find(query, deep) for query in queries))
    new = [[page for page in ranking if page in unread][:most] for ranking in rankings]
    return [page for page, _ in fuse(new)][:most]


def _told(found: dict[str, list[int]], hits: list[Found]) -> str:
    if not hits:
        return "found no page that was not read before"
    return "; ".join(f"{name}: {listed(pages)}" for name, pages in found.items())


search = searching(memory_tools)
