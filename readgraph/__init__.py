"""readgraph reads documents and histories that are longer than a language model can read well."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from readgraph.nodes.local.server import local_model
    from readgraph.state.context import ReaderContext
    from readgraph.state.errors import ReadgraphError
    from readgraph.state.library import Library, open_library, open_library_in_background
    from readgraph.state.page_store import PageStore

__version__: str
__all__ = [
    "Library",
    "PageStore",
    "ReaderContext",
    "ReadgraphError",
    "__version__",
    "local_model",
    "open_library",
    "open_library_in_background",
]

_HOMES = {
    "Library": "state.library",
    "open_library": "state.library",
    "open_library_in_background": "state.library",
    "PageStore": "state.page_store",
    "ReaderContext": "state.context",
    "ReadgraphError": "state.errors",
    "local_model": "nodes.local.server",
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
