"""Run an evaluation: every method reads every text and answers every question, in each run anew."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from readgraph.evaluation.folder import EvaluationFolder
from readgraph.evaluation.records import Dataset, Item, Outcome, Span, Text
from readgraph.graphs.methods import Method
from readgraph.nodes.recording import Exchange, exchanges_to
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ReadgraphError
from readgraph.state.histories import append_sessions
from readgraph.state.library import Library
from readgraph.state.page_store import PageStore
from readgraph.state.reading import Question, Step
from readgraph.state.records import Document
from readgraph.state.words import count_words

Cost = Callable[[Sequence[Step]], float | None]
"""Dollars of a reading's steps, where they are known."""


Group = tuple[Method, int, Text, list[Item]]
"""Questions about one text that one method is asked in one run."""

MOST_FAILURES = 20
"""So many failures in a row, and the run stops: the server is down, or the settings are wrong."""


def missing(
    dataset: Dataset, methods: Sequence[Method], runs: Sequence[int], outcomes: Iterable[Outcome]
) -> list[Group]:
    """The questions that have no answer yet, or have failed."""
    answered = {outcome.key for outcome in outcomes if outcome.status != "failed"}
    groups = [
        (method, run, text, [item for item in dataset.about(text) if (method.name, run, item.id) not in answered])
        for run in runs
        for method in methods
        for text in dataset.texts
    ]
    return [group for group in groups if group[3]]


@dataclass
class Evaluation:
    """What is run, and where its answers go. `runs` are numbers of samples: each asks the model anew.

    `missing` are the questions that have no answer yet.
    """

    dataset: Dataset
    methods: Sequence[Method]
    runs: Sequence[int]
    context: ReaderContext
    folder: EvaluationFolder
    library: Library
    cost: Cost = lambda steps: None
    missing: list[Group] = field(init=False)
    reading: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self.missing = missing(self.dataset, self.methods, self.runs, self.folder.outcomes())
        self.reading = asyncio.Semaphore(self.context.concurrency)

    async def run(self) -> AsyncIterator[Outcome]:
        """Answer what is missing; gives each outcome once it is kept.

        A question that fails does not stop the rest; where nothing but failures comes, `ReadgraphError` is raised.
        """
        failures = 0
        done: asyncio.Queue[Outcome | None] = asyncio.Queue()

        async def all_of_them() -> None:
            try:
                async with asyncio.TaskGroup() as tasks:
                    for group in self.missing:
                        tasks.create_task(self._text(*group, done))
            finally:
                done.put_nowait(None)

        running = asyncio.create_task(all_of_them())
        try:
            while outcome := await done.get():
                yield outcome
                failures = failures + 1 if outcome.status == "failed" else 0
                if failures == MOST_FAILURES:
                    raise ReadgraphError(
                        f"{MOST_FAILURES} questions in a row failed, the last one so: {outcome.problem}"
                    )
            await running
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def _text(
        self, method: Method, run: int, text: Text, items: Sequence[Item], done: asyncio.Queue[Outcome | None]
    ) -> None:
        """One method reads one text in one run, and answers the questions about it."""
        context = replace(self.context, sample=run)
        graph = method.build().compile(store=self.library.store)
        reading = _Reading(self, method, run, graph, context)
        try:
            async with self.reading:
                document = await add_text(self.library.pages, text)
                await reading.build(text, document)
        except ReadgraphError as problem:
            for item in items:
                done.put_nowait(reading.fail(item, problem))
            return

        async def one(item: Item) -> None:
            async with self.reading:
                done.put_nowait(await reading.answer(item, document))

        async with asyncio.TaskGroup() as tasks:
            for item in items:
                tasks.create_task(one(item))


