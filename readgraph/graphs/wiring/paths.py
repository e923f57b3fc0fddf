"""The paths that a run can take through a graph, superstep by superstep, as LangGraph would run them."""

from collections import deque
from collections.abc import Collection, Iterator
from itertools import product
from typing import Any, TypeAlias

from langgraph.graph import END, START, StateGraph

Builder: TypeAlias = StateGraph[Any, Any, Any, Any]

Moment: TypeAlias = tuple[frozenset[str], frozenset[tuple[str, str]]]
"""The nodes that run in one superstep; and (start, end) of the joins that still wait for other starts."""


def path_avoiding(builder: Builder, avoided: Collection[str], to: str) -> list[str] | None:
    """The shortest path to a node on which none of the avoided ran, an entry for each superstep; None without one."""
    first: Moment = (frozenset({START}), frozenset())
    paths: dict[Moment, list[str]] = {first: []}
    waiting = deque([first])
    while waiting:
        moment = waiting.popleft()
        running, _ = moment
        if to in running:
            return [*paths[moment][:-1], to]
        if running.isdisjoint(avoided):
            for after in _next(builder, moment):
                if after not in paths:
                    paths[after] = [*paths[moment], " + ".join(sorted(after[0]))]
                    waiting.append(after)
    return None


def find_nodes_after(builder: Builder, start: str, avoided: Collection[str] = ()) -> set[str]:
    """The nodes that may run after a node, without one of the avoided nodes running between."""
    waiting, found = [start], set[str]()
    while waiting:
        node = waiting.pop()
        edges = {end for begin, end in builder.edges if begin == node}
        edges |= {end for begins, end in builder.waiting_edges if node in begins}
        new = edges.union(*_branches(builder, [node])) - found - {END}
        found |= new
        waiting += new - {*avoided}
    return found


def _next(builder: Builder, moment: Moment) -> Iterator[Moment]:
    """Every superstep that may follow: all edges are taken, and one choice of each branch."""
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
    """The targets of each branch of the nodes; a branch without a path list may lead anywhere."""
    for node in running:
        for branch in builder.branches.get(node, {}).values():
            yield {*(branch.ends or {name: name for name in [*builder.nodes, END]}).values()}
        if node in builder.nodes and (ends := builder.nodes[node].ends):  # targets of a Command
            yield {*ends}
