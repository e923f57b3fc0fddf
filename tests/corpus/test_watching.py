"""A folder that is watched: what is new, changed, renamed or deleted in it follows in the library."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from readgraph import ReaderContext, open_library
from readgraph.api import functions
from readgraph.api.documents import document_named, documents_near
from readgraph.doors.corpus.watching import Watching, watch_folders
from readgraph.doors.corpus.worker import CorpusJob, CorpusLine, read_document
from readgraph.library.library import Library
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.library.watched import FORGOTTEN, WatchedFile
from readgraph.state.errors import BadInput
from tests.doubles.model_server import Fault, ModelServer
from tests.doubles.own_workers import own_workers
from tests.support.command import DOUBLE, Command, process

LONG = 20  # seconds that anything may take


class Heard:
    """What a watch told, and a wait for the next time that it has nothing to do."""

    def __init__(self) -> None:
        self.told = list[tuple[str, str, str]]()
        self.troubles = list[str]()
        self.counts = asyncio.Queue[dict[str, int]]()

    def begin(self, files: int) -> None:
        assert files

    def tell(self, file: WatchedFile, line: CorpusLine | None) -> None:
        self.told.append((Path(file.file).name, file.state, file.reason))

    def idle(self, counts: Mapping[str, int]) -> None:
        self.counts.put_nowait(dict(counts))

    def trouble(self, problem: str) -> None:
        self.troubles.append(problem)

    async def next(self) -> dict[str, int]:
        """How many files are in each state when nothing is to be done the next time."""
        return await asyncio.wait_for(self.counts.get(), LONG)


def watching(
    library: Library, folder: Path, heard: Heard, context: ReaderContext | None = None, glob: str | None = None
) -> Watching:
    job = CorpusJob(library.folder, "read-agent", context or ReaderContext())
    return Watching(job, [folder], glob, lambda files: own_workers(job, 1), heard)


@asynccontextmanager
async def watched(
    library: Library, folder: Path, context: ReaderContext | None = None, *, glob: str | None = None
) -> AsyncIterator[Heard]:
    """A watch of a folder, which goes on meanwhile."""
    heard = Heard()
    watch = asyncio.ensure_future(watch_folders(library, watching(library, folder, heard, context, glob)))
    try:
        yield heard
    finally:
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs" / "inner").mkdir(parents=True)
    (tmp_path / "docs" / "goat.txt").write_text("The goat stood on the gallery in 1907.")
    (tmp_path / "docs" / "inner" / "lamp.md").write_text("Vaughan lit the lamp.")
    (tmp_path / "docs" / "tool.py").write_text("print(1)")
    (tmp_path / "docs" / "odd.xyz").write_text("?")
    (tmp_path / "docs" / "empty.txt").touch()
    return tmp_path / "docs"


@pytest.fixture(autouse=True)
def grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readgraph.doors.corpus.watching.GRACE", 0)


async def texts(library: Library) -> list[str]:
    """What the documents that hold now say."""
    return sorted(
        [
            (await library.pages.spans(each, [(0, each.characters)]))[0]
            for each in await documents_near(library.pages, "")
        ]
    )


async def states(library: Library, folder: Path) -> dict[str, tuple[str, str]]:
    return {Path(each.file).name: (each.state, each.reason) for each in await library.watched.of(str(folder))}


async def test_what_happens_to_files_follows_in_the_library(tmp_path: Path, folder: Path) -> None:
    async with open_library(tmp_path / "library") as library, watched(library, folder) as heard:
        assert await heard.next() == {"read": 2, "skipped": 3}
        listed = await states(library, folder)
        assert listed["goat.txt"] == ("read", "") and "is empty" in listed["empty.txt"][1]
        assert "named" in listed["tool.py"][1] and "kind" in listed["odd.xyz"][1]

        (folder / "goat.txt").write_text("The goat stood on the gallery in 1908.")  # changed
        (folder / "gander.txt").write_text("The gander was late.")  # new
        assert await heard.next() == {"read": 3, "skipped": 3}
        assert await texts(library) == [
            "The gander was late.",
            "The goat stood on the gallery in 1908.",
            "Vaughan lit the lamp.",
        ]
        old = await library.pages.documents()
        assert len(old) == 4, "the earlier text is kept, and superseded"

        (folder / "inner" / "lamp.md").rename(folder / "light.md")  # renamed
        (folder / "gander.txt").unlink()  # deleted
        assert await heard.next() == {"read": 2, "skipped": 3}
        by_title = {each.title: each for each in await documents_near(library.pages, "")}
        assert by_title["light"].source == str(folder / "light.md") and "gander" not in by_title
        assert ("gander.txt", "gone", "") in heard.told and any(
            state == "gone" and "light.md" in why for _, state, why in heard.told
        )

        (folder / "goat.txt").write_text("The goat stood on the gallery in 1907.")  # as it was before
        (folder / "new.txt").write_text("New.")
        await heard.next()
        assert "The goat stood on the gallery in 1907." in await texts(library)
        assert "The goat stood on the gallery in 1908." not in await texts(library)

        (folder / "goat.txt").unlink()  # with all its versions
        assert await heard.next() == {"read": 2, "skipped": 3}
        assert {each.title for each in await library.pages.documents()} == {"light", "new"}
    assert heard.troubles == []


async def test_what_happened_while_nobody_watched_follows_at_the_next_start(tmp_path: Path, folder: Path) -> None:
    async with open_library(tmp_path / "library") as library:
        async with watched(library, folder) as heard:
            await heard.next()
        (folder / "goat.txt").unlink()
        (folder / "inner" / "lamp.md").write_text("Nobody lit the lamp.")
        (folder / "empty.txt").write_text("Not empty.")
        async with watched(library, folder) as heard:
            assert await heard.next() == {"read": 2, "skipped": 2}
        assert await texts(library) == ["Nobody lit the lamp.", "Not empty."]


async def test_the_same_text_in_two_files_stays_until_both_are_gone(tmp_path: Path, folder: Path) -> None:
    (folder / "copy.txt").write_text("Vaughan lit the lamp.")
    async with open_library(tmp_path / "library") as library, watched(library, folder) as heard:
        assert (await heard.next())["read"] == 3
        for file in (folder / "copy.txt", folder / "inner" / "lamp.md"):
            assert "Vaughan lit the lamp." in await texts(library)
            file.unlink()
            await heard.next()
        assert await texts(library) == ["The goat stood on the gallery in 1907."]


async def test_a_file_that_is_deleted_and_written_anew_is_not_forgotten(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readgraph.doors.corpus.watching.GRACE", 1)
    goat = folder / "goat.txt"
    async with open_library(tmp_path / "library") as library, watched(library, folder) as heard:
        await heard.next()
        before, text = await library.pages.documents(), goat.read_text()
        goat.unlink()
        while (await states(library, folder))["goat.txt"][0] != "gone":
            await asyncio.sleep(0.01)
        goat.write_text(text)
        (folder / "new.txt").write_text("New.")
        assert (await heard.next())["read"] == 3
        assert {each.id: each.added for each in before}.items() <= {
            each.id: each.added for each in await library.pages.documents()
        }.items()


async def test_a_file_that_gets_the_text_of_another_one_leaves_nothing_behind(tmp_path: Path, folder: Path) -> None:
    async with open_library(tmp_path / "library") as library, watched(library, folder) as heard:
        await heard.next()
        (folder / "goat.txt").write_text("Vaughan lit the lamp.")
        (folder / "new.txt").write_text("New.")
        await heard.next()
        assert await texts(library) == ["New.", "Vaughan lit the lamp."]


async def test_files_that_exchange_their_names_keep_their_documents(tmp_path: Path, folder: Path) -> None:
    one, other = folder / "goat.txt", folder / "inner" / "lamp.md"
    async with open_library(tmp_path / "library") as library, watched(library, folder) as heard:
        await heard.next()
        before = {each.id: (each.source, each.title) for each in await library.pages.documents()}
        texts_now = one.read_text(), other.read_text()
        other.write_text(texts_now[0])
        one.write_text(texts_now[1])
        (folder / "new.txt").write_text("New.")
        await heard.next()
        after = {each.id: (each.source, each.title) for each in await library.pages.documents() if each.id in before}
        assert after == dict(zip(before, reversed(before.values()), strict=True))
        assert {each.document for each in await library.watched.of() if each.state == "read"} >= {*before}


async def test_a_file_that_was_not_read_to_its_end_is_forgotten_too(tmp_path: Path, folder: Path) -> None:
    goat = folder / "goat.txt"
    async with open_library(tmp_path / "library") as library:
        async with watched(library, folder) as heard:
            await heard.next()
        (listed,) = [each for each in await library.watched.of() if each.file == str(goat)]
        await library.watched.keep([replace(listed, state="waiting", document="")])  # as a kill leaves it
        goat.unlink()
        async with watched(library, folder) as heard:
            await heard.next()
        assert await texts(library) == ["Vaughan lit the lamp."]


async def test_what_is_forgotten_by_hand_stays_so_until_its_file_changes(tmp_path: Path, folder: Path) -> None:
    async with open_library(tmp_path / "library") as library:
        async with watched(library, folder) as heard:
            await heard.next()
        await forget_document(library, await document_named(library.pages, "goat"))
        assert (await states(library, folder))["goat.txt"] == ("skipped", FORGOTTEN)
        async with watched(library, folder) as heard:
            assert (await heard.next())["read"] == 1
            (folder / "goat.txt").write_text("The goat left.")
            assert (await heard.next())["read"] == 2
        assert await texts(library) == ["The goat left.", "Vaughan lit the lamp."]


async def test_a_watch_ends_when_all_calls_are_spent(tmp_path: Path, folder: Path, server: ModelServer) -> None:
    (folder / "long.txt").write_text("The keeper of Sarn Head stood on the gallery. " * 400)
    heard = Heard()
    async with open_library(tmp_path / "library") as library:
        told = watching(library, folder, heard, ReaderContext(model="openai:double"))
        await asyncio.wait_for(watch_folders(library, replace(told, calls_in_all=3)), LONG)
        assert heard.troubles == ["The calls of --max-calls-in-all are spent."]
        assert "incomplete" in {state for state, _ in (await states(library, folder)).values()}


async def test_a_folder_that_is_away_takes_nothing_with_it(tmp_path: Path, folder: Path) -> None:
    async with open_library(tmp_path / "library") as library:
        async with watched(library, folder) as heard:
            await heard.next()
            with pytest.raises(BadInput, match="is watched already"):
                await watch_folders(library, watching(library, folder, heard))
        folder.rename(tmp_path / "away")
        folder.mkdir()
        async with watched(library, folder) as heard:
            await heard.next()
        assert "empty or not there" in heard.troubles[0] and len(await texts(library)) == 2
        folder.rmdir()
        (tmp_path / "away").rename(folder)
        async with watched(library, folder) as heard:
            assert await heard.next() == {"read": 2, "skipped": 3}


async def test_a_folder_in_or_around_one_that_is_watched_is_refused(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    other = tmp_path / "other"
    other.mkdir()
    (other / "new.txt").write_text("New.")
    async with open_library(tmp_path / "library") as library:
        async with watched(library, folder) as heard:
            await heard.next()
            for near in (folder / "inner", tmp_path, tmp_path / "link"):
                with pytest.raises(BadInput, match=f"^{near} is watched already, or one in it or around it"):
                    await watch_folders(library, watching(library, near, heard))
            async with watched(library, other) as beside:
                assert await beside.next() == {"read": 1}
        async with watched(library, folder / "inner") as heard:
            assert await heard.next() == {"read": 1}


async def test_a_link_leads_out_of_a_watched_folder_only_where_that_is_asked(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "secret.txt").write_text("The key is under the mat.")
    (folder / "link.txt").symlink_to("goat.txt")
    async with open_library(tmp_path / "library") as library, watched(library, folder, glob="*.txt") as heard:
        await heard.next()
        assert "same file" in (await states(library, folder))["link.txt"][1]
        (folder / "link.txt").unlink()
        (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
        (folder / "gander.txt").write_text("The gander was late.")
        await heard.next()
        state, reason = (await states(library, folder))["link.txt"]
        assert state == "skipped" and "leads out of the folder" in reason
        assert await texts(library) == ["The gander was late.", "The goat stood on the gallery in 1907."]
        job = CorpusJob(library.folder, "read-agent", ReaderContext(), None, (str(folder),))
        report = await read_document(library, job, str(folder / "link.txt"))
        assert "leads out" in report["line"]["problem"], "it was changed after the folder was listed"
    async with open_library(tmp_path / "other") as library:
        heard = Heard()
        told = replace(
            watching(library, folder, heard, glob="*.txt"),
            job=CorpusJob(library.folder, "read-agent", ReaderContext(), follow_links=True),
        )
        watch = asyncio.ensure_future(watch_folders(library, told))
        await heard.next()
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)
        assert "The key is under the mat." in await texts(library)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every name is text")
async def test_a_name_that_is_no_text_is_told_and_left_out_of_a_watch(tmp_path: Path, folder: Path) -> None:
    Path(os.fsdecode(bytes(folder) + b"/caf\xe9.txt")).write_text("The cook slept.")
    async with open_library(tmp_path / "library") as library, watched(library, folder, glob="*.txt") as heard:
        assert await heard.next() == {"read": 1, "skipped": 5}
        assert "not in UTF-8" in (await states(library, folder))["caf\\xe9.txt"][1]
        Path(os.fsdecode(bytes(folder) + b"/na\xefve.txt")).write_text("It was written while somebody watched.")
        (folder / "gander.txt").write_text("The gander was late.")
        assert await heard.next() == {"read": 2, "skipped": 6}


async def test_an_earlier_version_is_shown_as_such(tmp_path: Path, folder: Path) -> None:
    async with open_library(tmp_path / "library") as library, watched(library, folder, glob="*.txt") as heard:
        await heard.next()
        (folder / "goat.txt").write_text("The goat stood on the gallery in 1908.")
        (folder / "gander.txt").write_text("The gander was late.")
        await heard.next()
        listed = await functions.list_documents(library)
        new, old = (each for each in listed if each.title == "goat")
        assert (old.replaced_by, new.replaced_by, new.supersedes) == (new.id, "", old.id)


async def test_files_wait_while_no_model_answers(
    tmp_path: Path, folder: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readgraph.doors.corpus.watching.LOOK_AGAIN", 200)
    server.fault_for = lambda request, call: Fault.unauthorized()
    context = ReaderContext(model="openai:double", retry_seconds=0)
    async with open_library(tmp_path / "library") as library, watched(library, folder, context, glob="*.txt") as heard:
        counts = await heard.next()
        assert counts == {"waiting": 1, "skipped": 4} and (await states(library, folder))["goat.txt"][1]
        server.fault_for = None
        assert await heard.next() == {"read": 1, "skipped": 4}


@pytest.mark.skipif(os.name == "nt" or not os.geteuid(), reason="root may read everything")
async def test_a_folder_that_cannot_be_read_is_refused(tmp_path: Path, folder: Path) -> None:
    folder.chmod(0)
    async with open_library(tmp_path / "library") as library:
        with pytest.raises(BadInput, match="can't be read"):
            await watch_folders(library, watching(library, folder, Heard()))
    folder.chmod(0o700)


@pytest.mark.slow
def test_a_watch_that_is_killed_goes_on(readgraph: Command, tmp_path: Path, server: ModelServer) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}.txt").write_text(f"Keeper {number} stood on the gallery. " * 60)
    server.fault_for = lambda request, call: Fault.hang(0.05)
    for kill_at in (3, 6, 9):
        watch = process("corpus", folder, "--watch", "--workers", 1, "--concurrency", 2, *DOUBLE)
        while server.calls < kill_at:
            assert watch.poll() is None, watch.communicate()
            time.sleep(0.02)
        watch.kill()
        watch.communicate()
    (folder / "0.txt").unlink()
    watch = process("corpus", folder, "--watch", "--workers", 1, "--concurrency", 2, *DOUBLE)
    assert watch.stdout
    line = next(line for line in watch.stdout if "Waiting for changes" in line)
    watch.send_signal(signal.SIGINT)
    _, err = watch.communicate(timeout=LONG)
    assert line.startswith("11 files: 11 read.") and watch.returncode == 130 and "Traceback" not in err
    assert len({request.key for request in server.requests}) >= server.calls - 6, "only calls in flight were made again"
    listed = readgraph("corpus", folder, "--list", "--json").json
    assert {Path(each["file"]).name: each["state"] for each in listed} == {
        f"{number}.txt": "read" for number in range(1, 12)
    }
