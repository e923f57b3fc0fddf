"""A compression engine: a text becomes one that fits a budget of tokens, by the graph of a reading method."""

import asyncio
import inspect
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self, cast

from langchain_core.embeddings import Embeddings
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from readgraph.features.compression import kept as keeping
from readgraph.features.compression.condenser import (
    Condenser,
    check_budget,
    count_tokens,
    notes_of,
    passages_for,
    tokens_in,
)
from readgraph.features.compression.trace import (
    Compressed,
    CompressionStatus,
    CompressionTrace,
    TraceStep,
    run_and_trace,
)
from readgraph.graphs.wiring.method_graph import separate_run
from readgraph.library.opening import BackgroundLibrary, open_library, open_library_in_background
from readgraph.library.page_store import PageStore
from readgraph.models.embeddings.vector_replies import NotEmbedded
from readgraph.models.own.functions import function_model
from readgraph.nodes.building.notes import ask_gist, gist_prompt
from readgraph.nodes.building.parts import WriteNote
from readgraph.nodes.building.recipes import purpose_of
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import settings_in
from readgraph.state.errors import BadInput
from readgraph.state.logs import new_run_part, use_run
from readgraph.state.loops import Listen, in_background
from readgraph.state.records import Document, Note, Page
from readgraph.state.words import count_words

EmbeddingFunction = Callable[..., Any] | Embeddings  # from a list of texts to vectors, or from one to its vector
GROUP_WORDS, LEAST_SHARE = 375, 0.2  # the most words of a group of notes, and what a round leaves at the least


