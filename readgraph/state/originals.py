"""Files that came without a place on this disk, such as those dropped on the page: kept, so that they can be shown."""

from pathlib import Path

from readgraph.state.opened import Library
from readgraph.state.records import Document
from readgraph.state.whole_files import written_whole

ORIGINALS = "originals"
"""The folder in the library; a file there has the id of its document, and the ending of its kind."""


def keep_original(library: Library, document: Document, data: bytes, ending: str) -> None:
    """Keep the file that a document was made of."""
    folder = library.folder / ORIGINALS
    folder.mkdir(exist_ok=True)
    with written_whole(folder / f"{document.id}{ending}", "wb") as file:
        file.write(data)


def original_of(library: Library, document: Document, ending: str) -> Path | None:
    """The kept file of a document, else the one that it was read from, if it is there; None for another kind."""
    kept = library.folder / ORIGINALS / f"{document.id}{ending}"
    if kept.is_file():
        return kept
    named = Path(document.source)
    return named if named.suffix.lower() == ending and named.is_absolute() and named.is_file() else None


def forget_original(library: Library, document: str) -> None:
    """Delete the kept file of the document with this id."""
    for file in (library.folder / ORIGINALS).glob(f"{document}.*"):
        file.unlink(missing_ok=True)
