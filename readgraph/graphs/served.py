"""The configuration of LangGraph's development server: every graph by its name, and the library as its store."""

from importlib import import_module
from typing import Any

from readgraph.graphs.methods import METHODS
from readgraph.state.declaring import settings_in
from readgraph.state.library import development_store

FURTHER = {
    "gam_memorize": "readgraph.graphs.gam:memorize",
    "gam_research": "readgraph.graphs.gam:research",
    "mem_gpt_chat": "readgraph.graphs.mem_gpt:chat",
}
"""Further graphs: parts of a method, or its other build."""


def served_graphs() -> dict[str, str]:
    """The location of each graph, `module:name`, by the name of its assistant; a method's is the name of its module."""
    of_methods = {method.module.rpartition(".")[2]: method.graph for method in METHODS.values()}
    return of_methods | FURTHER


def settings_of_served(name: str) -> frozenset[str]:
    """The names of the settings that a served graph uses."""
    module, _, graph = served_graphs()[name].partition(":")
    return frozenset(settings_in(getattr(import_module(module), graph).context_schema))


def server_configuration() -> dict[str, Any]:
    """The content of langgraph.json."""
    store = f"{development_store.__module__}.{development_store.__name__}"
    return {"dependencies": ["."], "graphs": served_graphs(), "store": {"path": store}}
