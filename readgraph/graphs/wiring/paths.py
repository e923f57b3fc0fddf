"""The ways a run can take through a graph, superstep by superstep, as LangGraph would go them."""

from collections import deque
from collections.abc import Collection, Iterator
from itertools import product
from typing import Any, TypeAlias

from langgraph.graph import END, START, StateGraph

Builder: TypeAlias = StateGraph[Any, Any, Any, Any]

Moment: TypeAlias = tuple[frozenset[str], frozenset[tuple[str, str]]]
"""The nodes that run in one superstep; and (start, end) of the joins that wait for other starts of theirs."""


def path_avoiding(builder: Builder, avoided: Collection[str], to: str) -> list[str] | None:
    """The shortest way from the start to a node on which none of the avoided nodes has run before; none = no way.

    One entry a superstep; nodes that run at once stand together.
    """
    first: Moment = (frozenset({START}), frozenset())
    ways: dict[Moment, list[str]] = {first: []}
    waiting = deque([first])
    while waiting:
        moment = waiting.popleft()
        running, _ = moment
        if to in running:
            return [*ways[moment][:-1], to]
        if running.isdisjoint(avoided):
            for after in _next(builder, moment):
                if after not in ways:
                    ways[after] = [*ways[moment], " + ".join(sorted(after[0]))]
                    waiting.append(after)
    return None


def _next(builder: Builder, moment: Moment) -> Iterator[Moment]:
    """Every superstep that may follow: all edges are taken, and of each branch one."""
    running, arrived = moment
    edges = {end for start, end in builder.edges if start in running}
    arrived |= {(start, end) for starts, end in builder.waiting_edges for start in starts if start in running}
    for starts, end in builder.waiting_edges:
        if (all_of := {(start, end) for start in starts}) <= arrived:
            edges.add(end)
            arrived -= all_of
    for chosen in product(*_branches(builder, running)):
        yield frozenset({*edges, *chosen} - {END}), arrived


def _branches(builder: Builder, running: Collection[str]) -> Iterator[Collection[str]]:
    """Where each branch of the nodes may lead; one without a path list may lead anywhere."""
    for node in running:
        for branch in builder.branches.get(node, {}).values():
            yield {*(branch.ends or {name: name for name in [*builder.nodes, END]}).values()}
        if node in builder.nodes and (ends := builder.nodes[node].ends):  # where a Command may lead
            yield {*ends}
