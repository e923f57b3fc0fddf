"""Readgraph for other programs and agents: functions over a library, LangChain tools and retrievers."""

from typing import TYPE_CHECKING

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
        summarise,
        table,
    )
    from readgraph.tools.leaving import until_left
    from readgraph.tools.own_search import searched_by
    from readgraph.tools.retrieving import LibraryRetriever, as_retriever
else:
    from readgraph.state.by_name.lazy_names import lazy_names

    # Imported when first used: the command uses some files of this room, and must not wait for the others.
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "agent_tools": ["as_tool", "research_tool"],
            "found_documents": ["add_documents"],
            "functions": [
                *("ask", "compress", "list_documents", "open_page", "read", "remember", "research", "search"),
                *("summarise", "table"),
            ],
            "leaving": ["until_left"],
            "own_search": ["searched_by"],
            "retrieving": ["LibraryRetriever", "as_retriever"],
        },
    )

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
    "summarise",
    "table",
    "until_left",
]
