"""What was read and asked of several documents as one, when one of them is forgotten."""

import asyncio
import os
import shutil
import signal
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from readgraph.api import functions
from readgraph.api.running import RunThread
from readgraph.library.collections import list_joint_collections
from readgraph.library.documents import unreadable
from readgraph.library.opening import Library, open_library
from readgraph.library.store import hold_lock, mark_in_use
from readgraph.library.stored_items import ROOT
from readgraph.library.upkeep import joint_readings
from readgraph.library.upkeep.forgetting import forget_document
from readgraph.library.upkeep.joint_readings import list_joint, tell_joint
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document
from tests.doubles.model_server import ModelServer
from tests.library.test_forgetting import rows_with
from tests.support.forking import ended, forked_call

KEEPER = "The lighthouse keeper Marian counted forty gulls at dawn. She wrote it in the log book."
BAKER = "The baker Tobias sold ninety loaves on Friday. He kept the receipts in a drawer."
SMITH = "The smith Agnes shod the grey mare. Her anvil rang until noon."
ON_SERVER_TOO = True

ABOUT_BAKER, ABOUT_KEEPER = "What did the baker Tobias sell?", "What did Marian count?"


async def ask_jointly(library: Library, *documents: Document, method: str = "read-agent", **context: Any) -> None:
    for thread in (ABOUT_BAKER, ABOUT_KEEPER):
        run = RunThread(saver=library.checkpointer, id=thread)
        context = {"model": "", **context}
        await functions.ask(
            library, thread, documents=documents, method=method, context=ReaderContext(**context), thread=run
        )


async def add(library: Library, *texts: str) -> list[Document]:
    return [await library.pages.add_document(text, title=text.split()[1]) for text in texts]


async def last_step(library: Library, thread: str) -> dict[str, Any] | None:
    saved = await library.checkpointer.aget_tuple({"configurable": {"thread_id": thread}})
    return saved and {**saved.checkpoint["channel_values"], "of": saved.metadata.get("document")}


def check_nothing_of_the_keeper(library: Library, gone: Document) -> None:
    for file in ("library.sqlite", "checkpoints.sqlite"):
        assert rows_with(library.folder / file, ["Marian", "gulls", gone.id]) == 0


@pytest.mark.parametrize("texts", [(KEEPER, BAKER), (BAKER, KEEPER), (SMITH, KEEPER, BAKER)])
@pytest.mark.parametrize("method", ["read-agent", "bm25", "mem-walker"])
async def test_a_question_about_the_others_stays_under_their_name(
    library: Library, texts: tuple[str, ...], method: str
) -> None:
    documents = await add(library, *texts)
    gone = documents[texts.index(KEEPER)]
    await ask_jointly(library, *documents, method=method)
    (joint,) = await list_joint(library, gone)
    assert (joint.documents, joint.questions, joint.kept) == (len(texts), 2, 1)
    told = tell_joint([joint])
    assert joint.title in told and "2 questions" in told and "1 about the others alone stays" in told

    assert (await forget_document(library, gone))["kept"] == 1
    check_nothing_of_the_keeper(library, gone)
    assert await last_step(library, ABOUT_KEEPER) is None
    kept = await last_step(library, ABOUT_BAKER)
    assert kept
    others = await library.pages.document(kept["document"])
    assert kept["of"] == others.id and [each.document for each in others.parts] in (
        [],
        [each.id for each in documents if each != gone],
    )
    (citation, *_) = kept["citations"]
    assert await library.pages.spans(others, [(citation["start"], citation["end"])]) == [citation["quote"]]
    assert "ninety loaves" in kept["answer"]
    (page,) = await library.pages.pages(kept["memory"], [citation["page"]])
    assert page.start <= citation["start"] < page.end
    again = await functions.ask(
        library, "Where did he keep the receipts?", documents=[others], method=method, context=ReaderContext(model="")
    )
    assert "drawer" in (again.answer or "")


@pytest.mark.parametrize("reveals", ["question", "answer"])
async def test_an_answer_with_a_word_of_the_forgotten_document_alone_goes(library: Library, reveals: str) -> None:
    gone, kept = await add(library, KEEPER, BAKER)
    question = "What did Tobias sell, unlike Marian?" if reveals == "question" else ABOUT_BAKER
    run = RunThread(saver=library.checkpointer, id="1")
    await functions.ask(library, question, documents=[gone, kept], context=ReaderContext(model=""), thread=run)
    if reveals == "answer":  # a model that cites the one text, and tells what the other one says
        from readgraph.graphs.read_agent import build

        graph = build().compile(checkpointer=library.checkpointer, store=library.store)
        config: Any = {"configurable": {"thread_id": "1"}, "metadata": (await list_metadata(library, "1"))}
        await graph.aupdate_state(config, {"answer": "He sold loaves; there were gulls."})
    (joint,) = await list_joint(library, gone)
    assert (joint.questions, joint.kept) == (1, 0)
    await forget_document(library, gone)
    assert await last_step(library, "1") is None
    check_nothing_of_the_keeper(library, gone)


async def list_metadata(library: Library, thread: str) -> dict[str, Any]:
    saved = await library.checkpointer.aget_tuple({"configurable": {"thread_id": thread}})
    assert saved
    return {name: saved.metadata.get(name) for name in ("document", "method")}


