"""A method's graph with fewer supersteps: neighbouring steps that nobody stops between run as one.

Each superstep of LangGraph costs a checkpoint and a round of its scheduler, about 2 ms together, which is most of the
time of a question without a model. Where many questions are served and nobody resumes in the middle, that buys nothing.
"""

import asyncio
from collections.abc import Iterable
from contextvars import copy_context
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.channels.binop import BinaryOperatorAggregate
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from readgraph.graphs.wiring.method_graph import NODE, Builder, GraphStep, MethodGraph
from readgraph.graphs.wiring.nodes import WITHOUT_TEXTS
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext


class JoinedSteps(StepNode[Any, Any]):
    """Several steps in one superstep: each sees what those before it wrote, and is recorded by itself."""

    def __init__(self, builder: Builder, names: Iterable[str]) -> None:
        self.steps: dict[str, Any] = {name: builder.nodes[name].runnable for name in names}
        self.reducers = {
            key: channel.operator
            for key, channel in builder.channels.items()
            if isinstance(channel, BinaryOperatorAggregate)
        }
        super().__init__(next(iter(self.steps.values())).work)

    @property
    def input_schema(self) -> type[Any] | None:  # type: ignore[override]
        """All channels: each step reads its own."""
        return None

    async def run(
        self, state: Any, runtime: Runtime[ReaderContext], config: RunnableConfig | None = None
    ) -> dict[str, Any]:
        """Run the steps one after the other; what they wrote is given to the graph together."""
        known, written, around = dict(state), dict[str, Any](), copy_context()
        for name, step in self.steps.items():
            of_step: Any = {**(config or {}), "metadata": {**(config or {}).get("metadata", {}), NODE: name}}
            # In a context of its own, as LangGraph runs a node: a step's meter counts for what is around all of them.
            update = await asyncio.create_task(step.run(known, runtime, of_step), context=around.copy())
            for key, value in update.items():
                self._write(key, value, known, written)
        return written

    def _write(self, key: str, value: Any, known: dict[str, Any], written: dict[str, Any]) -> None:
        """Take over a value as the graph's channel would: with its reducer, if it has one."""
        reduce = self.reducers.get(key)
        if isinstance(value, Overwrite) or reduce is None:
            known[key] = value.value if isinstance(value, Overwrite) else value
            written[key] = value
            return
        known[key] = reduce(known[key], value) if key in known else value
        before = written.get(key)
        if isinstance(before, Overwrite):
            written[key] = Overwrite(reduce(before.value, value))
        else:
            written[key] = value if key not in written else reduce(before, value)


def join_steps(builder: Builder) -> MethodGraph[Any, ReaderContext, Any, Any]:
    """The same graph, in which steps that always follow each other run in one superstep.

    Compile it where questions are served, and nobody stops, resumes or travels between these steps: a run that is
    killed repeats the joined steps, whose replies are recorded. Single steps stay in the trajectory. Compiled graphs
    that stand as nodes, and nodes with a policy of their own, are not joined.

    Args:
        builder: The graph, as a `build` returns it, without a stop before one of its nodes.

    Returns:
        The graph, not compiled.
    """
    joined = MethodGraph(
        builder.state_schema,
        context_schema=builder.context_schema,
        input_schema=builder.input_schema,
        output_schema=builder.output_schema,
    )
    place = {START: START, END: END}
    for names in _chains(builder):
        name = ", ".join(names)
        place |= dict.fromkeys(names, name)
        spec = builder.nodes[names[0]]
        step: Any = JoinedSteps(builder, names) if len(names) > 1 else spec.runnable
        schema = None if len(names) > 1 else spec.input_schema
        StateGraph.add_node(joined, name, step, input_schema=schema, trace_policy=WITHOUT_TEXTS)
    for start, end in builder.edges:
        if place[start] != place[end] or start == end:
            joined.add_edge(place[start], place[end])
    for start, branches in builder.branches.items():
        for branch in branches.values():
            ends = {key: place[end] for key, end in (branch.ends or {}).items()}
            joined.add_conditional_edges(place[start], branch.path, ends)
    return joined


def _chains(builder: Builder) -> list[list[str]]:
    """The nodes in groups: in one stand those that always follow each other."""
    into = dict[str, set[str]]()
    for start, end in builder.edges:
        into.setdefault(end, set()).add(start)
    branches = [branch for of_node in builder.branches.values() for branch in of_node.values()]
    chosen = {end for branch in branches for end in (branch.ends or {}).values()}
    plain = {name for name, spec in builder.nodes.items() if _is_plain(spec)}
    follows = {
        start: end
        for start, end in builder.edges
        if {start, end} <= plain and into[end] == {start} and end not in chosen and start not in builder.branches
        if sum(begin == start for begin, _ in builder.edges) == 1
    }
    firsts = [name for name in builder.nodes if name not in follows.values()]
    chains = list[list[str]]()
    for name in firsts:
        chain = [name]
        while chain[-1] in follows:
            chain.append(follows[chain[-1]])
        chains.append(chain)
    return chains


def _is_plain(spec: Any) -> bool:
    """Whether a node is a step of ours, without a policy of its own."""
    policies = (spec.retry_policy, spec.cache_policy, spec.defer)
    return isinstance(spec.runnable, StepNode) and not isinstance(spec.runnable, GraphStep) and not any(policies)
