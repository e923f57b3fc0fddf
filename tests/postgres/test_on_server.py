"""A library on a PostgreSQL server: what differs from a folder. Most modules beside run over both (`ON_SERVER_TOO`)."""

import asyncio
import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from langgraph.store.base import GetOp, PutOp

from readgraph.api.documents import document_named
from readgraph.features.agents.lives import undo_turn
from readgraph.features.agents.storages import search_recall
from readgraph.features.agents.store import AgentStore, agent_id
from readgraph.library.address import LibraryAddress, library_place, list_records
from readgraph.library.opening import open_library, open_library_in_background
from readgraph.library.page_store import PageStore
from readgraph.library.search import catalogue
from readgraph.library.search.hits import IndexEntry
from readgraph.library.search.indexes import index_key, indexes_of
from readgraph.library.store import InUse, hold_build_lock, hold_lock, mark_in_use, wait_until_unused
from readgraph.state.errors import LibraryError
from readgraph.state.records import Memory, Recipe, utc_now
from tests.doubles.agent import Living, Script, call, say
from tests.doubles.model_server import ChatRequest, ModelServer
from tests.support.command import ASK, DOUBLE, STORY, Command, assert_refused
from tests.support.forking import ended, forked, forked_call
from tests.support.postgres_server import ON_SERVER, PostgresServer
from tests.support.tables import asked_at

TABLES = ("store", "checkpoints", "checkpoint_blobs", "checkpoint_writes", "readgraph_library", "readgraph_dropped")
KILLED_AT = 10
"""The number of the model call at which a process is killed."""


@pytest.mark.parametrize(
    ("full", "shown"),
    [
        ("postgresql://ada:hush@db:5432/papers", "postgresql://ada@db:5432/papers"),
        ("postgres://ada:hu/s@h@db/papers", "postgres://ada@db/papers"),
        ("postgresql://ada@db/papers?sslmode=require&password=hush", "postgresql://ada@db/papers"),
        ("postgresql:///papers?host=/run/pg&user=ada&password=hush", "postgresql:///papers?host=/run/pg&user=ada"),
    ],
)
def test_an_address_is_shown_without_its_password(full: str, shown: str) -> None:
    place = library_place(full)
    assert (str(place), isinstance(place, LibraryAddress) and place.full) == (shown, full)
    assert "hu" not in repr(place)


def test_a_folder_is_no_address(tmp_path: Path) -> None:
    assert library_place(str(tmp_path)) == tmp_path
    assert library_place("postgresql") == Path("postgresql")


@pytest.mark.parametrize(
    "address",
    [
        "mysql://ada:hush@db/papers",
        "postgresql+psycopg://ada:hush@db/papers",
        " POSTGRESQL://ada:hush@db/papers",
        "host=db password=hush",
    ],
)
def test_an_address_of_another_kind_makes_no_folder(
    readgraph: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = readgraph("show", "--library", address)
    assert_refused(ran, "write postgresql://USER@HOST/DATABASE")
    assert "hush" not in ran.err and not [*tmp_path.iterdir()]
    monkeypatch.setenv("READGRAPH_LIBRARY", address)
    assert not [*list_records("documents")]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("postgresql://ada:hush@127.0.0.1:1/papers", "check that the server is running"),
        ("postgresql://ada:hush/hush@127.0.0.1:1/papers", "is no address of a library"),
    ],
)
def test_a_server_that_is_not_there_is_one_line(readgraph: Command, address: str, said: str) -> None:
    pytest.importorskip("psycopg")
    ran = readgraph("show", "--library", address)
    assert ran.code == 2 and said in ran.err and ran.err.count("\n") == 1
    assert "hush" not in ran.err + ran.out


