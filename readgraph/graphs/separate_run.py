"""Runs with variables of their own, for a graph that is called inside of another graph's node or tool."""

from contextvars import Context, copy_context

from langchain_core.runnables.config import var_child_runnable_config


def separate_run() -> Context:
    """The variables of a separate run: inside another graph's node, a graph would use that graph's store."""
    variables = copy_context()
    variables.run(var_child_runnable_config.set, None)
    return variables
