"""The configuration of LangGraph's development server: every graph by its name, and the library as its store."""

from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from readgraph.graphs.methods import METHODS
from readgraph.library.opening import development_store
from readgraph.state.declaring import settings_in

SCHEMA = "https://langgra.ph/schema.json"
"""Where editors find what langgraph.json may hold; nothing here fetches it."""

PYTHON = "3.11"
"""The Python of an image that is built from langgraph.json."""


@dataclass(frozen=True)
class ServedGraph:
    """A graph on the server: its location, `module:name`, and how clients see it described."""

    path: str
    description: str


FURTHER = {
    "gam_memorize": ServedGraph(
        "readgraph.graphs.gam:memorize",
        "Builds GAM's memory of a long document or a growing history: memos of its parts. Answers nothing.",
    ),
    "gam_research": ServedGraph(
        "readgraph.graphs.gam:research",
        "Answers a question from a memory that gam_memorize built, by rounds of research, with quotes.",
    ),
    "mem_gpt_chat": ServedGraph(
        "readgraph.graphs.mem_gpt:chat",
        "Talks with an agent that remembers every conversation, and reads the documents that it is given.",
    ),
    "summary": ServedGraph(
        "readgraph.graphs.summary:graph",
        "Summarises a long document, or a part of it, at a wanted length; each sentence is checked and cited.",
    ),
    "correct": ServedGraph(
        "readgraph.graphs.correcting:graph", "Replaces the note of one part of a document, or restores the model's own."
    ),
    "web_agent": ServedGraph(
        "readgraph.graphs.web_agent:graph", "Names the next action on a web page, given as HTML, for an instruction."
    ),
}
"""Further graphs: parts of a method, its other build, summaries, the correcting of a note, and the web agent."""


def assistant_graphs() -> dict[str, ServedGraph]:
    """Each graph by the name of its assistant; a method's is the name of its module."""
    of_methods = {
        method.name.replace("-", "_"): ServedGraph(
            method.graph, f"Answers questions about a long document, with quotes. {method.line}"
        )
        for method in METHODS.values()
    }
    return of_methods | FURTHER


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
