"""Files that came without a place on this disk, such as those dropped on the page: kept, so that they can be shown."""

from collections.abc import Sequence
from pathlib import Path

from readgraph.state.opened import Library
from readgraph.state.records import Document


def keep_original(library: Library, document: Document, data: bytes, ending: str) -> None:
    """Keep the file that a document was made of."""
    library.shared.keep_original(f"{document.id}{ending}", data)


def original_of(library: Library, document: Document, ending: str) -> Path | None:
    """The kept file of a document, else the one that it was read from, if it is there; None for another kind."""
    return library.shared.original(f"{document.id}{ending}") or _named(document, ending)


def with_originals(library: Library, documents: Sequence[Document], ending: str) -> set[str]:
    """The ids of those documents of which `original_of` finds a file."""
    kept = library.shared.kept_originals([f"{document.id}{ending}" for document in documents])
    return {each.id for each in documents if f"{each.id}{ending}" in kept or _named(each, ending)}


def _named(document: Document, ending: str) -> Path | None:
    """The file of this kind that a document was read from, if it is there."""
    named = Path(document.source)
    return named if named.suffix.lower() == ending and named.is_absolute() and named.is_file() else None


def forget_original(library: Library, document: str) -> None:
    """Delete the kept file of the document with this id."""
    library.shared.forget_original(document)