def test_without_its_packages_one_line_says_what_to_install(
    readgraph: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "readgraph.features.postgres.store", raising=False)
    monkeypatch.delitem(sys.modules, "readgraph.features.postgres.connections", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    ran = readgraph("show", "--library", "postgresql://ada:hush@127.0.0.1:1/papers")
    assert ran.code == 2 and "pip install 'readgraph[postgres]'" in ran.err and ran.err.count("\n") == 1


BREAKS = """
import os, socket, sys
from readgraph.library.opening import open_library_in_background

def broken(connection):
    socket.socket(fileno=os.dup(connection.fileno())).shutdown(socket.SHUT_RDWR)
    raise KeyboardInterrupt

with open_library_in_background(sys.argv[1]) as library:
    try:
        library.whole_store.session.write_now(broken)
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.usefixtures("database")
class TestOnServer:
    pytestmark = ON_SERVER

    def test_nothing_is_printed_where_the_connection_breaks_in_a_transaction(self, database: str) -> None:
        ran = subprocess.run([sys.executable, "-c", BREAKS, database], capture_output=True, text=True, timeout=60)
        assert (ran.stdout, ran.stderr) == ("interrupted\n", "")

    def test_a_question_is_asked_and_asked_again_for_nothing(self, readgraph: Command, database: str) -> None:
        first = readgraph(*ASK, "--json").json
        again = readgraph("ask", "When did the goat come?", first["document"], "--json").json
        assert (first["document"], first["memory"]) == (again["document"], again["memory"])
        assert "1 document" in readgraph("show").text
        assert "whole" in readgraph("library", "check").text
        assert "Goat" in readgraph("search", "goat").text
        assert "with all notes and questions" in readgraph("forget", first["document"], "--yes").text
        assert asked_at(database, "SELECT count(*) FROM checkpoint_blobs") == [(0,)]

    def test_a_password_is_nowhere(self, readgraph: Command, database: str, tmp_path: Path) -> None:
        secret = "hush-hush-0123456789"
        given = ("--library", f"{database}&password={secret}")
        ran = [readgraph(*ASK, *given, "--json"), readgraph(*ASK, *given)]
        ran += [readgraph(*words.split(), *given) for words in ("show", "search goat", "doctor", "library check")]
        ran += [readgraph("library", "copy", given[1], given[1]), readgraph("show", "--json", *given)]
        with open_library_in_background(given[1]) as library:
            said = [repr(library), library.place, repr(library.store), repr(library.checkpointer), str(library.pages)]
        with pytest.raises(LibraryError) as closed:
            library.store.get(("a",), "k")
        assert secret not in "".join([*said, str(closed.value), *(each.out + each.err for each in ran)])
        kept = [asked_at(database, f"SELECT {table}::text FROM {table}") for table in TABLES]
        assert secret not in str(kept)
        files = [file for file in tmp_path.rglob("*") if file.is_file()]
        assert not any(secret.encode() in file.read_bytes() for file in files)

    async def test_texts_come_back_as_they_were(self, database: str) -> None:
        text = "The \0 lamp \U0010fffd0 \U0010fffd was\u2028 out \\u0000. " * 2
        async with open_library(database) as library:
            document = await library.pages.add_document(text, title="a\0b")
            value = {"in\0": ["\0", 1.5, None, 2**60], "\U0010fffd": {"b": 1, "a": 2}}
            await library.store.aput(("a", "b"), "k\0", value)
        async with open_library(database) as library:
            kept = await library.pages.document(document.id)
            assert (await library.pages.text(kept), kept.title) == (text, "a\0b")
            (item,) = await library.store.asearch(("a",))
            assert (item.namespace, item.key) == (("a", "b"), "k\0")
            assert item.value == value
            with pytest.raises(TypeError):
                await library.store.aput(("a",), "k", {"lone": "\ud800"})
            assert await library.store.aget(("a",), "k") is None
            assert await library.store.abatch([PutOp(("a",), "k", {"b": 2}), GetOp(("a",), "k")])

    async def test_a_listing_in_pages_has_each_item_once(self, database: str) -> None:
        async with open_library(database) as library:
            keys = [f"{number:04}" for number in range(1200)]
            await library.pages.put([(("many",), key, {"key": key}) for key in reversed(keys)])
            assert sorted([key async for key, _ in library.pages.each(("many",))]) == keys

    async def test_locks_exclude_other_sessions_and_this_one(self, database: str) -> None:
        async with open_library(database) as here, open_library(database) as there:
            waited = asyncio.Event()
            async with hold_lock(here.store, "a.lock"):
                for library in (here, there):
                    with pytest.raises(InUse):
                        async with hold_lock(library.store, "a.lock", wait=False):
                            pass
                waiting = asyncio.create_task(_take(there.store, waited))
                await waited.wait()
                assert not waiting.done()
            await waiting
            async with mark_in_use(here.store, "d"), mark_in_use(there.store, "d"), mark_in_use(here.store, "d"):
                for library in (here, there):
                    with pytest.raises(InUse):
                        await wait_until_unused(library.store, "d", wait=False)
            await wait_until_unused(here.store, "d", wait=False)

    async def test_who_was_cancelled_while_waiting_holds_nothing(self, database: str) -> None:
        async with open_library(database) as here, open_library(database) as there:
            async with hold_lock(here.store, "a.lock"):
                waited = asyncio.Event()
                waiting = asyncio.create_task(_take(there.store, waited))
                await waited.wait()
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting
            for library in (here, there):
                async with hold_lock(library.store, "a.lock", wait=False):
                    pass

    async def test_who_lost_the_connection_writes_no_more_under_its_lock(self, database: str) -> None:
        async with open_library(database) as library, open_library(database) as other:
            with pytest.raises(LibraryError, match="its locks with it"):
                async with hold_build_lock(library.store, "m"):
                    _cut_off(database)
                    async with hold_build_lock(other.store, "m"):  # it is free on the server
                        await other.store.aput(("a",), "k", {"by": "other"})
                    await library.store.aput(("a",), "k", {"by": "first"})
            found = await library.store.aget(("a",), "k")
            assert found and found.value == {"by": "other"}
            await library.store.aput(("a",), "k", {"by": "first, later"})  # over a new connection

    def test_a_killed_process_leaves_no_lock(self, database: str) -> None:
        assert ended(forked_call(_die_holding, database)) == -9

        async def take() -> None:
            async with open_library(database) as library:
                async with hold_lock(library.store, "a.lock"):
                    pass
                await wait_until_unused(library.store, "d")

        asyncio.run(take())

    def test_two_processes_build_a_document_once(
        self, server: ModelServer, database: str, postgres_server: PostgresServer
    ) -> None:
        readers = [forked("read", STORY, *DOUBLE, "--library", database) for _ in range(2)]
        assert [ended(reader) for reader in readers] == [0, 0]
        together = server.calls
        with postgres_server.database() as other:
            assert ended(forked("read", STORY, *DOUBLE, "--library", other)) == 0
        assert server.calls == 2 * together

    def test_another_process_takes_over_from_one_that_was_killed(
        self, server: ModelServer, readgraph: Command, database: str, postgres_server: PostgresServer
    ) -> None:
        held, reply = Event(), server.respond

        def held_up(request: ChatRequest) -> Any:
            if server.calls >= KILLED_AT:
                server.latency = 600  # of the calls after this one
                held.set()
            return reply(request)

        server.respond = held_up
        reader = forked("read", STORY, *DOUBLE, "--library", database)
        assert held.wait(60)
        reader.kill()
        assert ended(reader) == -9
        server.respond, server.latency = reply, 0.0
        server.reset()
        readgraph("read", STORY, *DOUBLE, "--quiet")
        taken_over = server.calls
        with postgres_server.database() as other:
            readgraph("read", STORY, *DOUBLE, "--quiet", "--library", other)
        assert 0 < taken_over < server.calls - taken_over, "answered calls were paid for again"
        assert readgraph("library", "check").code == 0
        asked = server.calls
        assert readgraph("read", STORY, *DOUBLE, "--quiet").code == 0 and server.calls == asked

    async def test_what_another_machine_corrects_or_forgets_is_found_no_more(
        self, database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        async with open_library(database) as here:
            monkeypatch.setenv("READGRAPH_CACHE", str(tmp_path / "another machine"))
            async with open_library(database) as there:
                assert here.folder != there.folder
                memory = Memory("m", "d", Recipe("gam", {}, ""), utc_now())
                for library in (here, there):
                    keyword = (await indexes_of(library.store)).keyword
                    await keyword.add(index_key(memory), [IndexEntry(0, "The lamp was out.")])
                    assert len(await keyword.rank_pages(index_key(memory), "lamp")) == 1
                await (await indexes_of(there.store)).forget(memory)
                for library in (here, there):
                    assert await (await indexes_of(library.store)).keyword.rank_pages(index_key(memory), "lamp") == []
                keyword = (await indexes_of(here.store)).keyword
                await keyword.add(index_key(memory), [IndexEntry(0, "The stove was out.")])
                assert await (await indexes_of(here.store)).keyword.rank_pages(index_key(memory), "stove")

    async def test_an_agent_s_turns_that_were_undone_are_found_on_no_machine(
        self, database: str, server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        server.respond = script = Script()
        async with open_library(database) as here:
            monkeypatch.setenv("READGRAPH_CACHE", str(tmp_path / "another machine"))
            async with open_library(database) as there:
                ada, elsewhere = Living(here), AgentStore(there.store)

                async def found(words: str) -> int:
                    return len(await search_recall(elsewhere, agent_id("ada"), (await ada.life())["events"], words))

                script.steps = [call("archival_insert", text="Mackerel eat oil."), say("Noted.")]
                await ada.turn("I keep mackerel.")
                before = (await ada.life())["events"]
                assert await found("mackerel") and not await found("barges")
                await undo_turn(ada.graph, "ada")
                script.steps = [call("archival_insert", text="Barges need locks."), say("Noted.")]
                await ada.turn("I keep barges.")
                assert (await ada.life())["events"] == before
                assert await found("barges") and not await found("mackerel")

    async def test_what_was_begun_earlier_and_committed_later_is_in_the_catalogue(
        self, database: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import psycopg

        monkeypatch.setattr(catalogue, "MANY", 1)
        retitled = "UPDATE store SET value = jsonb_set(value, '{title}', '\"Goats\"') WHERE key = %s"
        async with open_library(database) as library:
            first = await library.pages.add_document("The lamp was lit.", title="Lamps")
            with psycopg.connect(database) as other:
                other.execute(retitled, (first.id,))
                second = await library.pages.add_document("Oil was dear.", title="Oil")
                assert (await document_named(library.pages, "lamps")).id == first.id
                assert (await document_named(library.pages, "oil")).id == second.id
            assert (await document_named(library.pages, "goats")).id == first.id

    async def test_a_newer_layout_is_refused(self, database: str) -> None:
        asked_at(database, "UPDATE readgraph_library SET format = 99")
        with pytest.raises(LibraryError, match=r"made by a newer version \(format 99\)"):
            async with open_library(database):
                pass

    async def test_who_may_only_read_reads(self, database: str) -> None:
        async with open_library(database) as library:
            document = await library.pages.add_document("The lamp was out.")
        asked_at(database, "DROP ROLE IF EXISTS visitor")
        asked_at(database, "CREATE ROLE visitor LOGIN")
        asked_at(database, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO visitor")
        try:
            async with open_library(database.replace("user=reader", "user=visitor"), only_shows=True) as library:
                assert await library.pages.documents() == [document]
                with pytest.raises(LibraryError, match=r"permission denied.*needs the rights"):
                    await library.pages.add_document("Another.")
        finally:
            asked_at(database, "DROP OWNED BY visitor")
            asked_at(database, "DROP ROLE visitor")


async def _take(store: object, waited: asyncio.Event) -> None:
    async with hold_lock(store, "a.lock", waited.set):  # type: ignore[arg-type]
        pass


def _cut_off(database: str) -> None:
    """End all sessions that hold a lock, as a broken network does."""
    asked_at(
        database,
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory' AND database = "
        "(SELECT oid FROM pg_database WHERE datname = current_database())",
    )


def _die_holding(database: str) -> None:
    import os
    import signal

    async def hold() -> None:
        async with (
            open_library(database) as library,
            hold_lock(library.store, "a.lock"),
            mark_in_use(library.store, "d"),
        ):
            await PageStore(library.store).add_document("The lamp.")
            os.kill(os.getpid(), signal.SIGKILL)

    asyncio.run(hold())
