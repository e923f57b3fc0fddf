"""One method reads one text and answers the questions about it; all that came of it is kept in the folder."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any
from uuid import uuid4

from langgraph.graph.state import CompiledStateGraph

from readgraph.evaluation.folder import EvaluationFolder
from readgraph.evaluation.records import Item, Outcome, Span, Text
from readgraph.evaluation.usage import Cost, asked
from readgraph.graphs.methods import Method
from readgraph.models.exchanges import FallBack, Keep, ModelExchange, exchanges_to
from readgraph.state.collections import add_collection
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ReadgraphError
from readgraph.state.histories import append_sessions
from readgraph.state.library import Library
from readgraph.state.page_store import PageStore
from readgraph.state.reading import Question
from readgraph.state.records import Document, digest
from readgraph.state.words import first_words

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
        """Build the method's memory of the text; each call is kept as it ends, so that a stop loses none."""
        line = {"method": self.method.name, "run": self.run, "text": self.text.id, "process": uuid4().hex}
        since = monotonic()

        def keep(took: Sequence[ModelExchange], call: str = "", **built: Any) -> None:
            nonlocal since
            before, since = since, monotonic()
            self._keep_exchanges(took, "")
            used = {**asked(took, self.cost), "seconds": round(since - before, 3)}
            self.folder.append("memories", [{**line, "call": call, **built, **used}])

        # By these digests, what happens again when the building goes on is known, and counts once.
        def exchange(one: ModelExchange) -> None:
            keep([one], digest([(one["messages"], one["reply"])]))

        def fall_back(one: FallBack) -> None:
            asked_for = one["after"] and one["after"]["messages"][:2]
            keep([], digest(["fall-back", one["kind"], asked_for]), fallbacks={one["kind"]: one["times"]})

        keep([], **await self.remember(Keep(exchange, fall_back)))

    async def remember(self, keep: Keep) -> dict[str, Any]:
        """Build the memory; gives what it is, and how large its pages and notes are."""
        pages = self.library.pages
        self.document = await add_text(pages, self.text)
        self.graph = self.method.build().compile(store=self.library.store)
        found = await self.invoke(Question(document=self.document.id), keep)
        memory = await pages.memory(self.document.id, found["memory"])
        numbers = range(memory.pages)
        return {
            "memory": memory.id,
            "fingerprint": memory.recipe.fingerprint,
            "words": self.document.words,
            "page_words": [page.words for page in await pages.pages(memory.id, numbers)],
            "note_words": [note.words for note in await pages.notes(memory.id, numbers)],
        }

    async def answer(self, item: Item) -> Outcome:
        """Ask one question, and keep what came of it."""
        exchanges: list[ModelExchange] = []
        try:
            given = Question(document=self.document.id, question=item.question, options=list(item.options))
            found = await self.invoke(given, Keep(exchanges.append))
        except ReadgraphError as problem:
            return self.fail(item, problem, exchanges)
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

    def fail(self, item: Item, problem: ReadgraphError, exchanges: Sequence[ModelExchange] = ()) -> Outcome:
        """Keep that a question could not be answered, why, and what was asked before."""
        outcome = Outcome(item.id, self.method.name, self.run, "failed", problem=str(problem))
        return self._kept(outcome, exchanges)

    async def invoke(self, given: Any, keep: Keep, **options: Any) -> dict[str, Any]:
        """Run the graph; gives its output, and hands on what was asked of the model."""
        with exchanges_to(*keep):
            found: dict[str, Any] = await self.graph.ainvoke(given, context=self.context, **options)
        return found

    def keep_outcome(self, outcome: Outcome, found: dict[str, Any], exchanges: Sequence[ModelExchange]) -> Outcome:
        """Keep an outcome with what it used."""
        return self._kept(replace(outcome, usage=found["usage"], fallbacks=found["fallbacks"]), exchanges)

    def _kept(self, outcome: Outcome, exchanges: Sequence[ModelExchange]) -> Outcome:
        outcome = replace(outcome, **asked(exchanges, self.cost))
        self._keep_exchanges(exchanges, outcome.item)
        self.folder.keep_outcome(outcome)
        return outcome

    def _keep_exchanges(self, exchanges: Iterable[ModelExchange], item: str) -> None:
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
