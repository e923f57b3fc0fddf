"""The configuration of LangGraph's development server: every graph by its name, and the library as its store."""

from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from readgraph.graphs.methods import METHODS, find_methods
from readgraph.library.opening import development_store
from readgraph.state.declaring import settings_in

SCHEMA = "https://langgra.ph/schema.json"  # where editors find what langgraph.json may hold; nothing here fetches it

PYTHON = "3.11"  # the Python of an image that is built from langgraph.json


@dataclass(frozen=True)
class ServedGraph:
    """A graph on the server: its location, `module:name`, and how clients see it described."""

    path: str
    description: str


def assistant_graphs() -> dict[str, ServedGraph]:
    """Each graph by the name of its assistant: the methods, then what says itself how it is served."""
    described = {
        method: f"Answers questions about a long document, with quotes. {method.line}" for method in METHODS.values()
    }
    described |= {method: method.served for method in find_methods() if method.served}
    return {method.name.replace("-", "_"): ServedGraph(method.graph, text) for method, text in described.items()}


def settings_of_served(name: str) -> frozenset[str]:
    """The names of the settings that a served graph uses."""
    module, _, graph = assistant_graphs()[name].path.partition(":")
    return frozenset(settings_in(getattr(import_module(module), graph).context_schema))


def server_configuration() -> dict[str, Any]:
    """The content of langgraph.json."""
    store = f"{development_store.__module__}.{development_store.__name__}"
    graphs = {name: asdict(graph) for name, graph in assistant_graphs().items()}
    return {
        "$schema": SCHEMA,
        "python_version": PYTHON,
        "dependencies": ["."],
        "graphs": graphs,
        "store": {"path": store},
    }
