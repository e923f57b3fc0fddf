"""readgraph reads documents and histories that are longer than a language model can read well."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readgraph.models.local.server import local_model
    from readgraph.models.names.named import register_embeddings, register_model
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
    from readgraph.state.library import BackgroundLibrary, Library, open_library, open_library_in_background
    from readgraph.state.page_store import PageStore
    from readgraph.state.reading import Question
    from readgraph.state.version import __version__
else:
    from readgraph.state.by_name.lazy_names import lazy_names

    # Imported when first used: the command's help must not wait for LangGraph.
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "models.local.server": ["local_model"],
            "models.names.named": ["register_embeddings", "register_model"],
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
            "state.library": ["BackgroundLibrary", "Library", "open_library", "open_library_in_background"],
            "state.page_store": ["PageStore"],
            "state.reading": ["Question"],
            "state.version": ["__version__"],
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
    "local_model",
    "open_library",
    "open_library_in_background",
    "register_embeddings",
    "register_model",
]
