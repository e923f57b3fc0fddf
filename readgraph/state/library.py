"""The library: the folder on disk where documents, memories, replies and checkpoints are kept."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from platformdirs import user_data_path

from readgraph.state.background import background
from readgraph.state.checkpoints import LibraryCheckpointer, open_checkpointer
from readgraph.state.errors import LibraryError
from readgraph.state.library_store import LibraryStore, unusable
from readgraph.state.page_store import PageStore
from readgraph.state.search.beside import close_indexes

FORMAT = 1
"""Version of the library's layout; a library of a newer one is refused."""


@dataclass(frozen=True)
class Library:
    """An open library: give `store` and `checkpointer` to `compile()`, and texts to `pages.add_document()`."""

    folder: Path
    store: LibraryStore = field(repr=False)
    checkpointer: LibraryCheckpointer = field(repr=False)
    pages: PageStore = field(repr=False)


def default_folder() -> Path:
    """Where the library is: READGRAPH_LIBRARY, else the user's data folder."""
    named = os.environ.get("READGRAPH_LIBRARY")
    return Path(named).expanduser() if named else user_data_path("readgraph", appauthor=False)


@asynccontextmanager
async def open_library(folder: str | os.PathLike[str] | None = None) -> AsyncIterator[Library]:
    """Open the library in a folder (made where it is missing).

    Raises `LibraryError` where the folder holds something else, can't be written, or is of a newer version; within it,
    where its disk is full or a file of it is damaged.
    """
    folder = Path(folder).expanduser() if folder is not None else default_folder()
    store = await asyncio.to_thread(_open_store, folder)
    try:
        async with open_checkpointer(folder / "checkpoints.sqlite") as checkpointer:
            yield Library(folder, store, checkpointer, PageStore(store))
    finally:
        await asyncio.to_thread(_close, store)


@dataclass(frozen=True)
class BackgroundLibrary(Library):
    """A library that is open until the end of its `with`, or until `close()`; at the latest until the process ends."""

    closing: ExitStack = field(repr=False)

    def close(self) -> None:
        """Close the library; a second time does nothing."""
        self.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: Any) -> bool | None:
        return self.closing.__exit__(*raised)


def open_library_in_background(folder: str | os.PathLike[str] | None = None) -> BackgroundLibrary:
    """`open_library` for synchronous code.

    It is open at once: use it in a `with`, or hold it over the cells of a notebook.
    """
    closing = ExitStack()
    library = closing.enter_context(background().wrap_async_context_manager(open_library(folder)))
    return BackgroundLibrary(**vars(library), closing=closing)


@asynccontextmanager
async def development_store() -> AsyncIterator[LibraryStore]:
    """Give LangGraph's development server the user's library (named in langgraph.json)."""
    store = await asyncio.to_thread(_open_store, default_folder())
    try:
        yield store
    finally:
        await asyncio.to_thread(_close, store)


def _open_store(folder: Path) -> LibraryStore:
    _check_folder(folder)
    return LibraryStore(folder / "library.sqlite")


def _close(store: LibraryStore) -> None:
    close_indexes(store)
    store.close()


def _check_folder(folder: Path) -> None:
    marker = folder / "readgraph.json"
    try:
        if folder.exists() and not folder.is_dir():
            raise LibraryError(f"{folder} is a file: name a folder for the library.")
        folder.mkdir(parents=True, exist_ok=True)
        holds_more = any(path != marker for path in folder.iterdir())  # looked at first: others may be making it
        if marker.exists() and marker.stat().st_size:
            version = json.loads(marker.read_text(encoding="utf-8"))["format"] + 0
        elif holds_more:
            raise LibraryError(f"{folder} is not a library and not empty: name another folder.")
        else:
            version = FORMAT
            marker.touch()
            with marker.open("r+", encoding="utf-8") as file:  # not emptied: another may be reading the same there
                file.write(json.dumps({"format": FORMAT}) + "\n")
    except OSError as problem:
        raise unusable(folder, problem) from problem
    except (ValueError, KeyError, TypeError) as problem:
        raise LibraryError(f"{marker} is damaged: move it away, or name another folder.") from problem
    if version > FORMAT:
        raise LibraryError(f"The library {folder} was made by a newer version (format {version}): upgrade readgraph.")
