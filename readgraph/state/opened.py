"""An open library: where it is, its store, its checkpointer and its page store."""

from dataclasses import dataclass, field
from pathlib import Path

from langgraph.store.base import BaseStore

from readgraph.state.checkpointing.shared_checkpointer import SharedCheckpointer
from readgraph.state.kept.named_collections import NamedCollections
from readgraph.state.page_store import PageStore
from readgraph.state.store.namespaces import base_of
from readgraph.state.store.shared_store import SharedStore


@dataclass(frozen=True)
class Library:
    """An open library: pass `store` and `checkpointer` to `compile()`, and add texts with `pages.add_document()`.

    `folder` is the library's own; of one on a server, that of its search indexes on this disk.
    """

    folder: Path
    store: BaseStore = field(repr=False)
    checkpointer: SharedCheckpointer = field(repr=False)
    pages: PageStore = field(repr=False)

    @property
    def collections(self) -> NamedCollections:
        """The named collections of its documents."""
        return NamedCollections(self.pages)

    @property
    def shared(self) -> SharedStore:
        """The whole store of the library, of which `store` may be a part."""
        whole = base_of(self.store)
        assert isinstance(whole, SharedStore)
        return whole

    @property
    def place(self) -> str:
        """Where the library is: its folder, or its address without a password."""
        return self.shared.place
