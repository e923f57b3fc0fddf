"""Search the pages of a memory: its tools, whose indexes come from the page store, and their rankings fused."""

import asyncio
import base64
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from heapq import nlargest
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary, proxy

import numpy as np
from langgraph.store.base import BaseStore

from readgraph.language.terms import tokens
from readgraph.library.document_languages import DocumentLanguages, document_languages
from readgraph.library.page_store import PageStore, page_store
from readgraph.library.search.hits import DEPTH, PARTS, Extent, IndexEntry, Part, fuse, pages_of, score_above_last
from readgraph.library.search.indexes import KeywordIndex, index_key, indexes_of
from readgraph.library.search.postings import SHORT
from readgraph.library.search.vector_index import Matrix, VectorIndex
from readgraph.library.store import hold_build_lock
from readgraph.library.stored_items import base_of, drop_oldest
from readgraph.models.embeddings.vector_replies import NotEmbedded
from readgraph.models.metering import count_fallback, current_meter
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.state.channels import SearchHit
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.loops import raise_first_error
from readgraph.state.providers import GivenModel
from readgraph.state.records import Document, Memory, Note
from readgraph.state.variables import set_variable

if TYPE_CHECKING:  # what only a model, or only a baseline, needs is imported when it is used
    from rank_bm25 import BM25Okapi

    from readgraph.models.embeddings.models import Embedder

AT_ONCE = 200  # pages that are indexed at once
ROOM_OF_VECTOR = 2**18  # bytes on the disk for each text: a long vector, with its copies, in all calls in flight
RANKED_AT_ONCE = 500  # pages fetched at once to be ranked, so that a book of 100 MB is never in memory as a whole


class SearchTool(Protocol):
    """Searches the pages of one memory."""

    async def find(self, query: str, most: int) -> list[tuple[int, float]]:
        """(number, score) of at most `most` pages, the best first; what scores 0 is as good as not found."""


Tools = Mapping[str, SearchTool]

MakeTool = Callable[[PageStore, Document, Memory], SearchTool]

_stand_ins: ContextVar[Mapping[str, MakeTool]] = ContextVar("stand_ins")


@contextmanager
def use_stand_ins(tools: Mapping[str, MakeTool]) -> Iterator[None]:
    """In this block, these tools stand in for keyword search, whatever its ranking, and for vector search."""
    with set_variable(_stand_ins, tools):
        yield


def make_stand_in(name: str, store: PageStore, document: Document, memory: Memory) -> SearchTool | None:
    """The tool that stands in for the one of this name; None if there is none."""
    make = _stand_ins.get({}).get(name)
    return make(store, document, memory) if make else None


async def open_ranker(store: PageStore, document: Document, memory: Memory) -> SearchTool:
    """Ranks the pages of a memory by the words of their texts: a stand-in for keyword search, else its kept index."""
    if search_tool := make_stand_in("keyword", store, document, memory):
        return search_tool
    index = (await indexes_of(store.store)).keyword
    tool = KeywordTool(index, index_key(memory), ("page",), needs_content=True)
    await bring_up_to_date(store, document, memory, tool)
    return tool


def okapi_ranker(store: PageStore, document: Document, memory: Memory) -> SearchTool:
    """Ranks them as the papers' baseline does: a stand-in for keyword search, else that of `rank_bm25`."""
    return make_stand_in("keyword", store, document, memory) or OkapiTool(store, document, memory)


async def memory_tools(
    runtime: ReaderRuntime, document: Document, memory: Memory, parts: tuple[Part, ...] = PARTS
) -> Tools:
    """Keyword search and, with an embedding model, vector search of these parts; or the caller's tools for them."""
    store, context = page_store(runtime), runtime.context
    given = {name: make_stand_in(name, store, document, memory) for name in ("keyword", "vector")}
    tools = {name: tool for name, tool in given.items() if tool}
    indexes, key, own = await indexes_of(store.store), index_key(memory), dict[str, KeywordTool | VectorTool]()
    if "keyword" not in tools:
        own["keyword"] = KeywordTool(indexes.keyword, key, parts)
    if context.embeddings and "vector" in context.tools and "vector" not in tools:
        embedder = await get_shared_embedder(store, context)
        words = tools.get("keyword") or own["keyword"]
        vectors = await indexes.vectors(embedder.identity)
        own["vector"] = VectorTool(vectors, key, parts, embedder=embedder, words=words)
    for name, tool in own.items():
        try:
            await bring_up_to_date(store, document, memory, tool)
        except NotEmbedded as problem:  # its vectors are incomplete: a search with it says so, and goes by words
            if isinstance(tool, VectorTool):
                own[name] = replace(tool, problem=problem)
    return {**own, **tools}


