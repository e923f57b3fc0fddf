"""The documents that a command is about: files, folders, standard input, or what the library holds."""

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
    """A source's text as a document of the library."""
    places = [(place.start, place.label) for place in source.places]
    file = "" if source.source == STANDARD_INPUT else source.source
    return await library.pages.add_document(source.text, title=source.title, source=file, places=places)


def sources_of(paths: Sequence[Path], glob: str | None) -> list[SourceText]:
    """The texts of files and folders; files of a folder that can't be read are reported and left out."""
    return load_all(paths, glob, lambda problem: typer.echo(f"readgraph: Left out: {one_line(problem)}", err=True))


def check_glob(paths: Sequence[Path], glob: str | None) -> None:
    """Raise `BadInput` where there is a pattern for the files of folders, and no folder."""
    if glob is not None and not any(map(os.path.isdir, paths)):
        raise BadInput("--glob chooses files of folders, and no folder is named: leave it out.")


def asked_sources(paths: Sequence[Path], glob: str | None) -> list[SourceText | str]:
    """The texts of files and folders; what is no file is a name, and may be a document in the library.

    Not for an event loop, where Ctrl-C would wait for a slow file.
    """
    check_glob(paths, glob)
    sources: list[SourceText | str] = []
    for path in paths:
        sources += sources_of([path], glob) if _is_file(path) else [str(path)]
    return sources


async def asked_document(library: Library, sources: Sequence[SourceText | str]) -> Document:
    """The document of one source; of several the collection. Raises `BadInput` for a name of nothing."""
    documents = []
    for source in sources:
        if isinstance(source, SourceText):
            documents.append(await store_source(library, source))
        elif known := await _named(library.pages, source):
            documents.append(known)
        else:
            raise BadInput(f"There is no file {shown(Path(source))}, nor a document of that name in the library.")
    return await add_collection(library.pages, documents)


async def find_document(store: PageStore, named: str) -> Document:
    """The document of this id, title or file; raises `BadInput` where there is none."""
    content = document_id(load(Path(named)).text) if os.path.isfile(named) else None
    if found := await _named(store, named, content):
        return found
    if damaged := await damaged_document(store, named):
        raise LibraryError(f"The record of document {damaged} is damaged: 'readgraph forget {damaged}' deletes it.")
    raise BadInput(f"The library holds no document '{named}': 'readgraph show' lists them.")


async def damaged_document(store: PageStore, named: str) -> str:
    """The id of the document of which this is the beginning, where its record is damaged; "" where it is not."""
    _, damaged = await store.listed()
    found = [identity for identity in damaged if named.strip() and identity.startswith(named)]
    return found[0] if len(found) == 1 else ""


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
