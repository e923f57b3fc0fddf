"""The list of threads in which questions were asked: which are in it, and in which order."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint

from readgraph.library.address import library_place
from readgraph.library.opening import Library
from readgraph.state.errors import LibraryError
from tests.support.tables import asked_at

ON_SERVER_TOO = True

LAMP, SEA = {"method": "gam", "document": "lamp"}, {"method": "read-agent", "document": "sea"}
CHAT: dict[str, str] = {}  # what an agent's turn says of itself, or another graph


async def write(library: Library, *rows: tuple[str, dict[str, str]], part: str = "") -> None:
    """A checkpoint for each of these threads, with this metadata."""
    for thread, about in rows:
        config: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": part}}
        metadata: Any = {"source": "loop", "step": 0, "parents": {}, **about}
        await library.checkpointer.aput(config, empty_checkpoint(), metadata, {})


async def listed(library: Library, **wanted: Any) -> tuple[Sequence[str], int]:
    found, total = await library.checkpointer.question_threads(**wanted)
    return [saved.config["configurable"]["thread_id"] for saved in found], total


async def test_the_last_asked_come_first(library: Library) -> None:
    await write(library, ("b", LAMP), ("a", LAMP), ("c", SEA), ("b", LAMP), ("a", CHAT), ("d", CHAT))
    await write(library, ("c", SEA), ("d", LAMP), part="inside")
    assert await listed(library) == (["b", "c", "a"], 3), "a thread goes by what a method wrote last"
    assert await listed(library, limit=1) == (["b"], 3)
    assert await listed(library, offset=1, limit=1) == (["c"], 3)
    assert await listed(library, offset=3) == ([], 3)


async def test_the_threads_of_one_document(library: Library) -> None:
    await write(library, ("both", LAMP), ("lamp", LAMP), ("sea", SEA), ("both", SEA))
    assert await listed(library, document="lamp") == (["lamp", "both"], 2), "the first by what came of the lamp"
    assert await listed(library, document="sea") == (["both", "sea"], 2)
    assert await listed(library, document="none") == ([], 0)


async def test_a_deleted_thread_is_not_listed(library: Library) -> None:
    await write(library, ("gone", LAMP), ("here", LAMP), ("gone", LAMP))
    await library.checkpointer.adelete_thread("gone")
    assert await listed(library) == (["here"], 1)
    await write(library, ("gone", SEA))
    assert await listed(library) == (["gone", "here"], 2)


async def test_threads_of_another_namespace_are_not_listed(library: Library) -> None:
    await write(library, ("own", LAMP))
    whole: Any = library.store
    async with whole.open_threads("0123456789abcdef0123456789abcdef") as others:
        config: Any = {"configurable": {"thread_id": "others", "checkpoint_ns": ""}}
        await others.aput(config, empty_checkpoint(), {"method": "gam"}, {})
        found, total = await others.question_threads()
        assert ([saved.config["configurable"]["thread_id"] for saved in found], total) == (["others"], 1)
    assert await listed(library) == (["own"], 1)


async def test_what_says_nothing_readable_of_itself_is_not_listed(library: Library, where: str) -> None:
    if not isinstance(library_place(where), Path):
        pytest.skip("A server keeps metadata that can be read alone.")
    await write(library, ("odd", LAMP), ("sound", LAMP), ("half", LAMP), ("half", SEA))
    asked_at(where, """UPDATE checkpoints SET metadata = CAST('{"method": ' AS BLOB) WHERE thread_id = 'odd'""")
    assert await listed(library) == (["half", "sound"], 2)
    asked_at(where, "UPDATE checkpoints SET metadata = x'ff' WHERE rowid = (SELECT max(rowid) FROM checkpoints)")
    assert await listed(library, offset=1) == (["sound"], 2)
    with pytest.raises(LibraryError, match="damaged"):
        await listed(library)