async def open_rankers(
    runtime: ReaderRuntime, document: Document, memory: Memory, names: tuple[str, ...], parts: tuple[Part, ...] = PARTS
) -> Tools:
    """Some of keyword and vector, whatever tools the context names; or okapi or index, which stand alone.

    "okapi" is the papers' BM25, and "index" the methods' own ranking of texts.
    """
    store, context = page_store(runtime), runtime.context
    if names == ("okapi",):
        return {"okapi": okapi_ranker(store, document, memory)}
    if names == ("index",):
        return {"index": await open_ranker(store, document, memory)}
    if "vector" in names and not (context.embeddings or make_stand_in("vector", store, document, memory)):
        raise BadInput("This look-up needs an embedding model: name one (embeddings), or take a method without.")
    both = runtime.override(context=replace(context, tools=("keyword", "vector")))
    tools = await memory_tools(both, document, memory, parts)
    return {name: tools[name] for name in names}


async def get_shared_embedder(store: PageStore, context: ReaderContext) -> "Embedder":
    """The context's embedding model, shared by all users of the store, which keeps the embeddings."""
    from readgraph.models.embeddings.models import Embedder

    base = proxy(base_of(store.store))  # so that the cache below does not keep the store alive
    paid = PaidVectors(PageStore(base, namespace=store.namespace, share_replies=store.share_replies))
    how = {name: getattr(context, name) for name in ("concurrency", "timeout", "retry_seconds")}
    embedder = Embedder(context.embeddings, paid, batch=context.embedding_batch, **how)
    if isinstance(context.embeddings, GivenModel):  # others of its name may have another key
        return embedder
    in_use = _embedders.setdefault(base_of(store.store), {})
    identity = (embedder.identity, context.embedding_batch, *how.values(), store.namespace, store.share_replies)
    return in_use.setdefault(identity, embedder)


_embedders: "WeakKeyDictionary[BaseStore, dict[tuple[Any, ...], Embedder]]" = WeakKeyDictionary()
"""The embedding models in use, by store, identity, settings and namespace; some are slow to load."""


@dataclass(frozen=True)
class OkapiTool:
    """The pages of a memory as `rank_bm25.BM25Okapi` ranks them, by their words as they stand: the papers' baseline."""

    store: PageStore
    document: Document
    memory: Memory

    async def find(self, query: str, most: int) -> list[tuple[int, float]]:
        """The pages by their scores, also of zero or less; of equal ones the earlier first."""
        languages = await document_languages(self.store, self.document)
        wanted = Counter[str]()  # a word that the query repeats counts as often as it does
        for language in languages.languages:
            wanted |= Counter(tokens(query, language))
        if (ranker := await self._ranker(languages)) is None:
            return []
        scores = ranker.get_scores([*wanted.elements()])
        best = nlargest(most, range(len(scores)), key=lambda number: (scores[number], -number))
        return [(number, float(scores[number])) for number in best]

    async def _ranker(self, languages: DocumentLanguages) -> "BM25Okapi | None":
        """The ranker of these pages, which is made once and keeps all their words; None where they have no word."""
        kept = _rankers.setdefault(base_of(self.store.store), {})
        key = (self.store.namespace, index_key(self.memory), self.memory.pages)
        if key not in kept:
            words = list[list[str]]()
            for first in range(0, self.memory.pages, RANKED_AT_ONCE):
                numbers = range(self.memory.pages)[first : first + RANKED_AT_ONCE]
                pages = await self.store.pages(self.memory.id, numbers)
                texts = await self.store.spans(self.document, [(page.start, page.end) for page in pages])
                words += [tokens(text, languages.at(page.start)) for page, text in zip(pages, texts, strict=True)]
            from rank_bm25 import BM25Okapi

            drop_oldest(kept, MOST_RANKERS)
            kept[key] = BM25Okapi(words) if any(words) else None
        return kept[key]


