"""Readgraph for other programs and agents: functions over a library, LangChain tools and retrievers."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from readgraph.tools.agent_tools import as_tool, research_tool
    from readgraph.tools.found_documents import add_documents
    from readgraph.tools.functions import (
        ask,
        compress,
        list_documents,
        open_page,
        read,
        remember,
        research,
        search,
    )
    from readgraph.tools.own_search import searched_by
    from readgraph.tools.retrieving import LibraryRetriever, as_retriever

__all__ = [
    "LibraryRetriever",
    "add_documents",
    "as_retriever",
    "as_tool",
    "ask",
    "compress",
    "list_documents",
    "open_page",
    "read",
    "remember",
    "research",
    "research_tool",
    "search",
    "searched_by",
]

_HOMES = {
    **dict.fromkeys(
        ("ask", "compress", "list_documents", "open_page", "read", "remember", "research", "search"), "functions"
    ),
    "as_tool": "agent_tools",
    "research_tool": "agent_tools",
    "add_documents": "found_documents",
    "as_retriever": "retrieving",
    "searched_by": "own_search",
    "LibraryRetriever": "retrieving",
}


def __getattr__(name: str) -> Any:
    # Imported when first used: the command uses some files of this room, and must not wait for the others.
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