async def test_paid_notes_of_the_others_stay(server: ModelServer, library: Library) -> None:
    gone, kept = await add(library, KEEPER, BAKER)
    context = ReaderContext(model="openai:double")
    joint = await functions.read(library, (await _joined(library, gone, kept)), context=context)
    assert joint.notes == 2
    await forget_document(library, gone)
    calls = server.calls
    alone = await functions.read(library, kept, context=context)
    assert alone.complete and server.calls <= calls + 1
    check_nothing_of_the_keeper(library, gone)


async def _joined(library: Library, *documents: Document) -> Document:
    from readgraph.library.collections import add_collection

    return await add_collection(library.pages, documents)


async def test_of_a_damaged_document_nothing_that_was_asked_jointly_stays(library: Library) -> None:
    gone, kept = await add(library, KEEPER, BAKER)
    await ask_jointly(library, gone, kept)
    await library.pages.put([((ROOT, "documents"), gone.id, {"torn": True})])
    await forget_document(library, unreadable(gone.id))
    assert await last_step(library, ABOUT_BAKER) is None and await library.pages.documents() == [kept]


async def test_forgetting_all_leaves_nothing(library: Library) -> None:
    documents = await add(library, KEEPER, BAKER, SMITH)
    await ask_jointly(library, *documents)
    for document in documents:
        await forget_document(library, document)
    assert await library.pages.documents() == []
    assert await library.checkpointer.run(lambda: library.checkpointer.threads({})) == []


async def test_two_that_forget_both_documents_at_once(library: Library) -> None:
    documents = await add(library, KEEPER, BAKER, SMITH)
    await ask_jointly(library, *documents)
    async with asyncio.timeout(20):
        await asyncio.gather(*(forget_document(library, document) for document in documents[:2]))
    (left,) = await library.pages.documents()
    assert left == documents[2]
    for thread in (ABOUT_BAKER, ABOUT_KEEPER):
        assert await last_step(library, thread) is None


async def test_who_waits_for_one_of_the_others_holds_none_of_them(library: Library) -> None:
    documents = await add(library, KEEPER, BAKER, SMITH)
    await ask_jointly(library, *documents)
    gone, (first, second) = documents[0], sorted(documents[1:], key=lambda document: document.id)
    waited = asyncio.Event()
    async with asyncio.timeout(20):
        async with hold_lock(library.store, f"{second.id}.lock"):  # by somebody who is about to forget it
            forgetting = asyncio.create_task(forget_document(library, gone, waited.set))
            await waited.wait()
            async with hold_lock(library.store, f"{first.id}.lock", wait=False):
                pass
        assert (await forgetting)["kept"] == 1
    assert {each.id for each in await library.pages.documents()} >= {first.id, second.id}


async def test_a_running_question_about_both_is_waited_for(library: Library) -> None:
    gone, kept = await add(library, KEEPER, BAKER)
    await ask_jointly(library, gone, kept)
    (collection,) = await list_joint_collections(library.pages)
    waited = asyncio.Event()
    async with mark_in_use(library.store, collection.id):
        forgetting = asyncio.create_task(forget_document(library, gone, waited.set))
        await waited.wait()
        assert await library.pages.find_document(collection.id), "nothing was moved meanwhile"
    assert (await forgetting)["kept"] == 1


async def small_library(folder: Path) -> str:
    async with open_library(folder) as library:
        gone, kept = await add(library, KEEPER, BAKER)
        await ask_jointly(library, gone, kept)
        return gone.id


def forget_until(step: int, folder: Path, identity: str) -> None:
    """Forget in this process, which kills itself before its write of this number, to the store or of a checkpoint."""
    numbers = count(1)

    def counted(name: str, owner: Any) -> None:
        whole = getattr(owner, name)

        async def write(*given: Any, **named: Any) -> Any:
            if next(numbers) == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return await whole(*given, **named)

        setattr(owner, name, write)

    async def forget() -> None:
        async with open_library(folder) as library:
            document = await library.pages.document(identity)
            counted("put", type(library.pages))
            counted("aput", type(library.checkpointer))
            counted("_drop_steps_before", joint_readings)
            await forget_document(library, document)

    asyncio.run(forget())


@pytest.mark.slow
async def test_a_forgetting_that_was_killed_keeps_the_others_question(tmp_path: Path) -> None:
    gone = await small_library(tmp_path / "whole")
    for step in (2, 3, 5, 7, 1000):  # before the first write nothing was begun
        folder = tmp_path / str(step)
        shutil.copytree(tmp_path / "whole", folder)
        code = ended(forked_call(forget_until, step, folder, gone))
        async with open_library(folder) as library:
            kept = await last_step(library, ABOUT_BAKER)
            assert kept and "ninety loaves" in kept["answer"] and kept["of"] == kept["document"] != gone
            assert await last_step(library, ABOUT_KEEPER) is None
            (left,) = await library.pages.documents()
            assert kept["document"] == left.id
        assert code == (0 if step == 1000 else -signal.SIGKILL)


async def test_many_documents_that_were_asked_as_one_have_a_short_title(library: Library) -> None:
    documents = await add(library, *(f"Number{number} x{number} says {number}." for number in range(50)))
    await functions.ask(library, "What says 7?", documents=documents, context=ReaderContext(model=""))
    (collection,) = await list_joint_collections(library.pages)
    assert collection.title.endswith(" and 46 more") and len(collection.title) < 60
    assert len(await functions.list_documents(library)) == 50
