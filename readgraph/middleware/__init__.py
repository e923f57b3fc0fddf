"""Memory for agents of other packages: middleware for `create_agent`, a summarizer, a library as deepagents' files."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from readgraph.middleware.agent_memory import AgentMemory
    from readgraph.middleware.library_backend import LibraryBackend
    from readgraph.middleware.summarizing import as_summarizer

__all__ = ["AgentMemory", "LibraryBackend", "as_summarizer"]

_HOMES = {
    "AgentMemory": "agent_memory",
    "LibraryBackend": "library_backend",
    "as_summarizer": "summarizing",
}


def __getattr__(name: str) -> Any:
    # Imported when first used: only the backend needs deepagents.
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
