"""The files of the folders that are watched: the state of each, and the reason."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Literal

from readgraph.library.stored_items import EVERY, ROOT, StoredItems, replace_surrogates
from readgraph.state.records import Id, Time, digest, load_valid, utc_now

FileState = Literal["waiting", "read", "incomplete", "skipped", "gone"]
"""`waiting`: it will be read. `incomplete`: the budget of a document ran out. `gone`: it will be forgotten."""

FORGOTTEN = "its document was forgotten: it is read again when it changes"
STATES: tuple[FileState, ...] = ("waiting", "incomplete", "skipped", "read", "gone")
WATCHED = (ROOT, "watched")  # below it, under a digest of the folder, a record under a digest of each file


@dataclass(frozen=True, slots=True)
class WatchedFile:
    """A file of a watched folder.

    Attributes:
        folder: The folder that is watched, an absolute path.
        file: The file's absolute path.
        state: What became of it.
        reason: Why it waits or was skipped, or what of it could not be read; "" where there is nothing to say.
        document: The id of the document that was made of it last; "" for none.
        seen: Its size and time of change when it was listed, to see later whether it was changed.
        since: Since when it has this state (UTC).
    """

    folder: str
    file: str
    state: FileState
    reason: str = ""
    document: Id | Literal[""] = ""
    seen: str = ""
    since: Time = ""


class WatchedFiles(StoredItems):
    """The lists of the folders that are watched."""

    async def of(self, folder: str | None = None, document: str = "") -> list[WatchedFile]:
        """The files of a folder, or of all folders, by their paths; of a `document` only those with its text."""
        below = () if folder is None else (_name(folder),)
        only = {"document": document} if document else None  # the store looks for it: a list may be long
        values = [item.value for item in await self.search((*WATCHED, *below), EVERY, only)]
        return sorted(load_valid(WatchedFile, values), key=lambda each: (each.folder, each.file))

    async def keep(self, files: Iterable[WatchedFile]) -> None:
        """Store the states of files, which they have from now on."""
        now = utc_now()
        await self.put([(*_key(file), {**asdict(file), "since": now}) for file in files])

    async def leave_out(self, document: Id) -> None:
        """Note of the files of a document that was forgotten that they are left out, until they change."""
        of = [watched_file for watched_file in await self.of(document=document) if watched_file.state != "gone"]
        await self.keep(replace(watched_file, state="skipped", reason=FORGOTTEN, document="") for watched_file in of)

    async def drop(self, file: WatchedFile) -> None:
        """Take a file off its list."""
        space, key = _key(file)
        await self.delete(space, [key])


def _name(path: str) -> str:
    return digest([replace_surrogates(path)])


def _key(file: WatchedFile) -> tuple[tuple[str, ...], str]:
    return (*WATCHED, _name(file.folder)), _name(file.file)
