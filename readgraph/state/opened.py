"""An open library: its folder, its store, its checkpointer and its page store."""

from dataclasses import dataclass, field
from pathlib import Path

from langgraph.store.base import BaseStore

from readgraph.state.checkpoints import LibraryCheckpointer
from readgraph.state.named_collections import NamedCollections
from readgraph.state.page_store import PageStore


@dataclass(frozen=True)
class Library:
    """An open library: pass `store` and `checkpointer` to `compile()`, and add texts with `pages.add_document()`."""

    folder: Path
    store: BaseStore = field(repr=False)
    checkpointer: LibraryCheckpointer = field(repr=False)
    pages: PageStore = field(repr=False)

    @property
    def collections(self) -> NamedCollections:
        """The named collections of its documents."""
        return NamedCollections(self.pages)
