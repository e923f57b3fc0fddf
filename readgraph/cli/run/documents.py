"""The documents that a command works on: files, folders, standard input, or documents in the library."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import typer

from readgraph.api.documents import document_named, find_kept_document, id_without_conversion, store_source
from readgraph.cli.options.reading import DocumentOptions
from readgraph.cli.terminal.progress import ConversionProgress
from readgraph.cli.terminal.safe_text import one_line
from readgraph.cli.terminal.screen import OutputOptions
from readgraph.library.collections import add_collection
from readgraph.library.documents import document_id
from readgraph.library.library import document_of_file
from readgraph.library.opening import Library, holds_library, open_library_in_background
from readgraph.library.page_store import PageStore
from readgraph.sources import SourceText, load, load_all
from readgraph.sources.converting import show_conversion
from readgraph.sources.loading import STANDARD_INPUT, names_file, raise_problem, read_file
from readgraph.state.errors import BadInput
from readgraph.state.loops import in_background
from readgraph.state.records import Document


def load_sources(
    options: DocumentOptions, screen: OutputOptions, *, other_names: bool = True
) -> list[SourceText | str]:
    """The texts of files and folders; for a file that was converted before, the id of its document.

    Unreadable files, as long as there is another, and unreadable pages of a file are reported and left out. With
    `other_names`, what names no file is given back as it is. Not for an event loop: Ctrl-C would wait for a slow file.
    """
    paths, folder = options.paths, options.library
    check_glob(paths, options.glob)
    with ConversionProgress(screen) as progress, show_conversion(progress.show), ExitStack() as opened:

        @cache
        def library() -> Library | None:
            """The library, if there is one; it is opened for the first file that was converted."""
            return opened.enter_context(open_library_in_background(folder)) if holds_library(folder) else None

        def load_one(path: Path) -> SourceText | str:
            if other_names and not names_file(path):
                return str(path)
            if str(path) == STANDARD_INPUT:
                return load(path)
            file = read_file(path)
            kept = library() if file.digest else None
            if kept and (known := in_background(document_of_file, kept.pages, file.digest)):
                return known.id
            source = file.convert()
            for problem in source.problems:
                report_left_out(problem)
            return source

        return load_all(paths, options.glob, report_left_out, load_one)


def conversion_seconds(sources: Sequence[SourceText | str]) -> float:
    """How long the conversion of these files took."""
    return sum(source.seconds for source in sources if isinstance(source, SourceText))


def report_left_out(problem: object) -> None:
    """Print what can't be read, and why."""
    typer.echo(f"readgraph: Left out: {one_line(str(problem))}", err=True)


def check_glob(paths: Sequence[Path], glob: str | None) -> None:
    """Raise `BadInput` where a pattern is given but no folder."""
    if glob is not None and not any(map(os.path.isdir, paths)):
        raise BadInput("--glob selects files in folders, but no folder is named: leave it out.")


async def resolve_document(library: Library, sources: Sequence[SourceText | str]) -> Document:
    """The document of one source, or the collection of several. Raises `BadInput` for an unknown name."""
    documents = [
        await store_source(library.pages, source)
        if isinstance(source, SourceText)
        else await find_kept_document(library.pages, source)
        for source in sources
    ]
    return await add_collection(library.pages, documents)


async def find_document(store: PageStore, name: str, *, by_part: bool = True) -> Document:
    """The document with this id, title (or, `by_part`, a part of it) or file; a file is recognised by its content."""
    id_of_file = None
    if os.path.isfile(name):
        file = read_file(Path(name))
        id_of_file = await id_without_conversion(store, file) or document_id(file.convert().text)
    return await document_named(store, name, id_of_file, by_part=by_part)


async def find_documents(store: PageStore, names: Sequence[str]) -> list[Document]:
    """The documents of these names; a file among several that can't be read, or wasn't, is reported and left out."""
    documents, problems = list[Document](), list[BadInput]()
    for name in names:
        try:
            documents.append(await find_document(store, name))
        except BadInput as problem:
            if not os.path.isfile(name):
                raise
            problems.append(problem)
    for unreadable in problems:
        (report_left_out if documents else raise_problem)(unreadable)
    return documents
