"""A compiled graph as a node of a method: it takes the keys that the two states share, and gives them back."""

import asyncio
from collections.abc import Collection, Mapping
from contextvars import ContextVar
from typing import Any, TypeAlias

from langchain_core.runnables import RunnableConfig
from langgraph.channels.last_value import LastValue
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel.protocol import PregelProtocol
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from readgraph.graphs.wiring.paths import Builder
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import Groups
from readgraph.state.errors import BadInput

CompiledGraph: TypeAlias = PregelProtocol[Any, Any, Any, Any]
"""A compiled graph, here or behind a server."""

_waits: ContextVar[bool] = ContextVar("readgraph_waits", default=False)
"""Whether the graph around runs under `invoke`: its checkpointer may have no asynchronous calls."""


class GraphStep(StepNode[Any, Any]):
    """A step that runs a compiled graph.

    The graph gets those keys of the state that its input has, and what it gives back replaces them: what it appended
    to a list is there once. Keys that only one of the two states has stay in it; `gives` are those that the state has.
    If the graph's state has `steps`, the steps inside it are the record; else it is recorded as one step.
    """

    def __init__(
        self, name: str, graph: PregelProtocol[Any, Any, Any, Any], builder: Builder, settings: Groups
    ) -> None:
        self.graph, self.gives = graph, frozenset(builder.channels)
        taken = _input_keys(graph)
        joined = {key for key, channel in builder.channels.items() if not isinstance(channel, LastValue)}

        def shared(key: str) -> bool:
            return taken is None or key in taken

        async def work(state: Any, runtime: Runtime[ReaderContext]) -> dict[str, Any]:
            given = {key: value for key, value in state.items() if shared(key) and (value or key not in joined)}
            output = await (asyncio.to_thread(graph.invoke, given) if _waits.get() else graph.ainvoke(given))
            if not isinstance(output, Mapping):
                raise BadInput(f"The node '{name}' must give what changed: its graph gave {output!r:.60}.")
            kept = {key: value for key, value in output.items() if key in builder.channels}
            return {key: Overwrite(value) if key in joined and shared(key) else value for key, value in kept.items()}

        work.__name__, work.__doc__ = name, "The steps of another graph."
        super().__init__(work, settings=settings)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run in the background event loop, and the graph itself in a thread."""
        before = _waits.set(True)
        try:
            return super().invoke(input, config, **kwargs)
        finally:
            _waits.reset(before)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run in the caller's event loop."""
        before = _waits.set(False)
        try:
            return await super().ainvoke(input, config, **kwargs)
        finally:
            _waits.reset(before)


def _input_keys(graph: CompiledGraph) -> Collection[str] | None:
    """The keys of a graph's input; None where it says none, such as a remote graph: it gets them all."""
    return graph.builder.schemas[graph.builder.input_schema] if isinstance(graph, CompiledStateGraph) else None
