"""How near the passages of a text are to a query by meaning, by an embedding model that is installed on this machine.

The vectors of a text's passages are made once (`readgraph.api.meaning`) and kept with it, each under its own words: so
no vector stands for a text that was changed, and methods, searches and collections share them. Where one is missing,
where the language is none that the model knows, or where the model fails, words alone are searched.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from readgraph.language.detection import language_of
from readgraph.language.excerpts import cut_to_passages
from readgraph.library.page_store import PageStore, page_store
from readgraph.library.search.hits import LEAST_NEAR, fuse_with_meaning, score_above_last
from readgraph.library.search.vector_index import Matrix
from readgraph.models.metering import current_meter
from readgraph.models.reply import current_stand_in
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.search import PaidVectors, SearchTool, get_shared_embedder
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, Forgotten, ReadgraphError
from readgraph.state.providers import ModelProvider, providers
from readgraph.state.records import Document, Memory
from readgraph.state.variables import warn_caller

if TYPE_CHECKING:  # imported when vectors are asked for
    from readgraph.models.embeddings.models import Embedder

MOST_WORDS = 300_000  # of a text whose vectors are made without being asked for: they take two minutes


class Window(NamedTuple):
    """Characters `[start, end)` of a document, with their text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Nearness:
    """Spans of a document, at least one, and the cosine of each with a query."""

    spans: Sequence[tuple[int, int]]
    cosines: Matrix

    def each(self) -> Iterable[tuple[tuple[int, int], float]]:
        """Each span with its cosine."""
        return zip(self.spans, self.cosines.tolist(), strict=True)

    def of(self, spans: Sequence[tuple[int, int]]) -> list[float]:
        """For each of these spans the cosine of the nearest one that it overlaps; NaN for none."""
        starts, ends = (np.array(bounds) for bounds in zip(*self.spans, strict=True))
        return [
            float(self.cosines[here].max()) if (here := (starts < end) & (ends > start)).any() else nan
            for start, end in spans
        ]


def meaning_model() -> ModelProvider | None:
    """Whose embedding model is installed on this machine and knows languages; None where there is none."""
    knowing = (each for each in providers().values() if each.languages and each.is_installed and each.is_installed())
    return next(knowing, None)


async def meaning_embedder(store: PageStore) -> "Embedder | None":
    """The model's vectors that the store keeps; None where no model is installed."""
    model = meaning_model()
    return await get_shared_embedder(store, ReaderContext(embeddings=model.embedding_model)) if model else None


def keeping_embedder(store: PageStore, document: Document) -> "Embedder | None":
    """A model whose vectors are kept with this document, and go when it is forgotten."""
    from readgraph.models.embeddings.models import Embedder

    model = meaning_model()
    return Embedder(model.embedding_model, PaidVectors(store, document.id)) if model else None


async def windows_of(store: PageStore, document: Document) -> list[Window]:
    """The passages of a document whose vectors tell its meaning; none of a part in a language that the model lacks."""
    model, text = meaning_model(), await store.text(document)
    known = model.languages if model else ()
    bounds = [(part.start, part.end) for part in document.parts] or [(0, len(text))]
    parts = [(start, text[start:end]) for start, end in bounds]
    return [
        Window(at + start, at + end, part[start:end])
        for at, part in parts
        if language_of(part) in known
        for start, end in cut_to_passages(part)
    ]


class _Kept(NamedTuple):
    spans: list[tuple[int, int]]
    vectors: Matrix


async def _kept_vectors(store: PageStore, document: Document) -> _Kept | None:
    """The vectors of all passages of a document; None where one is missing."""
    if current_stand_in() or (embedder := await meaning_embedder(store)) is None:
        return None
    windows = await windows_of(store, document)
    texts = [window.text for window in windows]
    for some in (texts[:1], texts):  # they are made in this order, so the first tells most often
        vectors = [vector for vector in await embedder.find_kept(some) if vector is not None]
        if not vectors or len(vectors) < len(some):
            return None
    return _Kept([(window.start, window.end) for window in windows], np.array(vectors, np.float32))


