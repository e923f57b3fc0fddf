"""The graph of a method: LangGraph's StateGraph, whose compiled form keeps its own store inside other graphs too."""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, StateUpdate
from langgraph.typing import ContextT, InputT, OutputT, StateT

from readgraph.graphs.wiring.known_names import check_names, check_updates, warn_of_configurable
from readgraph.graphs.wiring.subgraphs import GraphStep
from readgraph.graphs.wiring.watched import watched_astream, watched_stream
from readgraph.state.running.leaving import ending_with, until_left
from readgraph.state.store.own_store import OWN_STORE

RUNTIME = "__pregel_runtime"
"""Where LangGraph keeps the runtime of the run around a graph, among the `configurable` of its config."""

NODE = "langgraph_node"
"""Where LangGraph keeps the name of the node that makes a call, among the `metadata` of its config."""

COORDINATES = ("thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map")
"""With one of these in its config, LangGraph takes a call for a run of its own."""


class _Known(dict[str, Any]):
    """The settings by their names, which holds any other name too: so the server hands it on, and it is refused."""

    def __contains__(self, name: object) -> bool:
        return True


class MethodGraph(StateGraph[StateT, ContextT, InputT, OutputT]):
    """A StateGraph that can be called anywhere: see `CompiledMethod`."""

    def compile(self, *args: Any, **kwargs: Any) -> "CompiledMethod[StateT, ContextT, InputT, OutputT]":
        """Compile with a checkpointer, a store and so on, as LangGraph's `StateGraph.compile`."""
        compiled = super().compile(*args, **kwargs)
        for name, spec in self.nodes.items():
            if isinstance(spec.runnable, GraphStep):  # for drawings, and for the state of subgraphs
                compiled.nodes[name].subgraphs = [spec.runnable.graph]
        attributes = {name: value for name, value in vars(compiled).items() if name != "__orig_class__"}
        return CompiledMethod(**attributes)


class CompiledMethod(CompiledStateGraph[StateT, ContextT, InputT, OutputT]):
    """A compiled method. In the node or tool of another graph it is a part of that run, with its own store.

    LangGraph would give it the store of the run around it, which may hold other documents or none. A graph that was
    compiled without a store uses that one. A call that names a thread (`thread_id`) is a run of its own, with its own
    checkpointer; any other is interrupted, resumed and checkpointed with the run around it.
    """

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:
        """LangGraph's `stream`, on which `invoke` stands; who leaves it ends its steps."""
        self._check_call(input, config, kwargs.get("context"))
        events = super().stream(input, self._with_own_store(config), **kwargs)
        return ending_with(watched_stream(events, self.name, config))

    def astream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AsyncIterator[Any]:
        """LangGraph's `astream`, on which `ainvoke` stands; who leaves it ends its steps."""
        self._check_call(input, config, kwargs.get("context"))
        events = super().astream(input, self._with_own_store(config), **kwargs)
        return until_left(watched_astream(events, self.name, config))

    def bulk_update_state(self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]) -> RunnableConfig:
        """LangGraph's, on which `update_state` stands; raises `BadInput` for a key that the state lacks."""
        self._check_updates(config, supersteps)
        return super().bulk_update_state(config, supersteps)

    async def abulk_update_state(
        self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
    ) -> RunnableConfig:
        """As `bulk_update_state`."""
        self._check_updates(config, supersteps)
        return await super().abulk_update_state(config, supersteps)

    def get_context_jsonschema(self) -> dict[str, Any] | None:
        """The schema of the settings; LangGraph's server would leave out what is none, where Python refuses it."""
        schema = super().get_context_jsonschema()
        return schema and {**schema, "properties": _Known(schema.get("properties", {}))}

    def _check_call(self, given: Any, config: RunnableConfig | None, context: object) -> None:
        """Refuse unknown keys of an input, and warn of ignored settings; a node of another graph gives what it has."""
        if not _is_in_a_node(config):
            check_names("The input has", given.update if isinstance(given, Command) else given, self.builder.channels)
            warn_of_configurable((config or {}).get("configurable", {}), context)

    def _check_updates(self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]) -> None:
        if not config.get("configurable", {}).get("checkpoint_ns"):  # else it may be of a graph inside
            check_updates(supersteps, self.builder.channels)

    def _with_own_store(self, config: RunnableConfig | None) -> RunnableConfig | None:
        """The config of a call, with the runtime of the run around it, if there is one, but with the graph's store."""
        around = _runtime_around(config)
        if self.store is None or around is None or around.store is self.store:
            return config
        own = {RUNTIME: around.override(store=self.store), OWN_STORE: True}
        return {**(config or {}), "configurable": {**(config or {}).get("configurable", {}), **own}}


def _is_in_a_node(config: RunnableConfig | None) -> bool:
    """Whether a node of another graph makes this call, here or through a server: also for a run of its own."""
    return any(NODE in (each or {}).get("metadata", {}) for each in (config, var_child_runnable_config.get()))


def _runtime_around(config: RunnableConfig | None) -> Runtime[Any] | None:
    """The runtime of the run in whose node this call is made; None outside of any, and for a run of its own."""
    given = (config or {}).get("configurable", {})
    if RUNTIME not in given and not any(given.get(coordinate) for coordinate in COORDINATES):
        given = (var_child_runnable_config.get() or {}).get("configurable", {})
    runtime = given.get(RUNTIME)
    return runtime if isinstance(runtime, Runtime) else None
