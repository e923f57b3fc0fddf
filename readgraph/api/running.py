"""Run a method's graph over a document that is kept; what it is doing in words for people, and its pace."""

import asyncio
import time
import uuid
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import StateGraph
from langgraph.types import StreamMode

from readgraph.graphs.wiring.method_graph import MODES, run_and_listen, separate_run
from readgraph.library.page_store import PageStore
from readgraph.library.store import InUse, SharedStore, base_of, mark_in_use, wait_until_unused
from readgraph.state.context import ReaderContext
from readgraph.state.loops import Listen
from readgraph.state.reading import Question
from readgraph.state.records import Document


async def run_method(
    pages: PageStore,
    builder: StateGraph[Any, ReaderContext, Any, Any],
    method: str,
    document: Document,
    question: Question | None,
    context: ReaderContext,
    listen: Listen | None = None,
    saver: BaseCheckpointSaver[Any] | None = None,
    thread: str = "",
    *,
    checkpoint: str = "",
    pause_before: Sequence[str] = (),
    modes: Sequence[StreamMode] = MODES,
) -> dict[str, Any]:
    """Run a method's graph over the document; returns its output with title, documents, method and model.

    With a `saver` its steps are kept in the thread (a new one, if none is named). Meanwhile the document can't be
    forgotten, and the thread is at work (see `is_at_work`). Without a question the thread goes on where it was: from
    its end, or from one of its checkpoints. `pause_before` names nodes before which the run ends, until it goes on.
    `modes` are what `listen` gets.
    """
    thread = thread or uuid.uuid4().hex
    graph = builder.compile(checkpointer=saver, store=pages.store, interrupt_before=[*pause_before])
    config: RunnableConfig = {
        "configurable": {
            "thread_id": thread,
            **({"checkpoint_id": checkpoint} if checkpoint else {}),
        },
        "metadata": {"document": document.id, "method": method},
    }
    async with in_use(pages, document.id), in_use(pages, _mark_of(thread)) if saver else nullcontext():
        document = await pages.document(document.id)  # it may have been forgotten meanwhile
        given = None if question is None else Question(document=document.id, **question)
        output = await run_and_listen(graph, given, config, context=context, listen=listen, modes=modes)
    parts = [(await pages.document(part.document), part) for part in document.parts]
    documents = [{"id": of.id, "title": of.title, "start": part.start, "end": part.end} for of, part in parts]
    found = {name: value for name, value in output.items() if name != "messages"}  # these are for chat clients
    return {"title": document.title, "documents": documents, "method": method, "model": context.model or None, **found}


async def run_apart(
    pages: PageStore,
    builder: StateGraph[Any, ReaderContext, Any, Any],
    method: str,
    document: Document,
    question: Question,
    context: ReaderContext | None = None,
    listen: Listen | None = None,
) -> dict[str, Any]:
    """Run a graph as `run_method` does, in a context of its own: in another graph's node it keeps its own store."""
    run = run_method(pages, builder, method, document, question, context or ReaderContext(), listen)
    return await asyncio.create_task(run, context=separate_run())


def in_use(pages: PageStore, name: str) -> AbstractAsyncContextManager[None]:
    """Mark a document or thread of a library as in use; of another store nobody asks whether it is."""
    return mark_in_use(pages.store, name) if isinstance(base_of(pages.store), SharedStore) else nullcontext()


async def is_at_work(pages: PageStore, thread: str) -> bool:
    """Whether a run works at this thread of a library now, in any process; one that was killed doesn't."""
    try:
        await wait_until_unused(pages.store, _mark_of(thread), wait=False)
    except InUse:
        return True
    return False


def _mark_of(thread: str) -> str:
    """The name under which a thread is in use; that of a document has no space."""
    return f"thread {thread}"


async def with_sizes(pages: PageStore, output: dict[str, Any]) -> dict[str, Any]:
    """A reading's output with what its memory holds (pages, notes, words of all notes), and whether it is complete."""
    memory = await pages.memory(output["document"], output["memory"])
    notes, words = (await pages.note_sizes([memory])).get(memory.id, (0, 0))
    return {**output, "pages": memory.pages, "notes": notes, "note_words": words, "complete": memory.complete}


DOING = {
    "read": "Reading",
    "grow": "Growing the tree",
    "memorize": "Memorising",
    "plan": "Planning",
    "search": "Searching",
    "integrate": "Taking notes",
    "reflect": "Reflecting",
    "descend": "Walking",
    "read_leaf": "Walking",
    "write_notes": "Reading",
    "look_up": "Looking up",
    "answer": "Answering",
    "write": "Writing",
    "check": "Checking",
}


def node_activity(node: str) -> str:
    """What a node does, in words for people."""
    return DOING.get(node, node.replace("_", " ").capitalize())


BUILDS = ("read", "memorize", "write_notes")
"""Nodes that report how far they are; their figures stay while a call runs between two pages."""


@dataclass
class Pace:
    """How fast a reading goes; what an earlier reading did counts for nothing."""

    _began: tuple[float, int] | None = field(default=None, init=False)

    def ends(self, done: int, of: int) -> float | None:
        """When it will have ended at the pace so far (`time.monotonic`); None where that can't be foreseen yet."""
        now = time.monotonic()
        self._began = self._began or (now, done)
        since, before = self._began
        return now + (of - done) * (now - since) / (done - before) if before < done < of else None
