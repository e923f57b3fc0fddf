"""The documents that a command works on: files, folders, standard input, or documents in the library."""

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path

import typer

from readgraph.cli.run.titles import suggestion, titled
from readgraph.cli.terminal.conversion_progress import ConversionProgress
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.safe_text import one_line
from readgraph.sources import SourceText, load, load_all
from readgraph.sources.addresses import Address
from readgraph.sources.converting import conversion_shown
from readgraph.sources.loading import STANDARD_INPUT, read_file, shown
from readgraph.state.background import background
from readgraph.state.collections import add_collection
from readgraph.state.converted_files import document_of_file, keep_file
from readgraph.state.errors import BadInput, LibraryError
from readgraph.state.library import Library, holds_library, open_library_in_background
from readgraph.state.page_store import PageStore, document_id
from readgraph.state.records import Document


async def store_source(library: Library, source: SourceText) -> Document:
    """Store a source's text as a document in the library, with the hash of the file it was converted from."""
    document = await _stored(library, source)
    if source.digest:
        await keep_file(library.pages, source.digest, document)
    return document


async def _stored(library: Library, source: SourceText) -> Document:
    places = [(place.start, place.label) for place in source.places]
    file = "" if source.source == STANDARD_INPUT else source.source
    return await library.pages.add_document(source.text, title=source.title, source=file, places=places)


def sources_of(paths: Sequence[Path], glob: str | None, folder: Path | None, screen: Screen) -> list[SourceText | str]:
    """The texts of files and folders; for a file that was converted before, the id of its document.

    Unreadable files in a folder, and unreadable pages of a file, are reported and left out.
    """
    with ConversionProgress(screen) as progress, conversion_shown(progress.show), ExitStack() as opened:
        return load_all(paths, glob, _report, partial(_load, _converted_before(folder, opened)))


def conversion_seconds(sources: Sequence[SourceText | str]) -> float:
    """How long the conversion of these files took."""
    return sum(source.seconds for source in sources if isinstance(source, SourceText))


def _load(known: Callable[[str], str | None], path: Path) -> SourceText | str:
    if str(path) == STANDARD_INPUT:
        return load(path)
    file = read_file(path)
    if file.digest and (document := known(file.digest)):
        return document
    source = file.convert()
    for problem in source.problems:
        _report(problem)
    return source


def _converted_before(folder: Path | None, opened: ExitStack) -> Callable[[str], str | None]:
    """A function from a file's hash to the id of the document made from it; it opens the library when first called."""

    @cache
    def library() -> Library | None:
        return opened.enter_context(open_library_in_background(folder)) if holds_library(folder) else None

    def known(digest: str) -> str | None:
        kept = library()
        document = background().call(document_of_file, kept.pages, digest) if kept else None
        return document.id if document else None

    return known


def _report(problem: object) -> None:
    typer.echo(f"readgraph: Left out: {one_line(str(problem))}", err=True)


def check_glob(paths: Sequence[Path], glob: str | None) -> None:
    """Raise `BadInput` where a pattern is given but no folder."""
    if glob is not None and not any(map(os.path.isdir, paths)):
        raise BadInput("--glob selects files in folders, but no folder is named: leave it out.")


def asked_sources(
    paths: Sequence[Path], glob: str | None, folder: Path | None, screen: Screen
) -> list[SourceText | str]:
    """The texts of files and folders, as `sources_of` returns them; any other name may be a document in the library.

    Don't call it in an event loop: there, Ctrl-C would wait for a slow file.
    """
    check_glob(paths, glob)
    sources: list[SourceText | str] = []
    for path in paths:
        sources += sources_of([path], glob, folder, screen) if _is_file(path) else [str(path)]
    return sources


async def asked_document(library: Library, sources: Sequence[SourceText | str]) -> Document:
    """The document of one source, or the collection of several. Raises `BadInput` for an unknown name."""
    documents = []
    for source in sources:
        if isinstance(source, SourceText):
            documents.append(await store_source(library, source))
        else:
            kept = await library.pages.documents()
            if not (known := _named(kept, source) or titled(kept, source)):
                problem = f"There is no file {shown(Path(source))}, and no document of that name in the library."
                raise BadInput(problem + suggestion(kept, source))
            documents.append(known)
    return await add_collection(library.pages, documents)


async def find_document(store: PageStore, name: str, *, by_part: bool = True) -> Document:
    """The document with this id, title or file, or (`by_part`) with this in its title.

    Raises `BadInput` where there is none, or several.
    """
    id_of_file = await _document_in_file(store, Path(name)) if os.path.isfile(name) else None
    documents = await store.documents()
    if document := _named(documents, name, id_of_file):
        return document
    if damaged := await damaged_document(store, name):
        raise LibraryError(f"The record of document {damaged} is damaged: 'readgraph forget {damaged}' deletes it.")
    if by_part and (document := titled(documents, name)):
        return document
    raise BadInput(f"The library holds no document '{name}': 'readgraph show' lists them.{suggestion(documents, name)}")


async def _document_in_file(store: PageStore, path: Path) -> str:
    file = read_file(path)
    known = await document_of_file(store, file.digest) if file.digest else None
    return known.id if known else document_id(file.convert().text)


async def damaged_document(store: PageStore, id_start: str) -> str:
    """The id of the one document with a damaged record whose id begins like this; "" where there is none."""
    _, damaged = await store.listed()
    matches = [identity for identity in damaged if id_start.strip() and identity.startswith(id_start)]
    return matches[0] if len(matches) == 1 else ""


def _named(documents: Sequence[Document], name: str, id_of_file: str | None = None) -> Document | None:
    """The document with this id, file, title, or beginning of an id; None where there is none."""
    if not name.strip():  # every id begins with the empty string
        return None
    path = str(Path(name).absolute())
    for matches in (
        [document for document in documents if document.id in (name, id_of_file)],
        [document for document in documents if document.source in (path, name)],
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
    return isinstance(path, Address) or str(path) == STANDARD_INPUT or os.path.lexists(path)
