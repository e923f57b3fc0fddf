"""readgraph reads documents and histories that are longer than a language model can read well."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from readgraph.models.local.server import local_model
    from readgraph.models.named import register_embeddings, register_model
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

__version__: str
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
    "ReaderContext",
    "ReadgraphError",
    "__version__",
    "local_model",
    "open_library",
    "open_library_in_background",
    "register_embeddings",
    "register_model",
]

_HOMES = {
    **dict.fromkeys(
        (
            "BadInput",
            "BudgetSpent",
            "Damaged",
            "Forgotten",
            "LibraryError",
            "ModelUnavailable",
            "NoUsableReply",
            "ReadgraphError",
        ),
        "state.errors",
    ),
    "BackgroundLibrary": "state.library",
    "Library": "state.library",
    "open_library": "state.library",
    "open_library_in_background": "state.library",
    "PageStore": "state.page_store",
    "ReaderContext": "state.context",
    "local_model": "models.local.server",
    "register_embeddings": "models.named",
    "register_model": "models.named",
}


def __getattr__(name: str) -> Any:
    # Imported when first used: the command's help must not wait for LangGraph.
    if name == "__version__":
        from importlib.metadata import version

        return version("readgraph")
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f"readgraph.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'readgraph' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
