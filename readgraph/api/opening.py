"""Open the library from Python: as `readgraph.library.opening` does, with files that can be added by their names."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from readgraph.api.documents import store_file
from readgraph.library import opening
from readgraph.library.opening import Named
from readgraph.sources.inputs import file_or_address
from readgraph.sources.loading import printable_path, read_file
from readgraph.state.errors import BadInput
from readgraph.state.loops import in_background
from readgraph.state.records import Document


class Library(opening.Library):
    """An open library: pass `store` and `checkpointer` to `compile()`, and add files and texts."""

    async def add(self, source: str | os.PathLike[str]) -> Document:
        """Store a file, or a web page, as a document; nothing is asked, and no note is written.

        It is converted once: a file that is there already gives its document. Add a text with
        `pages.add_document(text, title=…)`.

        Args:
            source: The file, of any kind that readgraph reads, or an https:// address.

        Returns:
            The document, with its id, its title and its words.

        Raises:
            BadInput: The file is missing, is a folder, or can't be read.
            LibraryError: The library can't be written.
        """
        path = file_or_address(os.fspath(source))
        if path.is_dir():
            raise BadInput(f"{printable_path(path)} is a folder: add its files one by one.")
        return (await store_file(self.pages, await asyncio.to_thread(read_file, path))).document


class BackgroundLibrary(opening.BackgroundLibrary):
    """A library for synchronous code, open until the end of its `with`, until `close()`, or until the process ends."""

    def add(self, source: str | os.PathLike[str]) -> Document:
        """Store a file, or a web page, as a document: as `Library.add`."""
        return in_background(Library(self.folder, self.store, self.checkpointer, self.pages).add, source)


@asynccontextmanager
async def open_library(folder: Named | None = None, **how: Any) -> AsyncIterator[Library]:
    """Open the library in a folder (created if it is missing), or on a server (`postgresql://user@host/database`).

    Args:
        folder: The folder or the server's address; by default the user's library.
        **how: `namespace`: a part of the library, such as a tenant's, which sees no others. `only_shows`: a library
            that can't be written, such as one on a read-only disk, is opened for reading. `answers`: such a library
            answers questions too, in a copy that is gone at the end of the `with`. `finishes`: False leaves what a
            stopped command left unfinished.

    Raises:
        LibraryError: If the folder holds something else, can't be written, or has a newer layout, and if the server
            can't be reached or refuses the user; inside the `with`, if the disk is full or a file is damaged.
    """
    async with opening.open_library(folder, **how) as library:
        yield Library(**vars(library))


def open_library_in_background(folder: Named | None = None, *, namespace: str = "") -> BackgroundLibrary:
    """Open a library as `open_library` does, for synchronous code.

    Args:
        folder: The folder or the server's address; by default the user's library.
        namespace: A part of the library, such as a tenant's.

    Returns:
        The library, which is open: use it in a `with`, or keep it across the cells of a notebook.
    """
    return BackgroundLibrary(**vars(opening.open_library_in_background(folder, namespace=namespace)))
