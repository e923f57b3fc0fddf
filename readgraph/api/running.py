"""Run a method's graph over a document that is kept; what that will use, what it is doing in words, and its pace."""

import asyncio
import inspect
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import StateGraph
from langgraph.types import Command, Durability, StreamMode

from readgraph.api.meaning import begin_vectors
from readgraph.graphs.estimate import Estimate
from readgraph.graphs.method import Method
from readgraph.graphs.method_facts import has_read
from readgraph.graphs.rehearsal import rehearse_method
from readgraph.graphs.wiring.joined import join_steps
from readgraph.graphs.wiring.method_graph import MODES, run_and_listen, separate_run
from readgraph.library.collections import documents_of
from readgraph.library.notices import notices_of
from readgraph.library.page_store import PageStore
from readgraph.library.search.passages import MEANING, WORDS
from readgraph.library.store import InUse, SharedStore, mark_in_use, wait_until_unused
from readgraph.library.stored_items import base_of
from readgraph.models.prices import Price, price_to_pay
from readgraph.nodes.persons import PERSON_STEPS
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import Listen
from readgraph.state.reading import Question
from readgraph.state.records import Document
from readgraph.state.transports import price_share

AskPerson = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]] | Mapping[str, Any]]
"""Shows a person what a step asks, and gives the reply; a coroutine function, or a plain one."""


@dataclass(frozen=True, kw_only=True)
class RunThread:
    """The thread of a run's steps, in which it can go on and further questions follow."""

    saver: BaseCheckpointSaver[Any] | None  # such as a library's `checkpointer`; None: nothing keeps the steps
    id: str = ""  # an earlier thread; "": a new one
    follow_up: bool = False  # the question goes on from those before it in the thread
    checkpoint: str = ""  # where in the thread a run without a question goes on; "": its end
    pause_before: Sequence[str] = ()  # nodes before which the run ends, until it goes on
    ask_person: AskPerson | None = None  # who decides where a step asks a person; see `readgraph.nodes.persons`
    asked_with: str = ""  # the method that chose the one which answers: it chooses for what follows, too
    durability: Durability = "async"  # "exit": one checkpoint at the end; killed before, the question begins anew


async def run_method(
    pages: PageStore,
    builder: StateGraph[Any, ReaderContext, Any, Any],
    method: str,
    document: Document,
    question: Question | Command[Any] | None,
    context: ReaderContext | None = None,
    listen: Listen | None = None,
    thread: RunThread | None = None,
    *,
    modes: Sequence[StreamMode] = MODES,
) -> dict[str, Any]:
    """Run a method's graph over the document; returns its output with title, documents, method, model and notices.

    It runs in a context of its own: in another graph's node it keeps its own store. Meanwhile the document can't be
    forgotten, and the thread is at work (see `is_at_work`). Without a question the thread goes on where it was, with
    `Command(resume=reply)` behind a step that asked a person. Where one asks and the thread has no `ask_person`, the
    output holds what it asks as `asked`. `modes` are what `listen` gets.
    """
    thread, context = thread or RunThread(saver=None), context or ReaderContext()
    name = thread.id or uuid.uuid4().hex
    if (thread.ask_person or thread.pause_before) and not thread.saver:
        raise BadInput("A run can ask, or go on after a pause, only in a thread that is kept: give RunThread a saver.")
    check_pauses(method, builder, thread.pause_before)
    if (
        listen is None
        and not (thread.pause_before or thread.ask_person)
        and (not thread.saver or thread.durability == "exit")
    ):
        builder = _joined(builder)  # nobody sees, stops or resumes single steps
    graph = builder.compile(checkpointer=thread.saver, store=pages.store, interrupt_before=[*thread.pause_before])
    coordinates = {"thread_id": name} | ({"checkpoint_id": thread.checkpoint} if thread.checkpoint else {})
    kept_with = {"document": document.id, "method": method}
    if thread.asked_with not in ("", method):
        kept_with["asked_with"] = thread.asked_with
    config: RunnableConfig = {"configurable": coordinates, "metadata": kept_with}
    async with in_use(pages, document.id), in_use(pages, _mark_of(name)) if thread.saver else nullcontext():
        document = await pages.document(document.id)  # it may have been forgotten meanwhile
        given = Question(document=document.id, **question) if isinstance(question, dict) else question
        members = await documents_of(pages, document)
        begin_vectors(pages, members, context)
        if (notices := notices_of(members)) and listen:
            listen("custom", {"notices": notices})
        keeping: dict[str, Any] = {"durability": thread.durability} if thread.saver else {}
        while True:
            run = run_and_listen(graph, given, config, context=context, listen=listen, modes=modes, **keeping)
            output = await asyncio.create_task(run, context=separate_run())
            asked = [interrupt.value for interrupt in output.pop("__interrupt__", ())]
            if not (asked and thread.ask_person):
                break
            given = Command(resume=await _ask(thread.ask_person, asked[0]))
    parts = zip(members, document.parts, strict=bool(document.parts))
    documents = [{"id": of.id, "title": of.title, "start": part.start, "end": part.end} for of, part in parts]
    kept = {name: value for name, value in output.items() if name != "messages"}  # these are for chat clients
    about = {"title": document.title, "documents": documents, "method": method, "model": context.model or None}
    if isinstance(given, dict) and given.get("question") and not context.model:
        searched_by = [WORDS, MEANING] if any(step.get("by_meaning") for step in output["steps"]) else [WORDS]
        about["searched_by"] = searched_by
    return {**about, "notices": notices, **kept, **({"asked": asked[0]} if asked else {})}


