"""Search the pages of a memory: rankers by name, each with its queries, and their rankings fused in one place.

`searching` makes a node of it: a method says what is searched and what becomes of the pages found.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, get_args, get_type_hints

from langgraph.runtime import Runtime

from readgraph.nodes.search_tools import SearchTool
from readgraph.nodes.step import StateT, StepNode, UpdateT, Work
from readgraph.nodes.tasks import failing_as_one
from readgraph.state.channels.research import SearchHit
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import Groups
from readgraph.state.search.fusing import DEPTH, fuse, pages_of

Found = dict[str, list[tuple[int, float]]]
"""(page, score) of what each ranker found, the best first."""


@dataclass(frozen=True)
class Bounds:
    """Limits of a search.

    `most`: pages of each ranker, by all of its queries together; `among`: the pages that count (None: all).
    """

    most: int
    among: Collection[int] | None = None


@dataclass(frozen=True)
class Search(Generic[UpdateT]):
    """A search: rankers by name, the queries of each, and how far it goes; `then` makes the node's update of it."""

    rankers: Mapping[str, SearchTool]
    queries: Mapping[str, Sequence[str]]
    bounds: Bounds
    then: Callable[[Found], UpdateT]


def searching(
    make_search: Callable[[StateT, Runtime[ReaderContext]], Awaitable[Search[UpdateT]]],
    without_model: Work[StateT, UpdateT] | None = None,
    *,
    settings: Groups = (),
) -> StepNode[StateT, UpdateT]:
    """The node that searches; `make_search` is a method's part: `(state, runtime) -> Search`.

    Its types say what the node reads and writes. `settings` names the groups of settings that it reads.
    """

    async def search(state: StateT, runtime: Runtime[ReaderContext]) -> UpdateT:
        wanted = await make_search(state, runtime)
        return wanted.then(await search_pages(wanted.rankers, wanted.queries, wanted.bounds))

    hints = get_type_hints(make_search)
    search.__annotations__ |= {"state": hints["state"], "return": get_args(hints["return"])[0]}
    search.__doc__, search.__module__ = make_search.__doc__, make_search.__module__
    return StepNode(search, without_model, settings=settings)


async def search_pages(
    rankers: Mapping[str, SearchTool], queries: Mapping[str, Sequence[str]], bounds: Bounds
) -> Found:
    """The best pages of each ranker for all of its queries together; all rankers at once.

    If one fails, the others are stopped and its error is raised.
    """
    with failing_as_one():
        async with asyncio.TaskGroup() as tasks:
            searches = {
                name: tasks.create_task(_ranked(rankers[name], asked, bounds))
                for name, asked in queries.items()
                if asked
            }
    return {name: done.result() for name, done in searches.items()}


async def _ranked(ranker: SearchTool, queries: Sequence[str], bounds: Bounds) -> list[tuple[int, float]]:
    """The best few pages of all queries together."""
    rankings = await asyncio.gather(*(ranker.find(query, DEPTH) for query in queries))
    among = bounds.among
    counted = [[hit for hit in ranking if among is None or hit[0] in among] for ranking in rankings]
    return fuse(counted)[: bounds.most]


def fused_hits(found: Found, most: int = DEPTH) -> list[SearchHit]:
    """The first `most` pages of each ranker, with the rankers that found them; the best first by all that was found."""
    first = {name: {*pages_of(ranking[:most])} for name, ranking in found.items()}
    hits = list[SearchHit]()
    for page, score in fuse(found.values()):
        if names := [name for name, pages in first.items() if page in pages]:
            hits.append({"page": page, "tools": names, "score": round(score, 5)})
    return hits
