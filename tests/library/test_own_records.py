"""What a package keeps in a library of a document goes with it, and a package that can't delete loses nothing."""

import os
from pathlib import Path

import pytest

from readgraph.library.opening import Library, open_library
from readgraph.library.upkeep import own_records
from readgraph.library.upkeep.compacting import compact
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.library.upkeep.own_records import OwnRecords
from readgraph.state.errors import LibraryError
from readgraph.state.records import Document
from tests.support.command import finished, process
from tests.support.development_server import REPOSITORY
from tests.support.packages import install

MARKS = ("readgraph", "marks")
PLUGIN = """
from readgraph.plugins import hookimpl


@hookimpl
def records():
    from readgraph.library.upkeep.own_records import OwnRecords

    async def forget(library, document):
        print("forgotten:", document.title)

    return [OwnRecords(forget=forget)]
"""


async def forget_marks(library: Library, document: Document) -> None:
    await library.store.adelete(MARKS, document.id)


async def tidy_marks(library: Library) -> None:
    await library.store.aput(MARKS, "tidied", {})


async def fail(library: Library, document: Document) -> None:
    raise KeyError("mark")


def plug_in(monkeypatch: pytest.MonkeyPatch, records: OwnRecords) -> None:
    monkeypatch.setattr(own_records, "plugged_in", lambda hook, of=None: [("marking", records)])


async def test_they_go_with_their_document_alone(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in(monkeypatch, OwnRecords(forget=forget_marks, tidy=tidy_marks))
    gone, kept = [await library.pages.add_document(f"The {name} goat.") for name in ("red", "blue")]
    for document in (gone, kept):
        await library.store.aput(MARKS, document.id, {})
    await forget_document(library, gone)
    assert [item.key for item in await library.store.asearch(MARKS)] == [kept.id]
    await compact(library)
    assert {item.key for item in await library.store.asearch(MARKS)} == {kept.id, "tidied"}


async def test_where_a_package_fails_the_next_opening_finishes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plug_in(monkeypatch, OwnRecords(forget=fail))
    async with open_library(tmp_path) as library:
        document = await library.pages.add_document("The red goat.")
        await library.store.aput(MARKS, document.id, {})
        with pytest.raises(LibraryError, match=r"^The package 'marking' could not delete what it keeps \(KeyError"):
            await forget_document(library, document)
        assert not await library.pages.documents()
    async with open_library(tmp_path) as library:  # the package still fails: all else can be read
        assert await library.store.asearch(MARKS)
    plug_in(monkeypatch, OwnRecords(forget=forget_marks))
    async with open_library(tmp_path) as library:
        assert not await library.store.asearch(MARKS)


@pytest.mark.slow
def test_a_strangers_package_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "installed", "marking", marking_plugin=PLUGIN)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "installed"), str(REPOSITORY)]))
    (goat := tmp_path / "goat.txt").write_text("The red goat.")
    library = ("--library", tmp_path / "library")
    finished(process("read", goat, *library))
    assert "forgotten: goat" in finished(process("forget", "goat", "--yes", *library)).out
