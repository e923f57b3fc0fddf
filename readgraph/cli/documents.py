"""The documents that a command is about: files, folders, standard input, or what the library holds."""

import os
from collections.abc import Sequence
from pathlib import Path

from readgraph.sources import SourceText, load, load_all
from readgraph.sources.loading import STANDARD_INPUT
from readgraph.state.collections import add_collection
from readgraph.state.errors import BadInput
from readgraph.state.library import Library
from readgraph.state.page_store import PageStore, document_id
from readgraph.state.records import Document


async def store_source(library: Library, source: SourceText) -> Document:
    """A source's text as a document of the library."""
    places = [(place.start, place.label) for place in source.places]
    file = "" if source.source == STANDARD_INPUT else source.source
    return await library.pages.add_document(source.text, title=source.title, source=file, places=places)


async def asked_document(library: Library, paths: Sequence[Path], glob: str | None) -> Document:
    """The document of one file; of several the collection. A name that is no file may be a document in the library."""
    documents = []
    for path in paths:
        if not _is_file(path) and (known := await _named(library.pages, str(path))):
            documents.append(known)
        else:
            documents += [await store_source(library, source) for source in load_all([path], glob)]
    return await add_collection(library.pages, documents)


async def find_document(store: PageStore, named: str) -> Document:
    """The document of this id, title or file; raises `BadInput` where there is none."""
    content = document_id(load(Path(named)).text) if os.path.isfile(named) else None
    if found := await _named(store, named, content):
        return found
    raise BadInput(f"The library holds no document '{named}': 'readgraph show' lists them.")


async def _named(store: PageStore, named: str, content: str | None = None) -> Document | None:
    """The document of this id or text, file, title, or beginning of an id where it is the only one."""
    if not named.strip():  # every id begins with nothing
        return None
    documents = await store.documents()
    place = str(Path(named).absolute())
    for matches in (
        [document for document in documents if document.id in (named, content)],
        [document for document in documents if document.source == place],
        [document for document in documents if document.title.casefold() == named.casefold()],
        [document for document in documents if document.id.startswith(named)],
    ):
        if len(matches) > 1:
            ids = ", ".join(document.id for document in matches)
            raise BadInput(f"'{named}' names several documents: give the id of one ({ids}).")
        if matches:
            return matches[0]
    return None


def _is_file(path: Path) -> bool:
    return str(path) == STANDARD_INPUT or os.path.lexists(path)
