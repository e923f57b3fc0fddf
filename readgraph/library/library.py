"""An open library, and the files that its documents were made of.

Files that came without a place on this disk are kept, so that they can be shown. Of files that were converted, the hash
of their bytes finds the document.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from langgraph.store.base import BaseStore

from readgraph.library.checkpointer import SharedCheckpointer
from readgraph.library.collections import NamedCollections
from readgraph.library.overlay import OverlayStore
from readgraph.library.page_store import PageStore
from readgraph.library.store import SharedStore
from readgraph.library.stored_items import ROOT, base_of
from readgraph.library.watched import WatchedFiles
from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from readgraph.state.variables import set_variable

ONLY_READ = "The library can only be read"


@dataclass(frozen=True)
class Library:
    """An open library: pass `store` and `checkpointer` to `compile()`, and add texts with `pages.add_document()`.

    `folder` is the library's own; of one on a server, that of its search indexes on this disk.
    """

    folder: Path
    store: BaseStore = field(repr=False)
    checkpointer: SharedCheckpointer = field(repr=False)
    pages: PageStore = field(repr=False)
    is_copy: bool = field(default=False, kw_only=True, repr=False)
    """It is of one that can only be read: what is made is gone afterwards."""

    def require_writable(self) -> None:
        """Raise `BadInput` where what is added, changed or deleted would not be kept."""
        if self.is_copy:
            raise BadInput(f"{ONLY_READ}: nothing can be added, changed or deleted.")

    @property
    def collections(self) -> NamedCollections:
        """The named collections of its documents."""
        return NamedCollections(self.pages)

    @property
    def watched(self) -> WatchedFiles:
        """The lists of the folders that are watched."""
        return WatchedFiles(self.store)

    @property
    def whole_store(self) -> SharedStore:
        """The whole store of the library, of which `store` may be a part."""
        whole = base_of(self.store)
        assert isinstance(whole, SharedStore)
        return whole

    @property
    def place(self) -> str:
        """Where the library is: its folder, or its address without a password."""
        return self.whole_store.place


def keep_original(library: Library, document: Document, data: bytes, ending: str) -> None:
    """Keep the file that a document was made of."""
    library.whole_store.keep_original(f"{document.id}{ending}", data)


_given: ContextVar[Mapping[str, Path]] = ContextVar("readgraph_originals", default={})  # noqa: B039  (never changed)


def originals_at(files: Mapping[str, Path]) -> AbstractContextManager[object]:
    """Inside of the `with`, these are the files of documents, by the documents' ids, whatever a store holds."""
    return set_variable(_given, files)


def original_in(store: BaseStore, document: Document, ending: str) -> Path | None:
    """The file of a document that a store keeps, else the one that it was read from; None for another kind."""
    if given := _given.get().get(document.id):
        return given if given.suffix.lower() == ending else None
    base = base_of(store)
    while isinstance(base, OverlayStore):
        base = base_of(base.below)
    kept = base.original(f"{document.id}{ending}") if isinstance(base, SharedStore) else None
    return kept or _source_file(document, ending)


def with_originals(library: Library, documents: Sequence[Document], ending: str) -> set[str]:
    """The ids of those documents of which `original_in` finds a file."""
    kept = library.whole_store.filter_originals([f"{document.id}{ending}" for document in documents])
    return {each.id for each in documents if f"{each.id}{ending}" in kept or _source_file(each, ending)}


def _source_file(document: Document, ending: str) -> Path | None:
    named = Path(document.source)
    return named if named.suffix.lower() == ending and named.is_absolute() and named.is_file() else None


FILES = (ROOT, "files")  # under a file's hash, the id of its document


async def document_of_file(pages: PageStore, digest: str) -> Document | None:
    """The document that was made of a file with this hash, if the library still holds it."""
    (value,) = await pages.get(FILES, [digest])
    identity = value.get("document") if value else None
    return await pages.find_document(identity) if isinstance(identity, str) else None


async def keep_file(pages: PageStore, digest: str, document: Document) -> None:
    """Remember which document was made of a file with this hash."""
    await pages.put([(FILES, digest, {"document": document.id})])
