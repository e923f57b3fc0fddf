"""Import paths of earlier versions: they still work, and say where their names are now."""

import sys
import warnings
from importlib import import_module
from types import ModuleType
from typing import Any

BASELINES = (
    *("bm25", "dense", "first_words", "full_text", "fused", "gists_only", "last_words", "recurrent"),
    *("retrieved_pages", "web_bm25", "web_dense", "web_gists_only", "web_page"),
)

MOVED = {
    "browsing.driving": "browsing.driver",
    "cli.terminal.walk_drawing": "cli.terminal.rendering",
    "estimates.methods": "graphs.estimates.methods",
    "estimates.web_agent": "graphs.web_agent",
    "evaluation.walks": "evaluation.results",
    **{f"graphs.baselines.{name}": "graphs.baselines" for name in BASELINES},
    "nodes.agent.event_text": "nodes.agent.memory",
    "nodes.agent.receiving": "nodes.agent.receive",
    "nodes.agent.working_context": "nodes.agent.memory",
    "nodes.answering.citing": "nodes.answering.cite",
    "nodes.building.gists": "nodes.building.notes",
    "nodes.building.pauses": "nodes.building.paging",
    "nodes.building.summary_tree": "nodes.building.summaries",
    "nodes.look_up.retrieval": "nodes.look_up",
    "nodes.memory_view": "nodes.memory",
    "nodes.tree_view": "nodes.memory",
    "report.data": "report.page",
    "sources.web.page": "sources.web_page",
    "state.agent_lives": "library.agent_lives",
    "state.agents": "library.agents",
    "state.corrections": "library.corrections",
    "state.histories": "library.histories",
    "state.search.okapi": "library.search.okapi",
    "tools": "api",
    "tools.compressed": "api.functions",
    "tools.results": "api.results",
}
"""Where the public names of modules of version 0.1 are now."""

RENAMED = {
    f"graphs.baselines.{name}.{old}": new
    for name in BASELINES
    for old, new in (("build", f"build_{name}"), ("graph", name))
} | {"graphs.baselines.bm25.read": "read_segments"}
"""Public names that are called otherwise now."""


VANISHED = ("estimates", "sources.web", "state.search")  # packages of version 0.1 that held nothing but such modules


class MovedModule(ModuleType):
    """A module of an earlier version, whose names are taken from where they are now, with a warning."""

    def __init__(self, path: str) -> None:
        super().__init__(f"readgraph.{path}", "Its names are elsewhere now.")
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        """A name that is elsewhere now."""
        path = self.__name__.removeprefix("readgraph.")
        if path not in MOVED or name.startswith("__"):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        home, now = f"readgraph.{MOVED[path]}", RENAMED.get(f"{path}.{name}", name)
        found = getattr(import_module(home), now)
        warnings.warn(f"{self.__name__}.{name} is now {home}.{now}", DeprecationWarning, stacklevel=2)
        return found


def register_moved_modules() -> None:
    """Let the import system find the modules of earlier versions."""
    for path in (*VANISHED, *MOVED):
        sys.modules.setdefault(f"readgraph.{path}", MovedModule(path))
