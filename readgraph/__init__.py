"""readgraph reads documents and histories that are longer than a language model can read well."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readgraph.api import local_model
    from readgraph.api.opening import BackgroundLibrary, Library, open_library, open_library_in_background
    from readgraph.api.shortcuts import aask, aread, ask, read
    from readgraph.library.page_store import PageStore
    from readgraph.models.names import register_embeddings, register_model
    from readgraph.state.context import ReaderContext
    from readgraph.state.errors import (
        BadInput,
        BudgetSpent,
        Damaged,
        Forgotten,
        LibraryError,
        ModelUnavailable,
        NoUsableReply,
        ReadgraphError,
    )
    from readgraph.state.installed import __version__
    from readgraph.state.reading import Question
else:
    from readgraph.state.lazy_names import lazy_names

    # Imported when first used: the command's help must not wait for LangGraph.
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "api": ["local_model"],
            "api.shortcuts": ["aask", "aread", "ask", "read"],
            "models.names": ["register_embeddings", "register_model"],
            "state.context": ["ReaderContext"],
            "state.errors": [
                "BadInput",
                "BudgetSpent",
                "Damaged",
                "Forgotten",
                "LibraryError",
                "ModelUnavailable",
                "NoUsableReply",
                "ReadgraphError",
            ],
            "api.opening": ["BackgroundLibrary", "Library", "open_library", "open_library_in_background"],
            "library.page_store": ["PageStore"],
            "state.reading": ["Question"],
            "state.installed": ["__version__"],
        },
    )

__all__ = [
    "BackgroundLibrary",
    "BadInput",
    "BudgetSpent",
    "Damaged",
    "Forgotten",
    "Library",
    "LibraryError",
    "ModelUnavailable",
    "NoUsableReply",
    "PageStore",
    "Question",
    "ReaderContext",
    "ReadgraphError",
    "__version__",
    "aask",
    "aread",
    "ask",
    "local_model",
    "open_library",
    "open_library_in_background",
    "read",
    "register_embeddings",
    "register_model",
]
