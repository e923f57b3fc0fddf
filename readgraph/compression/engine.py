"""A compression engine: a text becomes one that fits a budget of tokens, by the graph of a reading method.

An engine reads with the method's own nodes, so that calls are retried, counted and recorded, and pages and notes are
kept, as in any other reading; what comes out is then condensed into the budget (`readgraph.compression.condensing`).
"""

import asyncio
import time
from functools import cached_property
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from readgraph.compression.condensing import Condenser, notes_of
from readgraph.compression.found import passages_for
from readgraph.compression.reading_engine import ReadingEngine
from readgraph.compression.tokens import check_budget, count_tokens, tokens_in
from readgraph.compression.trace import (
    Compressed,
    CompressionStatus,
    CompressionTrace,
    TraceStep,
    traced,
)
from readgraph.graphs.separate_run import separate_run
from readgraph.nodes.building.gists import gisting
from readgraph.nodes.building.interfaces import WriteNote
from readgraph.nodes.prompts.building.notes import gist_prompt
from readgraph.nodes.purpose import purpose_of
from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from readgraph.state.running.background import in_background
from readgraph.state.running.listening import Listen
from readgraph.state.running.runs import as_run, part_of_run
from readgraph.state.words import count_words

GROUP_WORDS, LEAST_SHARE = 375, 0.2
"""Notes are shortened in groups of at most this many words, in one round to a fifth at the least."""


class CompressionEngine(ReadingEngine):
    """The base of all engines: give `id` and `line`, and the graph that `build` returns."""

    def condenser(self) -> Condenser:
        """How what was read is fitted into a budget."""
        return Condenser(notes_of, gist_of, GROUP_WORDS, LEAST_SHARE)

    @cached_property
    def condensing(self) -> CompiledStateGraph[Any, Any, Any, Any]:
        """The graph that fits what was read into a budget."""
        return self.condenser().build().compile(store=self.pages.store)

    def compress(
        self, text: str, llm_token_budget: int, query: str | None = None
    ) -> tuple[Compressed, CompressionTrace]:
        """The text within a budget of tokens, and the trace; with a query, the answer to it.

        A text that fits is returned as it is. What is too long is shortened again until it fits, and never cut off;
        where a model shortens no further, its most important sentences are taken. Raises `BadInput` for an empty text
        or query, for a budget that holds no word, or not one sentence of what was found; other errors are those of
        `readgraph.models.asking`.
        """
        return in_background(self.acompress, text, llm_token_budget, query)

    async def acompress(
        self, text: str, llm_token_budget: int, query: str | None = None
    ) -> tuple[Compressed, CompressionTrace]:
        """As `compress`, in the running event loop."""
        check_request(llm_token_budget, query)
        document = await self.pages.add_document(text)
        return await self.compress_document(document, llm_token_budget, query)

    async def compress_document(
        self,
        document: Document,
        llm_token_budget: int,
        query: str | None = None,
        listen: Listen = lambda mode, event: None,
    ) -> tuple[Compressed, CompressionTrace]:
        """As `compress`, for a document in the engine's store; `listen` takes what the graphs stream."""
        most, began, steps = check_request(llm_token_budget, query), time.perf_counter(), list[TraceStep]()
        status: CompressionStatus
        if query is None and document.words <= most:
            text, status, rounds = await self.pages.text(document), "whole", 0
        else:
            run = self._compressed(document, most, query, steps, listen)
            with as_run(part_of_run(engine=self.id)):
                text, status, rounds = await asyncio.create_task(run, context=separate_run())
        compressed = Compressed(text, self.id, count_tokens(text), status)
        sizes = {"characters": document.characters, "words": document.words, "budget": llm_token_budget}
        trace = CompressionTrace(
            engine_name=self.id,
            model=self.context.model,
            parameters={**self.parameters, **self._settings()},
            input_summary={"document": document.id, **sizes, "query": query},
            output_summary={"status": status, "words": count_words(text), "rounds": rounds},
            original_tokens=tokens_in(document.words),
            compressed_tokens=compressed.tokens,
            processing_ms=round(1000 * (time.perf_counter() - began), 1),
            steps=steps,
        )
        return compressed, trace

    async def _compressed(
        self, document: Document, most: int, query: str | None, steps: list[TraceStep], listen: Listen
    ) -> tuple[str, CompressionStatus, int]:
        question = {} if query is None else {"question": query}
        found = await traced(self.graph, {"document": document.id, **question}, self.context, steps, listen)
        passages = None if query is None else await passages_for(self.pages, found, query, most)
        given = {
            "document": document.id,
            "memory": found["memory"],
            "passages": passages,
            "budget_words": most,
            "usage": found["usage"],
            "status": found["status"],
        }
        output = await traced(self.condensing, given, self.context, steps, listen)
        status: CompressionStatus = "compressed" if output["status"] == "reading" else output["status"]
        return output["condensed"], status, output["rounds"]


def check_request(llm_token_budget: object, query: object) -> int:
    """The words that the budget holds; raises `BadInput` for a budget that holds none, and for an empty query."""
    most = check_budget(llm_token_budget)
    if query is not None and not (isinstance(query, str) and query.strip()):
        raise BadInput("The query is empty: ask something, or leave it out to compress the whole text.")
    return most


def gist_of(words: int) -> WriteNote:
    """What shortens a text to about this many words, by ReadAgent's prompt."""
    return gisting(lambda text, context: gist_prompt(text, words, purpose_of(context)))
