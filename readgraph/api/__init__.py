"""Readgraph for other programs and agents: functions over a library, LangChain tools and retrievers."""

from typing import TYPE_CHECKING

__all__ = [
    "LibraryRetriever",
    "RunThread",
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
    "verify",
    "wiki",
]

if TYPE_CHECKING:
    from readgraph.api.functions import (
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
        verify,
    )
    from readgraph.api.langchain import (
        LibraryRetriever,
        add_documents,
        as_retriever,
        as_tool,
        research_tool,
        searched_by,
        until_left,
    )
    from readgraph.api.running import RunThread
    from readgraph.features.wiki.wikis import wiki
else:
    from readgraph.state.lazy_names import lazy_names

    _OF_LANGCHAIN = {
        *("LibraryRetriever", "add_documents", "as_retriever", "as_tool", "research_tool", "searched_by"),
        "until_left",
    }
    _OTHERS = {"langchain": _OF_LANGCHAIN, "readgraph.features.wiki.wikis": {"wiki"}, "running": {"RunThread"}}
    # Imported when first used: the command uses some files of this room, and must not wait for the others.
    __getattr__, __dir__ = lazy_names(__name__, {**_OTHERS, "functions": {*__all__}.difference(*_OTHERS.values())})