MOST_RANKERS = 8  # of a store, those that were made last are kept

_rankers: "WeakKeyDictionary[BaseStore, dict[tuple[str, str, int], BM25Okapi | None]]" = WeakKeyDictionary()


IndexT = TypeVar("IndexT", KeywordIndex, VectorIndex)


@dataclass(frozen=True)
class IndexedPages(Generic[IndexT]):
    """These parts of the pages of a memory, in an index of the library's."""

    index: IndexT
    memory: str
    parts: tuple[Part, ...] = PARTS

    async def extent(self) -> Extent:
        """How far the index extends."""
        return await self.index.extent(self.memory)

    async def find_missing(self, pages: int) -> list[int]:
        """Those of the first so many pages that are not indexed."""
        return await self.index.find_missing(self.memory, pages)

    async def clear(self) -> None:
        """Drop all entries of the memory."""
        await self.index.forget(self.memory)


@dataclass(frozen=True)
class KeywordTool(IndexedPages[KeywordIndex]):
    """Searches pages by their words; where it `needs_content`, a query of stop words alone finds nothing."""

    needs_content: bool = False

    async def find(self, query: str, most: int) -> list[tuple[int, float]]:
        """Pages that share words with the query."""
        return await self.index.rank_pages(self.memory, query, most, self.parts, needs_content=self.needs_content)

    async def add(self, entries: list[IndexEntry]) -> None:
        """Index entries."""
        await self.index.add(self.memory, entries)


@dataclass(frozen=True)
class VectorTool(IndexedPages[VectorIndex]):
    """Searches pages by their meaning."""

    embedder: "Embedder" = field(kw_only=True)
    words: SearchTool | None = field(default=None, kw_only=True)  # what searches where there are no vectors
    problem: NotEmbedded | None = field(default=None, kw_only=True)  # why some pages have no vectors

    async def find(self, query: str, most: int) -> list[tuple[int, float]]:
        """Pages whose text, header or memo is similar to the query, by how much more than the least similar one.

        Raises `NotEmbedded` where pages or the query have no vectors, since the embedding model's server gives none.
        """
        if self.problem:
            raise self.problem
        vector = await self.embedder.query(query, await self.index.dimension(self.memory))
        hits = await self.index.search(self.memory, vector, DEPTH, self.parts)
        return score_above_last([(hit.page, hit.score) for hit in hits])[:most]

    async def add(self, entries: list[IndexEntry]) -> None:
        """Embed entries and index them."""
        places, vectors = await self.embedder.entries(entries, await self.index.dimension(self.memory))
        if places:
            await self.index.add(self.memory, places, vectors)


@dataclass(frozen=True)
class PaidVectors:
    """Embeddings that were paid for, kept with this document; without one, with that which the running step reads."""

    pages: PageStore
    document: str = ""

    async def get(self, keys: Sequence[str]) -> list[Matrix | None]:
        """The vectors of these keys, in this order; None for those that aren't kept."""
        return [_vector(value) for value in await self.pages.embeddings(keys)]

    async def check_room(self, vectors: int) -> None:
        """Raise `LibraryError` where the disk of the library is too full for so many vectors."""
        await self.pages.check_room(vectors * ROOM_OF_VECTOR)

    async def put(self, vectors: Mapping[str, Matrix]) -> None:
        """Keep vectors; when this returns, they are committed."""
        document = self.document or current_meter().document
        texts = {key: base64.b64encode(vector.astype("<f4").tobytes()).decode() for key, vector in vectors.items()}
        await self.pages.put_embeddings({key: {"vector": text, "document": document} for key, text in texts.items()})


def _vector(value: dict[str, Any] | None) -> Matrix | None:
    """The kept vector; None if there is none, or if it is damaged and must be computed again."""
    try:
        vector = np.frombuffer(base64.b64decode((value or {})["vector"]), "<f4")
    except (KeyError, ValueError, TypeError):
        return None
    return vector if vector.size and np.isfinite(vector).all() else None