class CompressionEngine(ABC):
    """The base of all engines: give `id` and `line`, and the graph that `build` returns.

    `instead` names the keys that replace settings, `plain` its attributes that are saved. `local_llm_pipeline`: a
    function from a prompt to the model's text, called by one thread at a time; without it the model is the setting
    `model`, and without that the text is compressed by its own sentences. `embedding_fn` serves `recall`. `library`:
    any store of LangGraph in which everything is kept; without one, it is kept as long as the engine. `context` holds
    all settings at once, other keywords are single ones. Raises `BadInput` for an unknown key or unusable value.
    """

    id: ClassVar[str]
    line: ClassVar[str]
    instead: ClassVar[Mapping[str, str]] = {}
    plain: ClassVar[tuple[str, ...]] = ()
    _loaded: BackgroundLibrary | None = None

    def __init__(
        self,
        *,
        local_llm_pipeline: Callable[[str], str] | None = None,
        embedding_fn: EmbeddingFunction | None = None,
        library: BaseStore | None = None,
        context: ReaderContext | None = None,
        **settings: Any,
    ) -> None:
        self.pages = PageStore(InMemoryStore() if library is None else library)
        self.functions: dict[str, str | None] = {"local_llm_pipeline": None, "embedding_fn": None}
        self.graph = self.build().compile(store=self.pages.store)
        for name in sorted(settings.keys() - self.settings):
            if name in self.instead:
                raise BadInput(f"{self.id} has no setting '{name}': give {self.instead[name]}.")
            keys = self.settings.union(*(inspect.signature(kind).parameters for kind in type(self).__mro__[:-2]))
            near = get_close_matches(name, sorted(keys), 1)
            raise BadInput(f"{self.id} has no key '{name}'" + (f": do you mean '{near[0]}'?" if near else "."))
        if context is not None and not isinstance(context, ReaderContext):
            raise BadInput(f"context must be a ReaderContext, not {type(context).__name__}.")
        self.context = replace(context or ReaderContext(), **settings)
        if local_llm_pipeline is not None:
            if both := {"model", "reading_model"} & settings.keys():
                raise BadInput(f"local_llm_pipeline and {min(both)} are both given: leave one of them out.")
            model = self._register_function("local_llm_pipeline", local_llm_pipeline)
            # No other model is to see the text, such as one for reading that stands in a settings file.
            self.context = replace(self.context, model=model, reading_model="")
        self.embedding_fn = embedding_fn

    @abstractmethod
    def build(self) -> StateGraph[Any, ReaderContext, Any, Any]:
        """The graph that reads a text, and answers a query."""

    @property
    def embedding_fn(self) -> EmbeddingFunction | None:
        """The embedding function; it may be set later."""
        return self._embedding_fn

    @embedding_fn.setter
    def embedding_fn(self, function: EmbeddingFunction | None) -> None:
        self._embedding_fn = function
        if function is None and self.functions["embedding_fn"]:
            self.functions["embedding_fn"], self.context = None, replace(self.context, embeddings="")
        elif function is not None:
            called = function.embed_documents if isinstance(function, Embeddings) else function
            self.context = replace(self.context, embeddings=self._register_function("embedding_fn", called))

    @property
    def settings(self) -> frozenset[str]:
        """The settings of a reading that this engine uses."""
        used = {*settings_in(cast(Any, self.graph.context_schema)), "embeddings"}
        return frozenset(used - self.instead.keys())

    @property
    def parameters(self) -> dict[str, Any]:
        """The configuration as plain values; functions by their names."""
        models = {"model": self.context.model, "embeddings": self.context.embeddings}
        return {**self.functions, **models, **self._plain()}

    def condenser(self) -> Condenser:
        """How what was read is fitted into a budget."""
        return Condenser(notes_of, gist_of, GROUP_WORDS, LEAST_SHARE)

    @cached_property
    def condenser_graph(self) -> CompiledStateGraph[Any, Any, Any, Any]:
        """The graph that fits what was read into a budget."""
        return self.condenser().build().compile(store=self.pages.store)

    def compress(
        self,
        text: str | Sequence[str],
        llm_token_budget: int,
        query: str | None = None,
        *,
        previous_compression_result: Compressed | None = None,
    ) -> tuple[Compressed, CompressionTrace]:
        """The text within a budget of tokens, and the trace; with a query, the answer to it.

        A text that fits is returned as it is. What is too long is shortened again until it fits, and never cut off;
        where a model shortens no further, its most important sentences are taken.

        Args:
            text: The text, or its chunks, which then are the episodes of engines that have any.
            llm_token_budget: Most tokens of the result.
            query: A question; the result is its answer.
            previous_compression_result: What came out before: it stands before the text, so that a text which grows
                is compressed step by step.

        Raises:
            BadInput: For an empty text or query, for a budget that holds no word, or no sentence of what was found.
                The errors of `ask` too.
        """
        request = partial(self.acompress, previous_compression_result=previous_compression_result)
        return in_background(request, text, llm_token_budget, query)

    async def acompress(
        self,
        text: str | Sequence[str],
        llm_token_budget: int,
        query: str | None = None,
        *,
        previous_compression_result: Compressed | None = None,
    ) -> tuple[Compressed, CompressionTrace]:
        """As `compress`, in the running event loop."""
        check_request(llm_token_budget, query)
        before = previous_compression_result
        if not isinstance(before, Compressed | None):
            raise BadInput(f"previous_compression_result must be what compress returned, not {type(before).__name__}.")
        given: list[Any] = [*text] if isinstance(text, list | tuple) else [text]
        if wrong := [type(part).__name__ for part in given if not isinstance(part, str)]:
            raise BadInput(f"A text to compress must be a string or a list of strings, not {wrong[0]}.")
        parts = [part for part in [*([before.text] if before else []), *given] if part.strip()]
        engine = self if isinstance(text, str) else self.for_chunks(parts)
        document = await self.pages.add_document("\n\n".join(parts))
        return await engine.compress_document(document, llm_token_budget, query)

    def for_chunks(self, chunks: Sequence[str]) -> "CompressionEngine":
        """The engine for a text of these chunks; one without episodes takes the text as it is."""
        return self

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
            run = self._read_and_condense(document, most, query, steps, listen)
            with use_run(new_run_part(engine=self.id)):
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

    async def _read_and_condense(
        self, document: Document, most: int, query: str | None, steps: list[TraceStep], listen: Listen
    ) -> tuple[str, CompressionStatus, int]:
        question = {} if query is None else {"question": query}
        found = await run_and_trace(self.graph, {"document": document.id, **question}, self.context, steps, listen)
        passages = None if query is None else await passages_for(self.pages, found, query, most)
        given = {name: found[name] for name in ("memory", "usage", "status")}
        given |= {"document": document.id, "passages": passages, "budget_words": most}
        output = await run_and_trace(self.condenser_graph, given, self.context, steps, listen)
        status: CompressionStatus = "compressed" if output["status"] == "reading" else output["status"]
        return output["condensed"], status, output["rounds"]

    def ingest(self, text: str) -> list[str]:
        """Read a text and keep its gists; returns the ids of its episodes, each once: the same words have the same id.

        A text that is kept already costs nothing. If the budget was spent, the episodes so far are kept, and the same
        call goes on. Errors as in `compress`.
        """
        return in_background(self.aingest, text)

    async def aingest(self, text: str) -> list[str]:
        """As `ingest`, in the running event loop."""
        document = await self.pages.add_document(text)
        run = run_and_trace(self.graph, {"document": document.id}, self.context, [], lambda mode, event: None)
        output = await asyncio.create_task(run, context=separate_run())
        ingested_document = keeping.IngestedDocument(document.id, output["memory"])
        await keeping.keep_ingested(self.pages, self.id, ingested_document)
        episodes = await keeping.episodes_of(self.pages, ingested_document)
        if self.context.embeddings and episodes:
            with suppress(NotEmbedded):  # recalling tries again
                await keeping.embed_gists(self.pages, self.context, episodes)
        return list(dict.fromkeys(episode["id"] for episode in episodes))

    def recall(self, query: str, top_k: int = 5) -> list[keeping.Recalled]:
        """The ingested gists that answer the query best, at most `top_k`; none if none shares a word with it.

        With an embedding function, nearness of meaning counts. Raises `BadInput` for an empty query or `top_k` below 1.
        """
        return in_background(self.arecall, query, top_k)

    async def arecall(self, query: str, top_k: int = 5) -> list[keeping.Recalled]:
        """As `recall`, in the running event loop."""
        if not isinstance(query, str) or not query.strip():
            raise BadInput("The query is empty: say what to recall.")
        if not isinstance(top_k, int) or top_k < 1:
            raise BadInput(f"top_k must be a whole number of at least 1, not {top_k!r}.")
        return await keeping.recall_gists(self.pages, self.id, self.context, query, top_k)

    def save(self, folder: str | PathLike[str]) -> None:
        """Save configuration and ingested texts in a folder; functions are not saved, only that they are needed.

        Raises `BadInput` for a folder that holds something else.
        """
        saved = {
            "engine": self.id,
            "config": self._plain(),
            "settings": self._settings(),
            "functions": [key for key, name in self.functions.items() if name],
        }
        path = keeping.folder_for_engine(folder)
        in_background(self._copy_to, path / keeping.LIBRARY)
        keeping.write_engine(path, saved)  # last, so that a folder with it is whole

    async def _copy_to(self, folder: Path) -> None:
        async with open_library(folder) as library:
            await keeping.copy_kept(self.pages, library.pages, self.id)

    @classmethod
    def load(cls, folder: str | PathLike[str], **config: Any) -> Self:
        """The engine saved in a folder, where it goes on to keep what it ingests; `config` replaces what was saved.

        Its functions must be given again, or None to do without. Raises `BadInput` if one is missing, and for a folder
        that holds no engine, or another one.
        """
        saved = keeping.read_engine(folder)
        if saved["engine"] != cls.id:
            raise BadInput(f"{folder} holds the engine {saved['engine']}, not {cls.id}.")
        if missing := [key for key in saved["functions"] if key not in config]:
            raise BadInput(f"The engine was saved with {' and '.join(missing)}: give it again, or None to do without.")
        settings = {name: config.pop(name) for name in [*config] if name in settings_in(ReaderContext)}
        context = ReaderContext(**{**saved["settings"], **settings})
        library = open_library_in_background(Path(folder).expanduser() / keeping.LIBRARY)
        try:
            engine = cls(**{"context": context, "library": library.store, **saved["config"], **config})
        except BaseException:
            library.close()
            raise
        engine._loaded = library
        return engine

    def close(self) -> None:
        """Close the library of an engine that was loaded; a second call does nothing."""
        if self._loaded:
            self._loaded.close()

    def _plain(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in self.plain}

    def _settings(self) -> dict[str, Any]:
        """The settings that differ from their defaults, without those that a key of the engine makes."""
        made = {*self.instead, *(("model",) if self.functions["local_llm_pipeline"] else ())}
        made |= {"embeddings"} if self.functions["embedding_fn"] else set()
        defaults = vars(ReaderContext(model=""))
        differing = {name: value for name, value in vars(self.context).items() if value != defaults[name]}
        return {name: value for name, value in {"model": "", **differing}.items() if name not in made}

    def _register_function(self, key: str, function: Callable[..., Any]) -> str:
        """The model's name of a function, which is kept for the trace."""
        if not callable(function):
            raise BadInput(f"{key} must be a function, not {type(function).__name__}.")
        name = self.functions[key] = function_model(function)
        return name


def check_request(llm_token_budget: object, query: object) -> int:
    """The words that the budget holds; raises `BadInput` for a budget that holds none, and for an empty query."""
    most = check_budget(llm_token_budget)
    if query is not None and not (isinstance(query, str) and query.strip()):
        raise BadInput("The query is empty: ask something, or leave it out to compress the whole text.")
    return most


def gist_of(words: int) -> WriteNote:
    """What shortens a text to about this many words, by ReadAgent's prompt."""

    async def gist(text: str, page: Page, runtime: ReaderRuntime) -> Note:
        return await ask_gist(gist_prompt(text, words, purpose_of(runtime.context)), text, page, runtime)

    return gist
