"""Functions that choose the next edge, run where they are called instead of in a thread."""

from collections.abc import Callable
from typing import Any

from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.runnables.config import var_child_runnable_config


class choosing(RunnableLambda[Any, str]):
    """A function `state -> name of the next node` for a conditional edge.

    LangGraph would give each choice to a thread, which takes longer than choosing. So this is for functions that don't
    block. Where somebody traces the run, the choice is a run of its own, as ever.
    """

    def __init__(self, choose: Callable[[Any], str]) -> None:
        super().__init__(choose)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> str:
        """The name of the next node."""
        return super().invoke(input, config, **kwargs) if _traced(config) else self._chosen(input, config)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> str:
        """The name of the next node."""
        return await super().ainvoke(input, config, **kwargs) if _traced(config) else self._chosen(input, config)

    def _chosen(self, state: Any, config: RunnableConfig | None) -> str:
        before = var_child_runnable_config.set(config)
        try:
            return str(self.func(state))
        finally:
            var_child_runnable_config.reset(before)


def _traced(config: RunnableConfig | None) -> bool:
    """Whether anything listens to the runs inside of a run."""
    callbacks = (config or {}).get("callbacks")
    return bool(getattr(callbacks, "handlers", callbacks))