async def bring_up_to_date(
    store: PageStore, document: Document, memory: Memory, index: KeywordTool | VectorTool
) -> None:
    """Index the missing pages, of an unfinished memory those with notes, in one task; one that has shrunk anew."""
    extent = await index.extent()
    if (extent.count, extent.last) == (memory.pages, memory.pages - 1):
        return
    async with hold_build_lock(store.store, f"{memory.id}-search"):
        extent = await index.extent()
        if extent.last >= memory.pages:
            await index.clear()
        missing, languages = await index.find_missing(memory.pages), await document_languages(store, document)
        for first in range(0, len(missing), AT_ONCE):
            await index.add(await _entries(store, document, memory, languages, missing[first : first + AT_ONCE]))


async def _entries(
    store: PageStore, document: Document, memory: Memory, languages: DocumentLanguages, numbers: list[int]
) -> list[IndexEntry]:
    notes = {note.page: note for note in await store.notes(memory.id, numbers)}
    if memory.complete:  # there are memories of pages alone
        notes = {number: notes.get(number) or Note(number, "", 0) for number in numbers}
    pages = await store.pages(memory.id, notes)
    texts = await store.spans(document, [(page.start, page.end) for page in pages])
    sessions: Sequence[str | None] = [None] * len(pages)
    if document.sessions:
        sessions = await store.place_names(document, [page.start for page in pages])
    entries = list[IndexEntry]()
    for page, text, session in zip(pages, texts, sessions, strict=True):
        note = notes[page.number]
        header = "\n".join(filter(None, [session, note.header]))
        follows = page.words <= SHORT and languages.goes_on(page.start)
        entries.append(IndexEntry(page.number, text, header, note.text, languages.at(page.start), follows=follows))
    return entries


Found = dict[str, list[tuple[int, float]]]  # (page, score) of what each ranker found, the best first


async def search_pages(
    rankers: Mapping[str, SearchTool],
    queries: Mapping[str, Sequence[str]],
    most: int,
    among: Collection[int] | None = None,
) -> Found:
    """The best pages of each ranker for all of its queries, `among` those that count; the first error is raised.

    Where a server gives no vectors, their queries are searched for by words, and what is found is "keyword"'s.
    """

    async def rank(name: str, ranker: SearchTool, asked: Sequence[str]) -> tuple[str, list[tuple[int, float]]]:
        try:
            rankings = await asyncio.gather(*(ranker.find(query, DEPTH) for query in asked))
        except NotEmbedded as problem:
            if not (isinstance(ranker, VectorTool) and ranker.words):
                raise
            count_search_by_words(problem)
            return await rank("keyword", ranker.words, asked)
        return name, fuse([[hit for hit in ranking if among is None or hit[0] in among] for ranking in rankings])[:most]

    with raise_first_error():
        async with asyncio.TaskGroup() as tasks:
            ranking = [tasks.create_task(rank(name, rankers[name], asked)) for name, asked in queries.items() if asked]
    hits = defaultdict[str, list[list[tuple[int, float]]]](list)
    for name, ranked in (done.result() for done in ranking):
        hits[name].append(ranked)
    return {name: ranked[0] if len(ranked) == 1 else fuse(ranked)[:most] for name, ranked in hits.items()}


def count_search_by_words(problem: NotEmbedded) -> None:
    """Count a search that went by words in the place of vectors, and let its step say why."""
    count_fallback("vector_search")
    current_meter().tell_by_words(str(problem))


async def find_nearest(ranker: SearchTool, queries: Sequence[str], most: int, among: Collection[int]) -> list[int]:
    """Those of some pages that a ranker puts first for all of these queries together."""
    return pages_of((await search_pages({"keyword": ranker}, {"keyword": queries}, most, among))["keyword"])


def fuse_hits(found: Found, most: int = DEPTH) -> list[SearchHit]:
    """The first `most` pages of each ranker, with the rankers that found them; the best first by all that was found."""
    first = {name: {*pages_of(ranking[:most])} for name, ranking in found.items()}
    hits = list[SearchHit]()
    for page, score in fuse(found.values()):
        if names := [name for name, pages in first.items() if page in pages]:
            hits.append({"page": page, "tools": names, "score": round(score, 5)})
    return hits
