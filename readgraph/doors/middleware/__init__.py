"""Memory for agents of other packages: middleware for `create_agent`, a summarizer, a library as deepagents' files."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readgraph.doors.middleware.agent_memory import AgentMemory
    from readgraph.doors.middleware.history import as_summarizer
    from readgraph.doors.middleware.library_backend import LibraryBackend
else:
    from readgraph.state.lazy_names import lazy_names

    # Imported when first used: only the backend needs deepagents.
    __getattr__, __dir__ = lazy_names(
        __name__, {"agent_memory": ["AgentMemory"], "library_backend": ["LibraryBackend"], "history": ["as_summarizer"]}
    )

__all__ = ["AgentMemory", "LibraryBackend", "as_summarizer"]