def is_by_rules(context: ReaderContext) -> bool:
    """Whether a run with these settings asks no model, so that it may work in an event loop of its own."""
    return not (context.model or context.reading_model or context.embeddings)


def check_pauses(method: str, builder: StateGraph[Any, ReaderContext, Any, Any], pause_before: Sequence[str]) -> None:
    """Raise `BadInput` where a run is to pause before a step that its graph hasn't."""
    if unknown := sorted({*pause_before} - {*builder.nodes}):
        raise BadInput(f"{method} has no step '{unknown[0]}' to pause before.")


async def _ask(person: AskPerson, asked: Mapping[str, Any]) -> Mapping[str, Any]:
    reply = person(asked)
    answered: object = await reply if inspect.isawaitable(reply) else reply
    if not isinstance(answered, Mapping):
        raise BadInput(f"ask_person must give a reply such as {{'accept': True}}, not {type(answered).__name__}.")
    return answered


_joined = lru_cache(64)(join_steps)


def builder_for(method: Method, *, asks_person: bool = False) -> StateGraph[Any, ReaderContext, Any, Any]:
    """The method's graph, built once: to build and check one takes 30 ms.

    `asks_person`: with a person at each step at which one can decide; raises `BadInput` where it has none.
    """
    builder: StateGraph[Any, ReaderContext, Any, Any]
    builder = _built(method, _build_with_person if asks_person else type(method).build)
    return builder


def _build_with_person(method: Method) -> StateGraph[Any, ReaderContext, Any, Any]:
    own = {name: getattr(spec.runnable, "work", None) for name, spec in method.build().nodes.items()}
    steps = {name: person for name, (step, person) in PERSON_STEPS.items() if own.get(name) is step.work}
    if not steps:
        raise BadInput(f"{method.name} has no step at which a person can decide.")
    return method.build(**steps)


@lru_cache(64)
def _built(
    method: Method, build: Callable[[Method], StateGraph[Any, ReaderContext, Any, Any]]
) -> StateGraph[Any, ReaderContext, Any, Any]:
    return build(method)


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


async def memory_sizes(pages: PageStore, output: Mapping[str, Any]) -> dict[str, Any]:
    """What the memory of a reading with this output holds: pages, notes, words of all notes; and is it complete?"""
    memory = await pages.memory(output["document"], output["memory"])
    notes, words = (await pages.note_sizes([memory])).get(memory.id, (0, 0))
    return {"pages": memory.pages, "notes": notes, "note_words": words, "complete": memory.complete}


MOST_REHEARSED = 24
"""Documents whose readings are rehearsed one by one; of more, so many tell what all of them will use."""


async def estimate_readings(
    pages: PageStore, readings: Sequence[tuple[Method, Document]], context: ReaderContext
) -> Estimate:
    """What it will use to read documents, each by its method; of many, a sample of the unread ones tells it."""
    whole = len(readings) <= MOST_REHEARSED
    unread = [
        (method, document)
        for method, document in sorted(readings, key=lambda reading: reading[1].words)
        if whole or not await has_read(builder_for(method), pages, document, context)
    ]
    sample = unread[:: -(-len(unread) // MOST_REHEARSED) or 1]
    estimates = [await rehearse_method(method, pages, document, context, {}) for method, document in sample]
    words, shown = (sum(document.words for _, document in some) for some in (unread, sample))
    return sum(estimates, Estimate()).times(words / max(1, shown))


def expected_cost(estimate: Estimate, price: Price | None) -> float | None:
    """Expected dollars; None where no call or no price is known."""
    if not price or not estimate.calls.expected:
        return None
    words = (estimate.input_words, estimate.output_words, estimate.held_words)
    return price.of_words(*(count.expected for count in words))


def cost_with(context: ReaderContext, estimate: Estimate, given: Price | None = None) -> float | None:
    """Expected dollars at the price that was given or the model's: 0 without a call, None where no price is known."""
    if not estimate.calls.expected:
        return 0.0
    return expected_cost(estimate, price_to_pay(given, context.model, price_share(context)))


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
    "write_program": "Writing a program",
    "run": "Running the program",
    "look_up": "Looking up",
    "answer": "Answering",
    "write": "Writing",
    "check": "Checking",
}


def node_activity(node: str) -> str:
    """What a node does, in words for people."""
    return DOING.get(node, node.replace("_", " ").capitalize())


BUILDS = ("read", "memorize", "write_notes")  # nodes that report how far they are


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
