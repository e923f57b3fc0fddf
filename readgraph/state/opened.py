"""An open library: its folder, its store, its checkpointer and its page store."""

from dataclasses import dataclass, field
from pathlib import Path

from readgraph.state.checkpoints import LibraryCheckpointer
from readgraph.state.library_store import LibraryStore
from readgraph.state.page_store import PageStore


@dataclass(frozen=True)
class Library:
    """An open library: pass `store` and `checkpointer` to `compile()`, and add texts with `pages.add_document()`."""

    folder: Path
    store: LibraryStore = field(repr=False)
    checkpointer: LibraryCheckpointer = field(repr=False)
    pages: PageStore = field(repr=False)
