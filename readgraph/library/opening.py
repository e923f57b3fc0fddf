"""The library: where documents, memories, replies and checkpoints are kept, in a folder or on a server."""

import asyncio
import errno
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from readgraph.language.detection import classifier
from readgraph.library.address import (
    CHECKPOINTS,
    MARKER,
    STORE,
    LibraryAddress,
    LibraryPlace,
    default_place,
    format_of,
    library_place,
    put_format,
    store_kinds,
)
from readgraph.library.background_work import end_work
from readgraph.library.file_store import LibraryStore
from readgraph.library.library import Library as Library
from readgraph.library.page_store import PageStore
from readgraph.library.search.indexes import close_indexes
from readgraph.library.sqlite_files import explain_refusals, library_unusable_error, refuse_links
from readgraph.library.store import SharedStore
from readgraph.library.stored_items import name_in_base
from readgraph.library.upkeep.folder_copies import copy_folder, migrate
from readgraph.library.upkeep.forgetting import finish_unfinished
from readgraph.state.errors import LibraryError
from readgraph.state.files import check_format
from readgraph.state.installed import of_kind
from readgraph.state.loops import background

FORMAT = 1  # version of the library's layout; a library with a newer layout is refused

Named = str | os.PathLike[str] | LibraryAddress


@asynccontextmanager
async def open_library(
    folder: Named | None = None,
    *,
    only_shows: bool = False,
    answers: bool = False,
    finishes: bool = True,
    namespace: str = "",
) -> AsyncIterator[Library]:
    """Open the library in a folder (created if it is missing), or at an address of a server.

    Args:
        folder: The folder or the server's address; by default the user's library.
        only_shows: A library that can't be written, such as one on a read-only disk, is opened for reading, and writing
            to it raises `LibraryError`.
        answers: A library that can't be written is copied for the time of the `with`, so that questions are answered
            and drafts checked as ever; what is made of it is gone afterwards.
        finishes: False leaves what a stopped command left unfinished, such as a forgetting: for who looks whether the
            library is damaged.
        namespace: A part of the library, such as a tenant's, with its own documents, memories, replies, indexes and
            threads, which sees no others.

    Raises:
        LibraryError: If the folder holds something else, can't be written, or has a newer layout, and if the server
            can't be reached or refuses the user; inside the `with`, if the disk is full or a file is damaged.
    """
    place = library_place(folder) if folder is not None else default_place()
    if answers and isinstance(place, Path) and holds_library(place) and _unwritable(place):
        async with _open_copy(place, namespace) as copied:
            yield copied
        return
    to_read = only_shows and isinstance(place, Path) and holds_library(place) and _unwritable(place) is not None
    async with open_whole(place, to_read=to_read) as whole:
        pages = PageStore(whole, namespace=namespace)
        async with whole.open_threads(name_in_base(pages.store, "").removesuffix("-")) as checkpointer:
            library = Library(whole.folder, pages.store, checkpointer, pages)
            if finishes and whole.writable:
                await finish_unfinished(library)
            yield library


@asynccontextmanager
async def _open_copy(place: Path, namespace: str) -> AsyncIterator[Library]:
    with TemporaryDirectory(prefix="readgraph-") as work:
        copy = Path(work, place.name)
        await asyncio.to_thread(copy_folder, place, copy)
        async with open_library(copy, namespace=namespace) as library:
            library.whole_store.place = str(place)
            yield replace(library, is_copy=True)


@asynccontextmanager
async def open_whole(place: LibraryPlace, *, to_read: bool = False) -> AsyncIterator[SharedStore]:
    """Open the store of a library, with all its namespaces; `to_read`: nothing is changed. Raises `LibraryError`."""
    store = await asyncio.to_thread(_open_store, place, to_read=to_read)
    try:
        yield store
    finally:
        await asyncio.to_thread(_close, store)


@dataclass(frozen=True)
class BackgroundLibrary(Library):
    """A library that stays open until the end of its `with`, until `close()`, or until the process ends."""

    closing: ExitStack = field(repr=False)
    process: int = field(repr=False, default_factory=os.getpid)

    def close(self) -> None:
        """Close the library; a second call does nothing."""
        self.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: Any) -> bool | None:
        return self.closing.__exit__(*raised) if self.process == os.getpid() else None


