"""The documents that a command works on: files, folders, standard input, or documents in the library."""

import os
from collections.abc import Sequence
from pathlib import Path

import typer

from readgraph.cli.terminal.safe_text import one_line
from readgraph.sources import SourceText, load, load_all
from readgraph.sources.loading import STANDARD_INPUT, shown
from readgraph.state.collections import add_collection
from readgraph.state.errors import BadInput, LibraryError
from readgraph.state.library import Library
from readgraph.state.page_store import PageStore, document_id
from readgraph.state.records import Document


async def store_source(library: Library, source: SourceText) -> Document:
    """Store a source's text as a document in the library."""
    places = [(place.start, place.label) for place in source.places]
    file = "" if source.source == STANDARD_INPUT else source.source
    return await library.pages.add_document(source.text, title=source.title, source=file, places=places)


def sources_of(paths: Sequence[Path], glob: str | None) -> list[SourceText]:
    """The texts of files and folders; unreadable files in a folder are reported and left out."""
    return load_all(paths, glob, lambda problem: typer.echo(f"readgraph: Left out: {one_line(problem)}", err=True))


def check_glob(paths: Sequence[Path], glob: str | None) -> None:
    """Raise `BadInput` where a pattern is given but no folder."""
    if glob is not None and not any(map(os.path.isdir, paths)):
        raise BadInput("--glob selects files in folders, but no folder is named: leave it out.")


def asked_sources(paths: Sequence[Path], glob: str | None) -> list[SourceText | str]:
    """The texts of files and folders; any other name stays a name, which may be a document in the library.

    Don't call it in an event loop: there, Ctrl-C would wait for a slow file.
    """
    check_glob(paths, glob)
    sources: list[SourceText | str] = []
    for path in paths:
        sources += sources_of([path], glob) if _is_file(path) else [str(path)]
    return sources


async def asked_document(library: Library, sources: Sequence[SourceText | str]) -> Document:
    """The document of one source, or the collection of several. Raises `BadInput` for an unknown name."""
    documents = []
    for source in sources:
        if isinstance(source, SourceText):
            documents.append(await store_source(library, source))
        elif known := await _named(library.pages, source):
            documents.append(known)
        else:
            raise BadInput(f"There is no file {shown(Path(source))}, and no document of that name in the library.")
    return await add_collection(library.pages, documents)


async def find_document(store: PageStore, name: str) -> Document:
    """The document with this id, title or file; raises `BadInput` where there is none."""
    id_of_file = document_id(load(Path(name)).text) if os.path.isfile(name) else None
    if document := await _named(store, name, id_of_file):
        return document
    if damaged := await damaged_document(store, name):
        raise LibraryError(f"The record of document {damaged} is damaged: 'readgraph forget {damaged}' deletes it.")
    raise BadInput(f"The library holds no document '{name}': 'readgraph show' lists them.")


async def damaged_document(store: PageStore, id_start: str) -> str:
    """The id of the one document with a damaged record whose id begins like this; "" where there is none."""
    _, damaged = await store.listed()
    matches = [identity for identity in damaged if id_start.strip() and identity.startswith(id_start)]
    return matches[0] if len(matches) == 1 else ""


async def _named(store: PageStore, name: str, id_of_file: str | None = None) -> Document | None:
    """The document with this id, file, title, or beginning of an id; None where there is none."""
    if not name.strip():  # every id begins with the empty string
        return None
    documents = await store.documents()
    path = str(Path(name).absolute())
    for matches in (
        [document for document in documents if document.id in (name, id_of_file)],
        [document for document in documents if document.source == path],
        [document for document in documents if document.title.casefold() == name.casefold()],
        [document for document in documents if document.id.startswith(name)],
    ):
        if len(matches) > 1:
            ids = ", ".join(document.id for document in matches)
            raise BadInput(f"'{name}' matches several documents: give the id of one ({ids}).")
        if matches:
            return matches[0]
    return None


def _is_file(path: Path) -> bool:
    return str(path) == STANDARD_INPUT or os.path.lexists(path)
