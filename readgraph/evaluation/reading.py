"""One row reads one text and answers the questions about it, or sums it up; the results are kept in the folder."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any
from uuid import uuid4

from langgraph.graph.state import CompiledStateGraph

from readgraph.evaluation.folder import EvaluationFolder
from readgraph.evaluation.line_shapes import Cost, count_usage
from readgraph.evaluation.records import ChosenWebAction, Item, Outcome, Text, TextSpan
from readgraph.evaluation.rows import Row
from readgraph.graphs.methods import METHODS, SUMMARY
from readgraph.library.collections import add_collection
from readgraph.library.histories import append_sessions
from readgraph.library.opening import Library
from readgraph.library.page_store import PageStore
from readgraph.library.search.terms import content_words
from readgraph.models.metering import ExchangeRecorder, FallBack, ModelExchange, exchanges_to
from readgraph.state.context import ReaderContext
from readgraph.state.errors import ReadgraphError
from readgraph.state.logs import new_run_part, use_run
from readgraph.state.reading import Citation, Question
from readgraph.state.records import Document, digest
from readgraph.state.summary import SummaryWanted
from readgraph.state.words import first_words


@dataclass
class TextReading:
    """One method's reading of one text in one run; `build` must be called first."""

    library: Library
    folder: EvaluationFolder
    cost: Cost
    row: Row
    run: int
    text: Text
    document: Document = field(init=False)
    graph: CompiledStateGraph[Any, ReaderContext, Any, Any] = field(init=False)

    async def build(self) -> None:
        """Build the method's memory of the text; each call is recorded when it ends, so that a stop loses none."""
        line = {"method": self.row.name, "run": self.run, "text": self.text.id, "process": uuid4().hex}
        line |= {"purpose": self.row.context.purpose} if self.row.context.purpose else {}
        since = monotonic()

        def keep(exchanges: Sequence[ModelExchange], call: str = "", **fields: Any) -> None:
            nonlocal since
            before, since = since, monotonic()
            self._keep_exchanges(exchanges, "")
            used = {**count_usage(exchanges, self.cost), "seconds": round(since - before, 3)}
            self.folder.append("memories", [{**line, "call": call, **fields, **used}])

        # By these digests, calls that are repeated when building goes on are recognised and counted once.
        def keep_exchange(exchange: ModelExchange) -> None:
            again = [exchange["repeated"]] if exchange["repeated"] else []
            keep([exchange], digest([(exchange["messages"], exchange["reply"]), *again]))

        def keep_fall_back(fall_back: FallBack) -> None:
            prompt = fall_back["after"] and fall_back["after"]["messages"][:2]
            counts = {fall_back["kind"]: fall_back["times"]}
            keep([], digest(["fall-back", fall_back["kind"], prompt]), fallbacks=counts)

        keep([], **await self.remember(ExchangeRecorder(keep_exchange, keep_fall_back)))

    async def remember(self, keep: ExchangeRecorder) -> dict[str, Any]:
        """Build the memory; returns its id, its recipe's fingerprint, and the sizes of its pages and notes."""
        pages = self.library.pages
        self.document = await add_text(pages, self.text)
        method, store = self.row.method, self.library.store
        # Summaries are made from ReadAgent's memory, whatever other memories the text has.
        self.graph = (METHODS["read-agent"] if method is SUMMARY else method).build().compile(store=store)
        output = await self.invoke(Question(document=self.document.id), keep)
        if method is SUMMARY:
            self.graph = method.build().compile(store=store)
        memory = await pages.memory(self.document.id, output["memory"])
        numbers = range(memory.pages)
        return {
            "memory": memory.id,
            "fingerprint": memory.recipe.fingerprint,
            "words": self.document.words,
            "page_words": [page.words for page in await pages.pages(memory.id, numbers)],
            "note_words": [note.words for note in await pages.notes(memory.id, numbers)],
        }

    def graph_input(self, item: Item) -> Mapping[str, Any]:
        """The graph's input for a question; a summary has no subject where all of the text is to be summed up."""
        if self.row.method is SUMMARY:
            whole = SummaryWanted(document=self.document.id)
            return whole if item.summary else {**whole, "question": item.question}
        question = Question(document=self.document.id, question=item.question, options=list(item.options))
        return {**question, **({"history": list(item.step.history)} if item.step else {})}

    async def answer(self, item: Item) -> Outcome:
        """Ask one question, and keep the outcome."""
        exchanges: list[ModelExchange] = []
        try:
            output = await self.invoke(self.graph_input(item), ExchangeRecorder(exchanges.append))
        except ReadgraphError as problem:
            return self.fail(item, problem, exchanges)
        read = await self.library.pages.pages(output["memory"], output["pages_read"])
        hops, action = output.get("hops"), output.get("action")
        seen = sum(hop["shown_words"] for hop in hops or ())  # words of notes and segments (MemWalker, figure 4)
        findings = output["findings"] if self.row.context.best_chunk else ()  # the chunks' own answers
        acted = None
        if action and action["outcome"] == "act":
            acted = ChosenWebAction(action["element"], action["operation"], action["value"] or "")
        outcome = Outcome(
            item=item.id,
            method=self.row.name,
            run=self.run,
            status=output["status"],
            answer=output["answer"],
            choice=_option_of(output["choice"]),
            read=tuple(TextSpan(page.start, page.end) for page in read),
            cited=tuple(TextSpan(cited["start"], cited["end"]) for cited in output["citations"]),
            compression_rate=output["compression_rate"],
            usage=output["usage"],
            fallbacks=output["fallbacks"],
            look_ups=len(read),
            hops=None if hops is None else len(hops),
            strayed=None if hops is None else any(hop["action"] == "revert" for hop in hops),
            percent_read=output.get("percent_read"),
            percent_shown=None if hops is None else round(100 * seen / max(self.document.words, 1), 2),
            memory=output["memory"],
            by_rule=output["by_rule"],
            action=acted,
            alternatives=tuple((finding["text"], _option_of(finding["choice"])) for finding in findings),
            confidence=_share_quoted(item.question, output["citations"]),
        )
        return self.keep_outcome(outcome, exchanges)

    def fail(self, item: Item, problem: ReadgraphError, exchanges: Sequence[ModelExchange] = ()) -> Outcome:
        """Keep that a question could not be answered, with the reason and the exchanges before the failure."""
        outcome = Outcome(item.id, self.row.name, self.run, "failed", problem=str(problem))
        return self.keep_outcome(outcome, exchanges)

    async def invoke(self, value: Any, keep: ExchangeRecorder, **options: Any) -> dict[str, Any]:
        """Run the graph with this input and return its output; model exchanges go to `keep`."""
        with exchanges_to(*keep), use_run(new_run_part(method=self.row.name)):
            output: dict[str, Any] = await self.graph.ainvoke(value, context=self.row.context, **options)
        return output

    def keep_outcome(self, outcome: Outcome, exchanges: Sequence[ModelExchange]) -> Outcome:
        """Keep an outcome with what these exchanges took."""
        outcome = replace(outcome, **count_usage(exchanges, self.cost))
        self._keep_exchanges(exchanges, outcome.item)
        self.folder.keep_outcome(outcome)
        return outcome

    def _keep_exchanges(self, exchanges: Iterable[ModelExchange], item: str) -> None:
        origin = {"method": self.row.name, "run": self.run, "text": self.text.id, "item": item}
        lines = [{**origin, **exchange} for exchange in exchanges]
        for line in lines:
            del line["recorded"]  # so that a run that was stopped writes what another one writes
        self.folder.append("exchanges", lines)


async def add_text(pages: PageStore, text: Text) -> Document:
    """Store a text: one with sessions as a history, several documents as a collection, others as a document."""
    if text.sessions:
        return (await append_sessions(pages, text.id, text.sessions)).document
    if text.documents:
        added = list[Document]()
        for document in text.documents_to_store:
            first_line = document.strip().partition("\n")[0]
            added.append(await pages.add_document(document, title=first_words(first_line, 12)))
        return await add_collection(pages, added, title=text.title)
    return await pages.add_document(text.text, title=text.title)


def _share_quoted(question: str, citations: Sequence[Citation]) -> float:
    """The share of the question's words that the quote with most of them has; 0 without a quote."""
    asked = {*content_words(question)}
    shares = (len(asked & {*content_words(each["quote"])}) / max(len(asked), 1) for each in citations)
    return round(max(shares, default=0.0), 3)


def _option_of(letter: str | None) -> int | None:
    return None if letter is None else ord(letter) - ord("A")
