"""Folders that are watched: what is new, changed, renamed or deleted in them follows in the library."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from watchfiles import awatch

from readgraph.doors.corpus.reading import Workers, read_corpus
from readgraph.doors.corpus.worker import CorpusJob, CorpusLine
from readgraph.library.library import Library
from readgraph.library.store import InUse, hold_lock, mark_in_use, wait_until_unused
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.library.versions import move_document, put_in_place
from readgraph.library.watched import FORGOTTEN, FileState, WatchedFile
from readgraph.sources.loading import is_in_utf8, legible_name, list_files
from readgraph.state.errors import BadInput, ModelUnavailable
from readgraph.state.records import digest

GRACE = 5.0
"""Seconds after which a file that is gone counts as deleted: some programs delete a file and write it anew."""

LOOK_AGAIN = 60_000
"""Milliseconds after which folders are looked through though nothing was told: network disks tell nothing."""


class WatchListener(Protocol):
    """Whoever is told what a watch does."""

    def begin(self, files: int) -> None:
        """So many files are read now."""

    def tell(self, file: WatchedFile, line: CorpusLine | None) -> None:
        """A file has another state; `line` says how it was read."""

    def idle(self, counts: Mapping[str, int]) -> None:
        """Nothing is read now; so many files are in each state."""

    def trouble(self, problem: str) -> None:
        """What stopped a look or a reading, in one line."""


@dataclass(frozen=True)
class Watching:
    """What a watch is told: folders by absolute paths, which files of them, and who reads how many at most."""

    job: CorpusJob
    folders: Sequence[Path]
    glob: str | None
    workers: Callable[[int], Workers]
    listener: WatchListener
    calls_in_all: int | None = None


async def watch_folders(library: Library, told: Watching) -> None:
    """Let the library follow the folders until this is cancelled, or the calls for all are spent.

    A changed file's new text stands in place of the earlier one. The document of a deleted file is forgotten, unless
    another file has the same text, or the whole folder is gone or empty: then its disk may only be away.

    Raises:
        BadInput: If a folder, or one in it or around it, is watched already, or can't be read at the beginning.
        LibraryError: If the library can't be used any more.
    """
    async with AsyncExitStack() as held:
        for folder in sorted({*told.folders}):
            await _hold_folder(held, library, folder)
        watch = _Watch(library, told)
        await watch.begin()
        looking = asyncio.ensure_future(watch.look_on())
        reading = asyncio.ensure_future(watch.read_on())
        try:
            ended, _ = await asyncio.wait([looking, reading], return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()
        finally:
            for task in (looking, reading):
                task.cancel()
            await asyncio.gather(looking, reading, return_exceptions=True)


async def _hold_folder(held: AsyncExitStack, library: Library, folder: Path) -> None:
    """Let nobody else watch a folder, one in it or one around it, while this is held."""
    real, store = Path(os.path.realpath(folder)), library.store
    own, *around = (f"watch-{digest(str(path))}" for path in (real, *real.parents))
    try:
        await held.enter_async_context(hold_lock(store, f"{own}.lock", wait=False))
        for name in around:
            await held.enter_async_context(mark_in_use(store, name))
        await wait_until_unused(store, own, wait=False)
        for name in around:
            async with hold_lock(store, f"{name}.lock", wait=False):
                pass
    except InUse:
        raise BadInput(f"{folder} is watched already, or one in it or around it: end that command first.") from None


@dataclass
class _Watch:
    """The files as they are known now, as their lists in the library have them; `bell` rings when there is work."""

    library: Library
    told: Watching
    files: dict[tuple[str, str], WatchedFile] = field(default_factory=dict)
    bell: asyncio.Event = field(default_factory=asyncio.Event)
    unsettled: set[tuple[str, str]] = field(default_factory=set)  # files that have the text of another one now
    troubles: set[str] = field(default_factory=set)

    async def begin(self) -> None:
        """Take the lists from the library; what is still to be read waits, and so does what was read, to be checked."""
        for folder in self.told.folders:
            for watched_file in await self.library.watched.of(str(folder)):
                self.files[watched_file.folder, watched_file.file] = (
                    watched_file if watched_file.reason == FORGOTTEN else replace(watched_file, seen="")
                )
        await self.look()

    async def look_on(self) -> None:
        """Look whenever a folder tells of a change, and once in a while."""
        async for _ in _changes(self.told.folders):
            await self.look_again()

    async def look_again(self) -> None:
        """Look; a folder that can't be listed now changes nothing."""
        try:
            await self.look()
        except BadInput as problem:
            self._say(str(problem))

    async def look(self) -> None:
        """Compare the folders with their lists: what is new or changed waits, what is missing is gone."""
        changed = list[WatchedFile]()
        for folder in self.told.folders:
            there = await asyncio.to_thread(_look_through, folder, self.told, self.library.folder)
            watched_files = {file: each for (of, file), each in self.files.items() if of == str(folder)}
            for file, (reason, seen) in there.items():
                before = watched_files.get(file) or WatchedFile(str(folder), file, "waiting")
                if reason and (before.state, before.reason) == ("skipped", reason):
                    continue
                if reason or before.seen != seen or before.state == "gone":
                    changed.append(replace(before, state="skipped" if reason else "waiting", reason=reason, seen=seen))
            missing = [each for file, each in watched_files.items() if file not in there and each.state != "gone"]
            if missing and not there:
                self._say(f"{folder} is empty or not there: nothing is forgotten. 'readgraph forget' does that.")
            else:
                changed += [replace(watched_file, state="gone", reason="") for watched_file in missing]
            self.files |= {(watched_file.folder, watched_file.file): watched_file for watched_file in changed}
        await self.library.watched.keep(changed)
        for watched_file in changed:
            if watched_file.state == "skipped":
                self.told.listener.tell(watched_file, None)
        if self._in_state("waiting") or self._in_state("gone"):
            self.bell.set()

    async def read_on(self) -> None:
        """Read what waits, then forget what is gone, whenever there is something; ends when all calls are spent."""
        left, before = self.told.calls_in_all, dict[str, int]()
        while True:
            if waiting := self._in_state("waiting"):
                left = await self._read(waiting, left)
                if left is not None and left < 1:
                    self._say("The calls of --max-calls-in-all are spent.")
                    return
            if self._in_state("gone"):
                await asyncio.sleep(GRACE)
                await self.look_again()
            if not self._in_state("waiting"):  # a file that was renamed has its new name by now
                for watched_file in [self.files[key] for key in self.unsettled & self.files.keys()]:
                    await self._leave_texts(watched_file)
                self.unsettled.clear()
                for watched_file in [
                    watched_file for watched_file in self._in_state("gone") if not os.path.lexists(watched_file.file)
                ]:
                    await self._forget(watched_file)
            counts = Counter[str](file.state for file in self.files.values())
            if not self.bell.is_set() and counts != before:
                self.told.listener.idle(counts)
                before = counts
            await self.bell.wait()
            self.bell.clear()

    def _in_state(self, state: FileState) -> list[WatchedFile]:
        return [file for file in self.files.values() if file.state == state]

    async def _read(self, waiting: list[WatchedFile], left: int | None) -> int | None:
        """Read these files, and keep what became of each; returns how many calls are left."""
        by_file = {watched_file.file: watched_file for watched_file in waiting}
        size = {file: int(each.seen.partition(" ")[0]) for file, each in by_file.items()}
        lines, used = asyncio.Queue[CorpusLine](), 0
        files = sorted(by_file, key=lambda file: -size[file])  # long ones take longest
        self.told.listener.begin(len(files))
        reading = asyncio.ensure_future(
            read_corpus(self.told.job, files, self.told.workers(len(files)), lines.put_nowait, calls_in_all=left)
        )
        try:
            while not (reading.done() and lines.empty()):
                coming = asyncio.ensure_future(lines.get())
                await asyncio.wait([coming, reading], return_when=asyncio.FIRST_COMPLETED)
                if coming.done():
                    used += coming.result()["usage"]["calls"]
                    await self._keep(by_file[coming.result()["file"]], coming.result())
                else:
                    coming.cancel()
            used = max(used, reading.result().usage["calls"])
        except ModelUnavailable as problem:  # they wait, and are tried again
            self._say(str(problem))
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
        return None if left is None else left - used

    async def _keep(self, file: WatchedFile, line: CorpusLine) -> None:
        """Keep what became of a file; its document has the file's name, and stands in place of the one before."""
        state: FileState = "read" if line["complete"] else "incomplete"
        if not line["document"]:
            state = "waiting" if line["unanswered"] else "skipped"
        reason = line["problem"] or ("its calls were spent" if state == "incomplete" else "")
        now = replace(file, state=state, reason=reason, document=line["document"] or file.document)
        pages = self.library.pages
        if line["document"] and (document := await pages.find_document(line["document"])):
            if document.source != file.file:  # once nothing waits, it is known who has the text that this one had
                self.unsettled.add((file.folder, file.file))
            elif file.document not in ("", document.id):
                await put_in_place(pages, document)
        latest = self.files[file.folder, file.file]
        if (latest.seen, latest.state) != (file.seen, file.state):  # it was changed meanwhile
            now = replace(latest, document=now.document)
        self.files[file.folder, file.file] = now
        await self.library.watched.keep([now])
        self.told.listener.tell(now, line)

    async def _forget(self, file: WatchedFile) -> None:
        """Forget the documents of a file that is gone, and take it off the list."""
        holders = await self._leave_texts(replace(file, document=""))
        if file.document and (document := await self.library.pages.find_document(file.document)):
            holders.append(document.source)
        await self.library.watched.drop(file)
        del self.files[file.folder, file.file]
        self.told.listener.tell(replace(file, reason=f"its text is in {holders[-1]}" if holders else ""), None)

    async def _leave_texts(self, file: WatchedFile) -> list[str]:
        """Leave each text that a file no longer has to another watched file that has it, or forget it."""
        pages, holders = self.library.pages, list[str]()
        left = [each for each in await pages.documents_from(file.file) if each.id != file.document]
        for document in left:
            listed = await self.library.watched.of(document=document.id)
            holder = next(
                (
                    watched_file.file
                    for watched_file in listed
                    if watched_file.file != file.file and watched_file.state != "gone"
                ),
                "",
            )
            if holder:
                await move_document(pages, document, holder)
                holders.append(holder)
            else:
                await forget_document(self.library, document)
        return holders

    def _say(self, trouble: str) -> None:
        """Tell what went wrong, once as long as it is the same."""
        if trouble not in self.troubles:
            self.troubles.add(trouble)
            self.told.listener.trouble(trouble)


