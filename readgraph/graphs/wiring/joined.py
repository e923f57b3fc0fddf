"""A method's graph with fewer supersteps: steps that nobody stops between run as one.

Each superstep of LangGraph costs a checkpoint and a round of its scheduler, about 2 ms together, which is most of the
time of a question without a model. Where many questions are served and nobody resumes in the middle, that buys nothing.
"""

import asyncio
from collections.abc import Mapping
from contextlib import nullcontext
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, TypeAlias, get_type_hints

from langchain_core.runnables import RunnableConfig
from langgraph.channels.binop import BinaryOperatorAggregate
from langgraph.errors import GraphRecursionError
from langgraph.graph import END, START, StateGraph
from langgraph.managed import RemainingSteps
from langgraph.runtime import Runtime, get_runtime
from langgraph.types import Command, Overwrite
from typing_extensions import TypedDict

from readgraph.graphs.wiring import WITHOUT_TEXTS
from readgraph.graphs.wiring.method_graph import NODE, Builder, GraphStep, MethodGraph
from readgraph.nodes.memory import fetch_anew, open_memories_once
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import end_this_task_when_left

__all__ = ["join_steps"]

if TYPE_CHECKING:
    from langgraph.graph._branch import BranchSpec

Sequel: TypeAlias = "str | BranchSpec"  # what follows a step: the end of its one edge, or a choice

LEFT = "remaining_steps"  # the channel of what LangGraph's limit of a run leaves, by which loops end in their usual way