async def nearness(store: PageStore, document: Document, query: str) -> Nearness | None:
    """How near a document's passages are to a query; None where that isn't known, and words alone must do."""
    if (kept := await _kept_vectors(store, document)) is None or (asked := await vector_of(store, query)) is None:
        return None
    current_meter().remarks.by_meaning = True
    return Nearness(kept.spans, kept.vectors @ asked)


async def nearness_of_each(store: PageStore, documents: Sequence[Document], query: str) -> dict[str, Nearness]:
    """How near the passages of documents are to a query, by their ids; without those of which that isn't known."""
    near, asked = dict[str, Nearness](), None
    for document in documents if meaning_model() else ():
        with suppress(Forgotten):
            if (kept := await _kept_vectors(store, document)) is None:
                continue
            if asked is None and (asked := await vector_of(store, query)) is None:
                break
            near[document.id] = Nearness(kept.spans, kept.vectors @ asked)
    return near


async def vector_of(store: PageStore, query: str) -> Matrix | None:
    """The vector of a query; None where there is no model, or it can't be used, which is told once."""
    try:
        embedder = await meaning_embedder(store)
        return await embedder.query(query) if embedder else None
    except ReadgraphError as problem:
        tell_by_words(problem)
        return None


already_told = set[str]()


def tell_by_words(problem: ReadgraphError) -> None:
    """Say once why texts are searched by words alone."""
    if str(problem) not in already_told:
        already_told.add(str(problem))
        warn_caller(f"{problem} The search goes on by words.")


async def _page_cosines(store: PageStore, document: Document, memory: Memory, query: str) -> list[float] | None:
    """How near each page of a memory is to a query; None where that isn't known."""
    if (near := await nearness(store, document, query)) is None:
        return None
    pages = await store.pages(memory.id, range(memory.pages))
    return near.of([(page.start, page.end) for page in pages])


@dataclass(frozen=True)
class FusedTool:
    """Ranks the pages of a memory by their words and by their meaning together."""

    words: SearchTool
    store: PageStore
    document: Document
    memory: Memory

    async def find(self, query: str, most: int) -> list[tuple[int, float]]:
        """The pages that share words with the query, or are near it."""
        if (cosines := await _page_cosines(self.store, self.document, self.memory, query)) is None:
            return await self.words.find(query, most)
        return fuse_with_meaning(await self.words.find(query, len(cosines)), cosines)[:most]


@dataclass(frozen=True)
class MeaningTool:
    """Searches the pages of a memory by their meaning alone."""

    store: PageStore
    document: Document
    memory: Memory

    async def find(self, query: str, most: int) -> list[tuple[int, float]]:
        """The pages that are near the query, by how much nearer than the farthest one."""
        if (cosines := await _page_cosines(self.store, self.document, self.memory, query)) is None:
            return []
        known = [(number, cosine) for number, cosine in enumerate(cosines) if cosine == cosine]
        ranked = score_above_last(sorted(known, key=lambda each: (-each[1], each[0])))
        return [each for each in ranked if cosines[each[0]] >= LEAST_NEAR][:most]


async def find_meaning_tool(
    store: PageStore, document: Document, memory: Memory, context: ReaderContext
) -> MeaningTool | None:
    """The search by meaning of a memory's pages; None where settings name another model, or vectors are missing."""
    wanted = by_meaning(context) and not context.embeddings
    return MeaningTool(store, document, memory) if wanted and await _kept_vectors(store, document) else None


def by_meaning(context: ReaderContext) -> bool:
    """Whether a run with these settings searches by meaning too, where that is installed: only without a model."""
    return not context.model and context.meaning != "never"


async def passage_cosines(
    spans: Sequence[tuple[int, int, int]], document: Document, memory: str, query: str, runtime: ReaderRuntime
) -> list[float]:
    """How near passages (page, start and end there) are to a query; empty where words alone must do."""
    store, numbers = page_store(runtime), sorted({page for page, _, _ in spans})
    if by_meaning(runtime.context) and runtime.context.meaning == "always" and meaning_model() is None:
        tell_by_words(BadInput("To search by meaning: pip install 'readgraph[meaning]'."))
    if not (numbers and by_meaning(runtime.context) and (near := await nearness(store, document, query))):
        return []
    starts = {page.number: page.start for page in await store.pages(memory, numbers)}
    return near.of([(starts[page] + start, starts[page] + end) for page, start, end in spans])