async def _changes(folders: Sequence[Path]) -> AsyncIterator[object]:
    """An item for each change, or group of changes, and one in a while; folders may come and go."""
    while True:
        there = [folder for folder in folders if folder.is_dir()]
        try:
            async for changes in awatch(*there, rust_timeout=LOOK_AGAIN, yield_on_timeout=True):
                yield changes
                if there != [folder for folder in folders if folder.is_dir()]:
                    break
        except ExceptionGroup:  # the name of what changed is not in UTF-8, which ends the watch
            await asyncio.sleep(1)
            yield None
        except OSError:  # the system watches no more folders: they are looked through once in a while
            await asyncio.sleep(LOOK_AGAIN / 1000)
            yield None


NOT_UTF8 = "its name is not in UTF-8: rename it, or give it to 'readgraph read'"


def _look_through(folder: Path, watching: Watching, but: Path) -> dict[str, tuple[str, str]]:
    """The files below a folder but those of the library: why each is left out, and its size and time of change."""
    if not folder.is_dir():
        return {}
    found = dict[str, tuple[str, str]]()
    for file, reason in list_files(folder, watching.glob, follow_links=watching.job.follow_links).items():
        with suppress(OSError):  # it has just been deleted
            about = file.stat()
            if not is_in_utf8(str(file)):
                found[legible_name(str(file))] = reason or NOT_UTF8, ""
            elif but not in file.parents:
                found[str(file)] = reason, f"{about.st_size} {about.st_mtime_ns}"
    return found