class JoinedSteps(StepNode[Any, Any]):
    """Several steps in one superstep: each sees what those before it wrote, and is recorded by itself.

    It begins with the first of them. `place` names the node of the graph in which each step of another one stands.
    """

    def __init__(self, builder: Builder, sequels: Mapping[str, Sequel], place: Mapping[str, str]) -> None:
        self.steps: dict[str, Any] = {name: builder.nodes[name].runnable for name in sequels}
        self.sequels, self.place = sequels, place
        self.exits = sorted({place[end] for name in sequels for end in _ends(sequels[name]) if end not in sequels})
        self.reducers = {
            key: channel.operator
            for key, channel in builder.channels.items()
            if isinstance(channel, BinaryOperatorAggregate)
        }
        super().__init__(next(iter(self.steps.values())).work)

    async def ainvoke(
        self,
        input: Any,
        config: RunnableConfig | None = None,
        *,
        runtime: Runtime[ReaderContext] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Run the steps one after the other; what they wrote is given to the graph together, with where to go on."""
        runtime = runtime or get_runtime(ReaderContext)
        known, written = dict(input), dict[str, Any]()
        with open_memories_once():
            around = copy_context()
        name = next(iter(self.steps))
        with end_this_task_when_left():
            while name in self.steps:
                if not known[LEFT]:
                    raise GraphRecursionError(f"The graph took all of its steps, and '{name}' would be one more.")
                of_step: Any = {**(config or {}), "metadata": {**(config or {}).get("metadata", {}), NODE: name}}
                # In a context of its own, as LangGraph runs a node: its meter counts for what is around all of them.
                run = _run_step(self.steps[name], known, runtime, of_step)
                for key, value in (await asyncio.create_task(run, context=around.copy())).items():
                    self._write(key, value, known, written)
                known[LEFT] -= 1
                name = await _choose(self.sequels[name], known, config)
        return written if len(self.exits) == 1 else Command(update=written, goto=self.place[name])

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


async def _run_step(step: Any, state: Any, runtime: Runtime[ReaderContext], config: RunnableConfig) -> Any:
    """Run a step; one of a user's own may change notes, such as by a correction."""
    own = step.work.__module__.partition(".")[0] != __name__.partition(".")[0]
    with fetch_anew() if own else nullcontext():
        return await step.ainvoke(state, config, runtime=runtime)


async def _choose(sequel: Sequel, state: Mapping[str, Any], config: RunnableConfig | None) -> str:
    """The step that follows in this state."""
    if isinstance(sequel, str):
        return sequel
    chosen: Any = await sequel.path.ainvoke(state, config)
    if isinstance(chosen, list | tuple):
        if len(chosen) != 1:
            raise BadInput(f"Joined steps go on one by one, and a choice named {len(chosen)} of them.")
        (chosen,) = chosen
    return (sequel.ends or {})[chosen]


def join_steps(builder: Builder) -> MethodGraph[Any, ReaderContext, Any, Any]:
    """The same graph, whose steps with one way in run in one superstep with those before them.

    Of most methods that is a whole question. Compile it where questions are served, and nobody stops, resumes or
    travels between these steps: a run that is killed repeats the joined steps, whose replies are recorded. Single steps
    stay in the trajectory. Not joined are functions and compiled graphs of your own, nodes with a policy of their own,
    steps that ask a person, and those in which an agent acts.

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
    declared = get_type_hints(builder.state_schema, include_extras=True)
    channels: Any = TypedDict("Joined", {**declared, LEFT: RemainingSteps})  # type: ignore[misc]
    groups = _group_steps(builder, sequels := _find_sequels(builder))
    place = {START: START, END: END} | {name: ", ".join(names) for names in groups for name in names}
    for names in groups:
        name, spec = place[names[0]], builder.nodes[names[0]]
        if len(names) == 1:
            StateGraph.add_node(joined, name, spec.runnable, input_schema=spec.input_schema, trace_policy=WITHOUT_TEXTS)
            continue
        step: Any = JoinedSteps(builder, {each: sequels[each] for each in names}, place)
        several = tuple(step.exits) if len(step.exits) > 1 else None
        StateGraph.add_node(joined, name, step, destinations=several, input_schema=channels, trace_policy=WITHOUT_TEXTS)
        if not several:
            joined.add_edge(name, step.exits[0])
    alone = {names[0] for names in groups if len(names) == 1} | {START}
    for start, end in builder.edges:
        if start in alone:
            joined.add_edge(place[start], place[end])
    for starts, end in builder.waiting_edges:
        joined.add_edge([place[start] for start in starts], place[end])
    for start, branches in builder.branches.items():
        for branch in branches.values() if start in alone else ():
            ends = {key: place[end] for key, end in (branch.ends or {}).items()}
            joined.add_conditional_edges(place[start], branch.path, ends)
    return joined


def _find_sequels(builder: Builder) -> dict[str, Sequel]:
    """What follows each step that may be joined with others, in the order of the graph's nodes."""
    found, awaited = dict[str, Sequel](), {start for starts, _ in builder.waiting_edges for start in starts}
    for name, spec in builder.nodes.items():
        sequels: list[Sequel] = [end for start, end in builder.edges if start == name]
        sequels += builder.branches.get(name, {}).values()
        if len(sequels) == 1 and name not in awaited and _ends(sequels[0]) and _may_be_joined(spec):
            found[name] = sequels[0]
    return found


def _ends(sequel: Sequel) -> set[str]:
    """Where it may lead; nothing where that is not declared."""
    return {sequel} if isinstance(sequel, str) else {*(sequel.ends or {}).values()}


def _group_steps(builder: Builder, sequels: Mapping[str, Sequel]) -> list[list[str]]:
    """The nodes in groups, each after its first: all ways into another one of a group begin in the group."""
    ways = [*builder.edges, *((start, end) for starts, end in builder.waiting_edges for start in starts)]
    for start, branches in builder.branches.items():
        ways += [(start, end) for branch in branches.values() for end in (_ends(branch) or builder.nodes)]
    groups, left = list[list[str]](), dict.fromkeys(builder.nodes)
    while left:
        first = next(iter(left))
        group = {name for name in sequels if name in left} | {first}
        while entered := {end for start, end in ways if end in group and start not in group} - {first}:
            group -= entered
        groups.append([first, *(name for name in left if name in group - {first})] if first in sequels else [first])
        left = {name: None for name in left if name not in groups[-1]}
    return groups


def _may_be_joined(spec: Any) -> bool:
    """Whether a node is a step of ours that can be repeated, without a policy of its own."""
    policies = (spec.retry_policy, spec.cache_policy, spec.defer)
    step = spec.runnable
    return isinstance(step, StepNode) and not isinstance(step, GraphStep) and not step.alone and not any(policies)
