"""A library as the file system of a deep agent: read-only, a folder for each document with its pages and notes."""

import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from langgraph.store.base import BaseStore

from readgraph.api.documents import searchable
from readgraph.api.functions import pages_of
from readgraph.api.memories import newest_first
from readgraph.library.library import Library
from readgraph.library.page_store import PageStore
from readgraph.sources.places import shorten_label
from readgraph.state.errors import BadInput
from readgraph.state.loops import in_background
from readgraph.state.records import Document, Memory

TEXT = "text.txt"  # the file with the whole text of a document that has not been read
PAGES, NOTES = "pages", "notes"
AT_ONCE = 200  # files whose texts are fetched at a time


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
        # A folder's name for each document: its title, with its id where another has the same; in the order of names.
        documents = await searchable(self.pages)
        titles = [_name(document) for document in documents]
        alike = Counter(title.casefold() for title in titles)
        named = [
            (title if alike[title.casefold()] == 1 else f"{title} ({document.id})", document)
            for title, document in zip(titles, documents, strict=True)
        ]
        for name, document in sorted(named, key=lambda each: each[0].casefold()):
            root = f"/{name}"
            if is_within(root, wanted) or is_within(wanted, root):
                files += await self._of_document(root, document, memories.get(document.id, []))
        return [file for file in files if is_within(file.path, wanted)]

    async def _of_document(self, root: str, document: Document, memories: Sequence[Memory]) -> list[LibraryFile]:
        newest = next(iter(newest_first(memories)), None)
        if newest is None or not newest.pages:
            return [LibraryFile(f"{root}/{TEXT}", document)]
        noted = [note.page for note in await self.pages.notes(newest.id, range(newest.pages))]
        return [
            LibraryFile(f"{root}/{folder}/{number:04d}.txt", document, newest.id, number)
            for folder, numbers in ((NOTES, noted), (PAGES, range(newest.pages)))
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
        file, numbers = files[0], [library_file.page for library_file in files]
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


def _name(document: Document) -> str:
    """A title as the name of a folder: on one line, without slashes, characters of patterns and a dot in front."""
    plain = re.sub(r"[/\\*?\[\]{}!~\x00-\x1f\x7f]+", "_", shorten_label(document.title)).strip()
    return plain.lstrip(".") or document.id


try:
    from deepagents.backends import protocol, utils
except ImportError:  # it is an extra
    protocol = utils = None

Backend: Any = protocol.BackendProtocol if protocol else object
READ_ONLY = "The library is read-only: write to another folder."


class LibraryBackend(Backend):  # type: ignore[misc]
    """A `BackendProtocol` of deepagents over a library: `ls`, `read`, `grep` and `glob`, and their async twins.

    A document that was read is a folder with `pages/0000.txt` and `notes/0000.txt`, of its newest memory; one that was
    not read yet has `text.txt`. Whatever would write is refused in words. Raises `BadInput` where deepagents is not
    installed.
    """

    def __init__(self, library: Library | BaseStore) -> None:
        if protocol is None:
            raise BadInput("This needs deepagents: pip install 'readgraph[deepagents]'")
        self._files = LibraryFiles(pages_of(library))

    async def als(self, path: str) -> Any:
        """The files and folders directly in a folder."""
        folder = normal(path)
        library_files = await self._files.below(folder)
        if folder and (not library_files or library_files[0].path == folder):
            return protocol.LsResult(error=f"There is no folder '{path}'.")
        names = dict.fromkeys(file.path[len(folder) + 1 :].partition("/")[:2] for file in library_files)
        entries = [{"path": f"{folder}/{name}{slash}", "is_dir": bool(slash)} for name, slash in names]
        return protocol.LsResult(entries=entries)

    async def aread(self, file_path: str, offset: int = 0, limit: int = 2000) -> Any:
        """Lines of a file."""
        library_files = [file for file in await self._files.below(file_path) if file.path == normal(file_path)]
        async for file, text in self._files.texts(library_files):
            data = {"content": text, "encoding": "utf-8", "created_at": file.document.added}
            return utils.slice_read_response(data, offset, limit)
        return protocol.ReadResult(error=f"File '{file_path}' not found")

    async def agrep(
        self, pattern: str, path: str | None = None, glob: str | None = None, *, max_count: int | None = None
    ) -> Any:
        """The lines that hold a text, in files below a folder whose paths match a pattern."""
        try:
            wanted = await self._match_files(glob, path)
        except ValueError as problem:
            return protocol.GrepResult(error=str(problem))
        matches: list[dict[str, Any]] = []
        async for file, text in self._files.texts(wanted):
            for number, line in enumerate(text.splitlines(), 1):
                if pattern not in line:
                    continue
                if max_count is not None and len(matches) >= max_count:
                    return protocol.GrepResult(matches=matches, truncated=True)
                matches.append({"path": file.path, "line": number, "text": line})
        return protocol.GrepResult(matches=matches)

    async def aglob(self, pattern: str, path: str | None = None) -> Any:
        """The files below a folder whose paths match a pattern."""
        try:
            library_files = await self._match_files(pattern, path)
        except ValueError as problem:
            return protocol.GlobResult(error=str(problem))
        return protocol.GlobResult(matches=[{"path": file.path, "is_dir": False} for file in library_files])

    async def _match_files(self, pattern: str | None, path: str | None) -> list[LibraryFile]:
        """The files below a folder whose paths, from there on, match; raises `ValueError` for a bad pattern."""
        folder = normal(path)
        library_files = await self._files.below(folder)
        if not pattern:
            return library_files
        matches = utils.compile_grep_include_glob(pattern)
        return [file for file in library_files if matches(file.path[len(folder) + 1 :] or file.path.rpartition("/")[2])]

    def ls(self, path: str) -> Any:
        """As `als`."""
        return in_background(self.als, path)

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> Any:
        """As `aread`."""
        return in_background(self.aread, file_path, offset, limit)

    def grep(
        self, pattern: str, path: str | None = None, glob: str | None = None, *, max_count: int | None = None
    ) -> Any:
        """As `agrep`."""
        return in_background(self.agrep, pattern, path, glob, max_count=max_count)

    def glob(self, pattern: str, path: str | None = None) -> Any:
        """As `aglob`."""
        return in_background(self.aglob, pattern, path)

    def download_files(self, paths: list[str]) -> list[Any]:
        """Whole files as bytes."""
        return in_background(self.adownload_files, paths)

    async def adownload_files(self, paths: list[str]) -> list[Any]:
        """As `download_files`."""
        return [await self._download_file(path) for path in paths]

    async def _download_file(self, path: str) -> Any:
        library_files = [file for file in await self._files.below(path) if file.path == normal(path)]
        async for _, text in self._files.texts(library_files):
            return protocol.FileDownloadResponse(path, text.encode("utf-8", "replace"))
        return protocol.FileDownloadResponse(path, error="file_not_found")

    def write(self, file_path: str, content: str) -> Any:
        """Refused: the library is read-only."""
        return protocol.WriteResult(error=READ_ONLY)

    def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> Any:
        """Refused: the library is read-only."""
        return protocol.EditResult(error=READ_ONLY)

    def delete(self, file_path: str) -> Any:
        """Refused: the library is read-only; `readgraph forget` deletes a document."""
        return protocol.DeleteResult(error=READ_ONLY)

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[Any]:
        """Refused: the library is read-only."""
        return [protocol.FileUploadResponse(path, error="permission_denied") for path, _ in files]