@dataclass
class _Reading:
    """One method in one run."""

    evaluation: Evaluation
    method: Method
    run: int
    graph: CompiledStateGraph[Any, ReaderContext, Any, Any]
    context: ReaderContext

    async def build(self, text: Text, document: Document) -> None:
        """Build the method's memory of a text; what that took is kept, also of a part where it was stopped."""
        exchanges: list[Exchange] = []
        line: dict[str, Any] = {"method": self.method.name, "run": self.run, "text": text.id}
        try:
            found = await self._invoke(Question(document=document.id), exchanges)
            line |= await self._memory(document, found)
        finally:
            self._keep_exchanges(exchanges, text.id, "")
            self.evaluation.folder.append("memories", [{**line, **asked(exchanges)}])

    async def _memory(self, document: Document, found: dict[str, Any]) -> dict[str, Any]:
        """What a memory is, and how large its pages and notes are."""
        pages = self.evaluation.library.pages
        memory = await pages.memory(document.id, found["memory"])
        numbers = range(memory.pages)
        return {
            "memory": memory.id,
            "fingerprint": memory.recipe.fingerprint,
            "words": document.words,
            "page_words": [page.words for page in await pages.pages(memory.id, numbers)],
            "note_words": [note.words for note in await pages.notes(memory.id, numbers)],
            "fallbacks": found["fallbacks"],
            "seconds": found["usage"]["seconds"],
            "cost": self.evaluation.cost(found["steps"]),
        }

    async def answer(self, item: Item, document: Document) -> Outcome:
        """Ask one question, and keep what came of it."""
        exchanges: list[Exchange] = []
        try:
            given = Question(document=document.id, question=item.question, options=list(item.options))
            found = await self._invoke(given, exchanges)
        except ReadgraphError as problem:
            return self.fail(item, problem)
        pages = self.evaluation.library.pages
        outcome = await _outcome(pages, item, found, self.method.name, self.run)
        outcome = replace(_counted(outcome, exchanges), cost=self.evaluation.cost(found["steps"]))
        self._keep_exchanges(exchanges, item.text, item.id)
        self.evaluation.folder.keep_outcome(outcome)
        return outcome

    def fail(self, item: Item, problem: ReadgraphError) -> Outcome:
        """Keep that a question could not be answered, and why."""
        outcome = Outcome(item.id, self.method.name, self.run, "failed", problem=str(problem))
        self.evaluation.folder.keep_outcome(outcome)
        return outcome

    async def _invoke(self, given: Question, exchanges: list[Exchange]) -> dict[str, Any]:
        with exchanges_to(exchanges.append):
            return await self.graph.ainvoke(given, context=self.context)

    def _keep_exchanges(self, exchanges: Iterable[Exchange], text: str, item: str) -> None:
        of = {"method": self.method.name, "run": self.run, "text": text, "item": item}
        self.evaluation.folder.append("exchanges", [{**of, **exchange} for exchange in exchanges])


async def add_text(pages: PageStore, text: Text) -> Document:
    """A text as a document of the library; one with sessions as a history."""
    if text.sessions:
        return (await append_sessions(pages, text.id, text.sessions)).document
    return await pages.add_document(text.text, title=text.title)


async def _outcome(pages: PageStore, item: Item, found: dict[str, Any], method: str, run: int) -> Outcome:
    read = await pages.pages(found["memory"], found["pages_read"])
    hops = found.get("hops")
    return Outcome(
        item=item.id,
        method=method,
        run=run,
        status=found["status"],
        answer=found["answer"],
        choice=None if found["choice"] is None else ord(found["choice"]) - ord("A"),
        read=tuple(Span(page.start, page.end) for page in read),
        cited=tuple(Span(cited["start"], cited["end"]) for cited in found["citations"]),
        compression_rate=found["compression_rate"],
        usage=found["usage"],
        refused=found["usage"]["refused"],
        fallbacks=found["fallbacks"],
        look_ups=len(read),
        hops=None if hops is None else len(hops),
        strayed=None if hops is None else any(hop["action"] == "revert" for hop in hops),
        percent_read=found.get("percent_read"),
        memory=found["memory"],
    )


def _counted(outcome: Outcome, exchanges: Sequence[Exchange]) -> Outcome:
    calls, sent, received = asked(exchanges).values()
    return replace(outcome, calls=calls, input_words=sent, output_words=received)


def asked(exchanges: Sequence[Exchange]) -> dict[str, int]:
    """What was asked of the model, whether it was paid for now or before."""
    return {
        "calls": len(exchanges),
        "input_words": sum(count_words(text) for exchange in exchanges for _, text in exchange["messages"]),
        "output_words": sum(count_words(exchange["reply"]) for exchange in exchanges),
    }
