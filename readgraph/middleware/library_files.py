"""A library as a tree of read-only text files: a folder for each document, with its pages and notes."""

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from readgraph.sources.places import on_one_line
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory
from readgraph.tools.finding import searchable
from readgraph.tools.memories import newest_first

TEXT = "text.txt"
"""The file with the whole text of a document that has not been read."""

PAGES, NOTES = "pages", "notes"

AT_ONCE = 200
"""Files whose texts are fetched at a time."""


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A file: the whole text of a document, a page of its newest memory, or the note of a page."""

    path: str
    document: Document
    memory: str = ""
    page: int = -1


@dataclass(frozen=True)
class LibraryFiles:
    """The files of a library as they are now: `/TITLE/pages/0003.txt`, `/TITLE/notes/0003.txt`, `/TITLE/text.txt`."""

    pages: PageStore

    async def below(self, folder: str) -> list[LibraryFile]:
        """The files in a folder ("/" for all) and in the folders below it, or the file of this path, in order."""
        wanted = normal(folder)
        memories, files = await self.pages.all_memories(), list[LibraryFile]()
        for name, document in _folders(await searchable(self.pages)):
            root = f"/{name}"
            if is_within(root, wanted) or is_within(wanted, root):
                files += await self._of_document(root, document, memories.get(document.id, []))
        return [file for file in files if is_within(file.path, wanted)]

    async def _of_document(self, root: str, document: Document, memories: Sequence[Memory]) -> list[LibraryFile]:
        newest = next(iter(newest_first(memories)), None)
        if newest is None or not newest.pages:
            return [LibraryFile(f"{root}/{TEXT}", document)]
        noted = [note.page for note in await self.pages.notes(newest.id, range(newest.pages))]
        in_folders = ((NOTES, noted), (PAGES, range(newest.pages)))
        return [
            LibraryFile(f"{root}/{folder}/{number:04d}.txt", document, newest.id, number)
            for folder, numbers in in_folders
            for number in numbers
        ]

    async def texts(self, files: Sequence[LibraryFile]) -> AsyncIterator[tuple[LibraryFile, str]]:
        """Each file with its text, in order; the texts of a document are fetched together, some at a time."""
        for _, group in groupby(files, key=lambda file: (file.document.id, file.path.split("/")[2])):
            alike = [*group]
            for first in range(0, len(alike), AT_ONCE):
                some = alike[first : first + AT_ONCE]
                for file, text in zip(some, await self._texts_of(some), strict=True):
                    yield file, text

    async def _texts_of(self, files: Sequence[LibraryFile]) -> list[str]:
        """The texts of files of one folder."""
        file, numbers = files[0], [each.page for each in files]
        if not file.memory:
            return [await self.pages.text(file.document)]
        if file.path.split("/")[2] == NOTES:
            notes = {note.page: note.text for note in await self.pages.notes(file.memory, numbers)}
            return [notes.get(number, "") for number in numbers]
        pages = await self.pages.pages(file.memory, numbers)
        return await self.pages.spans(file.document, [(page.start, page.end) for page in pages])


def normal(path: str | None) -> str:
    """A path with a slash before each name and none at the end; "" for the root."""
    return "".join(f"/{part}" for part in (path or "").split("/") if part not in ("", "."))


def is_within(path: str, folder: str) -> bool:
    """Whether a normal path is a folder's, or below it."""
    return path == folder or path.startswith(f"{folder}/")


def _folders(documents: Sequence[Document]) -> list[tuple[str, Document]]:
    """A folder's name for each document: its title, with its id where another has the same; in the order of names."""
    titles = {document.id: _name(document) for document in documents}
    alike = [title.casefold() for title in titles.values()]
    named = [
        (title if alike.count(title.casefold()) == 1 else f"{title} ({document.id})", document)
        for document in documents
        for title in [titles[document.id]]
    ]
    return sorted(named, key=lambda each: each[0].casefold())


def _name(document: Document) -> str:
    """A title as the name of a folder: on one line, without slashes, characters of patterns and a dot in front."""
    plain = re.sub(r"[/\\*?\[\]{}!~\x00-\x1f\x7f]+", "_", on_one_line(document.title)).strip()
    return plain.lstrip(".") or document.id