def open_library_in_background(folder: Named | None = None, *, namespace: str = "") -> BackgroundLibrary:
    """Open a library as `open_library` does, for synchronous code.

    Args:
        folder: The folder or the server's address; by default the user's library.
        namespace: A part of the library, such as a tenant's.

    Returns:
        The library, which is open: use it in a `with`, or keep it across the cells of a notebook.
    """
    closing = ExitStack()
    library = closing.enter_context(background().wrap_async_context_manager(open_library(folder, namespace=namespace)))
    return BackgroundLibrary(**vars(library), closing=closing)


@asynccontextmanager
async def development_store() -> AsyncIterator[SharedStore]:
    """Give LangGraph's development server the user's library (named in langgraph.json)."""
    with suppress(LibraryError):  # told to the first run that needs it
        await asyncio.to_thread(classifier)  # here no run waits for it
    async with open_whole(default_place()) as store:
        yield store


def holds_library(folder: Named | None = None) -> bool:
    """Whether there is a library in a folder; on a server there always is."""
    place = library_place(folder) if folder is not None else default_place()
    if not isinstance(place, Path):
        return True
    with _explain_refusals(place):
        return (place / STORE).exists()


def _unwritable(folder: Path) -> Path | None:
    """What can't be written of a folder with a library, or in which one could be made."""
    places = (nearest_existing(folder), folder / "locks", folder / STORE, folder / CHECKPOINTS)
    return next((place for place in places if place.exists() and not os.access(place, os.W_OK)), None)


def _open_store(place: LibraryPlace, *, to_read: bool = False) -> SharedStore:
    if isinstance(place, Path):
        with _explain_refusals(place):
            if not place.exists():
                place.mkdir(parents=True, exist_ok=True)
            version = _format_in(place)
            if version is None:
                (place / MARKER).touch()
                put_format(place, version := FORMAT)
        if version < FORMAT:
            migrate(place, FORMAT)
        return LibraryStore(place / STORE, to_read=to_read)
    (kind,) = [kind for kind in store_kinds() if place.scheme in kind.schemes][:1]
    module, _, name = kind.opener.partition(":")
    try:
        opener = getattr(import_module(module), name)
    except ImportError as problem:
        if (problem.name or "").startswith("readgraph"):
            raise
        raise LibraryError(f"The library {place} needs packages that are not installed: {kind.needs}.") from problem
    opened = opener(place, to_read=to_read)
    return of_kind(SharedStore, opened, f"What opens {place}")  # type: ignore[type-abstract]


def _close(store: SharedStore) -> None:
    end_work(store)
    close_indexes(store)
    store.close()


def check_writable(folder: Named | None = None) -> None:
    """Look whether a library in a folder can be written, or made; nothing is made. Raises `LibraryError` if not."""
    place = library_place(folder) if folder is not None else default_place()
    if not isinstance(place, Path):
        return
    with _explain_refusals(place):
        _format_in(place)
        there = nearest_existing(place)
        if not there.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, f"{there} is a file")
        if closed := _unwritable(place):
            raise library_unusable_error(closed, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))


def nearest_existing(place: Path) -> Path:
    """A place, or the nearest of the folders around it that is there."""
    around = (place.absolute(), *place.absolute().parents)
    return next((path for path in around if os.path.exists(path)), Path.cwd())  # of a folder that is closed, no error


def _format_in(folder: Path) -> int | None:
    """The layout of the library in a folder; None where none is there yet. Raises `LibraryError` for what is none."""
    if not folder.exists():
        return None
    if not folder.is_dir():
        raise LibraryError(f"{folder} is a file: name a folder for the library.")
    marker, within = folder / MARKER, [*folder.iterdir()]
    holds_more = any(path != marker for path in within)  # first: another process may be creating it
    refuse_links(*within)
    if marker.exists() and marker.stat().st_size:
        version = format_of(folder)
        check_format(f"The library {folder}", version, FORMAT, LibraryError)
        return version
    if holds_more:
        raise LibraryError(f"{folder} is not a library and not empty: name another folder.")
    return None


@contextmanager
def _explain_refusals(folder: Path) -> Iterator[None]:
    """What goes wrong inside of the `with` is told as a `LibraryError` about the folder."""
    try:
        with explain_refusals(folder):
            yield
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise LibraryError(f"{folder / MARKER} is damaged: move it away, or name another folder.") from problem
