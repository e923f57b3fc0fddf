"""A library copied to another place: the same items, threads and originals, and nothing changed in the first one."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from readgraph import ReaderContext
from readgraph.graphs.read_agent import build
from readgraph.library.address import library_place, own_files
from readgraph.library.library import keep_original, original_in, with_originals
from readgraph.library.opening import open_library
from readgraph.library.store import SharedStore
from readgraph.library.upkeep import copying
from readgraph.library.upkeep.copying import copy_library
from readgraph.library.upkeep.folder_copies import back_up
from readgraph.state.errors import BadInput, LibraryError
from tests.support.command import ASK, Command
from tests.support.postgres_server import ON_SERVER, PostgresServer

CONTEXT = ReaderContext(model="")
TEXT = "Ada took the log book. \0 The goat came at noon. " * 40


async def filled(where: Any) -> dict[str, Any]:
    """Ask in a library and in a tenant's part of it; returns the answers."""
    answers = {}
    for part in ("", "a tenant"):
        async with open_library(where, namespace=part) as library:
            graph = build().compile(store=library.store, checkpointer=library.checkpointer)
            thread: Any = {"configurable": {"thread_id": "mine"}}
            await graph.ainvoke({"text": TEXT + part, "question": "When?"}, thread, context=CONTEXT)
            answers[part] = (await graph.ainvoke({"question": "Who took it?"}, thread, context=CONTEXT))["answer"]
            (document,) = await library.pages.documents()
            keep_original(library, document, b"%PDF \0" + part.encode(), ".pdf")
            await library.store.aput(("odd",), "numbers", {"b": 1e22, "a": [0.1, 1.0, -3, 2**60], "": None})
    return answers


async def assert_same(where: Any, answers: dict[str, Any]) -> None:
    for part, answer in answers.items():
        async with open_library(where, namespace=part) as library:
            graph = build().compile(store=library.store, checkpointer=library.checkpointer)
            thread: Any = {"configurable": {"thread_id": "mine"}}
            state = await graph.aget_state(thread)
            assert (state.values["answer"], state.values["question_text"]) == (answer, "Who took it?")
            asked = [
                past
                async for past in graph.aget_state_history(thread)
                if past.metadata and past.metadata["source"] == "input"
            ]
            assert len(asked) == 2, "what was asked before can be asked again"
            (document,) = await library.pages.documents()
            assert await library.pages.text(document) == TEXT + part
            assert with_originals(library, [document], ".pdf") == {document.id}
            kept = original_in(library.store, document, ".pdf")
            assert kept and kept.read_bytes() == b"%PDF \0" + part.encode()


def digest_of(folder: Path) -> str:
    """Of all files of a library but its locks and its log files, which SQLite makes for who reads."""
    files = [
        file for file in sorted(folder.rglob("*")) if file.is_file() and file.suffix in (".sqlite", ".json", ".pdf")
    ]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


async def test_a_backup_has_the_threads_of_tenants(tmp_path: Path) -> None:
    async with open_library(tmp_path / "one", namespace="a tenant") as library:
        await library.pages.add_document(TEXT)
        await back_up(library, tmp_path / "two")
    names = [{file.name for file in own_files(folder)} for folder in (tmp_path / "one", tmp_path / "two")]
    assert names[0] == names[1] and len(names[0]) == 2


@pytest.mark.slow
async def test_a_folder_is_copied_to_a_folder(tmp_path: Path) -> None:
    answers = await filled(tmp_path / "one")
    before = digest_of(tmp_path / "one")
    copied = await copy_library(tmp_path / "one", tmp_path / "two")
    assert digest_of(tmp_path / "one") == before and copied.originals == 2
    await assert_same(tmp_path / "two", answers)
    with pytest.raises(BadInput, match="is there already"):
        await copy_library(tmp_path / "one", tmp_path / "two")
    with pytest.raises(BadInput, match="holds no library"):
        await copy_library(tmp_path / "none", tmp_path / "three")
    assert not (tmp_path / "none").exists() and not [*tmp_path.glob(".*")]


async def test_a_copy_that_differs_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_library(tmp_path / "one") as library:
        await library.pages.add_document(TEXT)

    async def changed(store: SharedStore) -> Any:
        await store.aput(("another",), "k", {"v": 1})
        return await true_sums(store)

    true_sums = copying.sums_of
    monkeypatch.setattr(copying, "sums_of", changed)
    with pytest.raises(LibraryError, match="differs from"):
        await copy_library(tmp_path / "one", tmp_path / "two")
    assert not (tmp_path / "two").exists()


@pytest.mark.usefixtures("database")
class TestOnServer:
    pytestmark = ON_SERVER

    async def test_a_library_goes_to_a_server_and_back(
        self, database: str, postgres_server: PostgresServer, tmp_path: Path
    ) -> None:
        answers = await filled(tmp_path / "one")
        before = digest_of(tmp_path / "one")
        there = await copy_library(tmp_path / "one", library_place(database))
        assert digest_of(tmp_path / "one") == before
        await assert_same(database, answers)
        with postgres_server.database() as other:
            across = await copy_library(library_place(database), library_place(other))
            back = await copy_library(library_place(other), tmp_path / "back")
        assert there == across == back and there.checkpoints > 10
        await assert_same(tmp_path / "back", answers)
        with pytest.raises(BadInput, match="holds something already: name an empty database"):
            await copy_library(tmp_path / "back", library_place(database))

    async def test_a_copy_that_was_stopped_is_begun_anew(
        self, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answers = await filled(tmp_path / "one")

        class Stopped(Exception):
            pass

        def stop(*_: Any) -> None:
            raise Stopped

        with monkeypatch.context() as patched, pytest.raises(Stopped):
            patched.setattr(copying, "copy_originals", stop)
            await copy_library(tmp_path / "one", library_place(database))
        async with open_library(tmp_path / "one") as library:
            await library.store.adelete(("odd",), "numbers")
        await copy_library(tmp_path / "one", library_place(database))
        await assert_same(database, answers)
        async with open_library(database) as library:
            assert await library.store.aget(("odd",), "numbers") is None

    def test_the_command_copies_and_backs_up(self, readgraph: Command, database: str, tmp_path: Path) -> None:
        folder, copy = tmp_path / "library", tmp_path / "copy"
        readgraph(*ASK, "--quiet", "--library", folder)
        ran = readgraph("library", "copy", folder, database)
        assert ran.code == 0 and "both have the digest" in ran.out
        assert readgraph("library", "copy", folder, database).code == 2
        assert readgraph("library", "backup", copy).out.startswith("Copied the library into ")
        assert readgraph("library", "check", "--library", copy).code == 0
        shown = [readgraph("show", "--library", each, "--json").json for each in (folder, database, copy)]
        assert shown[0] == shown[1] == shown[2]
