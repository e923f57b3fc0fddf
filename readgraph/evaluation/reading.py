"""One method reads one text and answers the questions about it; all that came of it is kept in the folder."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from readgraph.evaluation.folder import EvaluationFolder
from readgraph.evaluation.records import Item, Outcome, Span, Text
from readgraph.graphs.methods import Method
from readgraph.nodes.recording import Exchange, exchanges_to
from readgraph.state.collections import add_collection
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ReadgraphError
from readgraph.state.histories import append_sessions
from readgraph.state.library import Library
from readgraph.state.page_store import PageStore
from readgraph.state.reading import Question, Step
from readgraph.state.records import Document
from readgraph.state.words import count_words, first_words

Cost = Callable[[Sequence[Step]], float | None]
"""Dollars of a reading's steps, where they are known."""

TITLE_WORDS = 12


@dataclass
class Reading:
    """One method's reading of one text in one run: `build` comes first."""

    library: Library
    folder: EvaluationFolder
    cost: Cost
    method: Method
    run: int
    text: Text
    context: ReaderContext
    document: Document = field(init=False)
    graph: CompiledStateGraph[Any, ReaderContext, Any, Any] = field(init=False)

    async def build(self) -> None:
        """Build the method's memory of the text; what that took is kept, also of a part where it was stopped."""
        exchanges: list[Exchange] = []
        line: dict[str, Any] = {"method": self.method.name, "run": self.run, "text": self.text.id}
        try:
            line |= await self.remember(exchanges)
        finally:
            self._keep_exchanges(exchanges, "")
            self.folder.append("memories", [{**line, **asked(exchanges)}])

    async def remember(self, exchanges: list[Exchange]) -> dict[str, Any]:
        """Build the memory; gives what it is, how large its pages and notes are, and what it took."""
        pages = self.library.pages
        self.document = await add_text(pages, self.text)
        self.graph = self.method.build().compile(store=self.library.store)
        found = await self.invoke(Question(document=self.document.id), exchanges)
        memory = await pages.memory(self.document.id, found["memory"])
        numbers = range(memory.pages)
        return {
            "memory": memory.id,
            "fingerprint": memory.recipe.fingerprint,
            "words": self.document.words,
            "page_words": [page.words for page in await pages.pages(memory.id, numbers)],
            "note_words": [note.words for note in await pages.notes(memory.id, numbers)],
            "seconds": found["usage"]["seconds"],
            "fallbacks": found["fallbacks"],
            "cost": self.cost(found["steps"]),
        }

    async def answer(self, item: Item) -> Outcome:
        """Ask one question, and keep what came of it."""
        exchanges: list[Exchange] = []
        try:
            given = Question(document=self.document.id, question=item.question, options=list(item.options))
            found = await self.invoke(given, exchanges)
        except ReadgraphError as problem:
            return self.fail(item, problem)
        read = await self.library.pages.pages(found["memory"], found["pages_read"])
        hops = found.get("hops")
        outcome = Outcome(
            item=item.id,
            method=self.method.name,
            run=self.run,
            status=found["status"],
            answer=found["answer"],
            choice=None if found["choice"] is None else ord(found["choice"]) - ord("A"),
            read=tuple(Span(page.start, page.end) for page in read),
            cited=tuple(Span(cited["start"], cited["end"]) for cited in found["citations"]),
            compression_rate=found["compression_rate"],
            look_ups=len(read),
            hops=None if hops is None else len(hops),
            strayed=None if hops is None else any(hop["action"] == "revert" for hop in hops),
            percent_read=found.get("percent_read"),
            memory=found["memory"],
        )
        return self.keep_outcome(outcome, found, exchanges)

    def fail(self, item: Item, problem: ReadgraphError) -> Outcome:
        """Keep that a question could not be answered, and why."""
        outcome = Outcome(item.id, self.method.name, self.run, "failed", problem=str(problem))
        self.folder.keep_outcome(outcome)
        return outcome

    async def invoke(self, given: Any, exchanges: list[Exchange], **options: Any) -> dict[str, Any]:
        """Run the graph; gives its output, and adds what was asked of the model to the exchanges."""
        with exchanges_to(exchanges.append):
            found: dict[str, Any] = await self.graph.ainvoke(given, context=self.context, **options)
        return found

    def keep_outcome(self, outcome: Outcome, found: dict[str, Any], exchanges: Sequence[Exchange]) -> Outcome:
        """Keep an outcome with what it used."""
        calls, sent, received = asked(exchanges).values()
        outcome = replace(
            outcome,
            usage=found["usage"],
            calls=calls,
            input_words=sent,
            output_words=received,
            refused=found["usage"]["refused"],
            fallbacks=found["fallbacks"],
            cost=self.cost(found["steps"]),
        )
        self._keep_exchanges(exchanges, outcome.item)
        self.folder.keep_outcome(outcome)
        return outcome

    def _keep_exchanges(self, exchanges: Iterable[Exchange], item: str) -> None:
        of = {"method": self.method.name, "run": self.run, "text": self.text.id, "item": item}
        self.folder.append("exchanges", [{**of, **exchange} for exchange in exchanges])


async def add_text(pages: PageStore, text: Text) -> Document:
    """A text as a document of the library; one with sessions as a history, several documents as a collection."""
    if text.sessions:
        return (await append_sessions(pages, text.id, text.sessions)).document
    if text.parts:
        documents = [text.text[part.start : part.end] for part in text.parts]
        added = [await pages.add_document(one, title=_first_line(one)) for one in documents]
        return await add_collection(pages, added, title=text.title)
    return await pages.add_document(text.text, title=text.title)


def _first_line(text: str) -> str:
    return first_words(text.strip().partition("\n")[0], TITLE_WORDS)


def asked(exchanges: Sequence[Exchange]) -> dict[str, int]:
    """What was asked of the model, whether it was paid for now or before."""
    return {
        "calls": len(exchanges),
        "input_words": sum(count_words(text) for exchange in exchanges for _, text in exchange["messages"]),
        "output_words": sum(count_words(exchange["reply"]) for exchange in exchanges),
    }
