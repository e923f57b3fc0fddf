"""What a worker is told, what it does with one document, and what it tells."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from langgraph.graph import StateGraph
from typing_extensions import TypedDict

from readgraph.api.documents import id_without_conversion, store_file
from readgraph.api.running import memory_sizes, run_method
from readgraph.graphs.method import Method
from readgraph.graphs.method_facts import has_read
from readgraph.graphs.methods import method_typed
from readgraph.library.address import LibraryPlace
from readgraph.library.library import Library
from readgraph.library.page_store import PageStore
from readgraph.models.prices import Price, cost
from readgraph.sources.loading import SourceFile, check_inside, read_file
from readgraph.state.channels import empty_channels
from readgraph.state.context import ReaderContext
from readgraph.state.errors import Damaged, LibraryError, ModelUnavailable, ReadgraphError
from readgraph.state.reading import NOTHING_USED, Usage
from readgraph.state.transports import price_share

TRIES = 3  # how often a document is begun again on other workers, after its worker ended, before it is read alone


@dataclass(frozen=True)
class CorpusJob:
    """How the documents are read; it holds no key of a model server, which is in each worker's environment."""

    library: LibraryPlace | None  # it may have a password (see `on_ray`); None: the worker's own default
    method: str
    context: ReaderContext = field(default_factory=ReaderContext)
    price: Price | None = None
    folders: tuple[str, ...] = ()  # whose files are read
    follow_links: bool = False  # also those that lead out of these folders

    @property
    def at_once(self) -> int:
        """How many documents a worker reads at once: with fewer, short ones would leave calls in flight unused."""
        return self.context.concurrency


class CorpusLine(TypedDict):
    """What became of one file; `document` and `memory` are "" where it was left out."""

    file: str
    document: str
    title: str
    memory: str
    pages: int
    notes: int
    note_words: int
    words: int
    complete: bool
    known: bool  # its memory was complete before, and no call was needed
    problem: str  # why it was left out, or what of it could not be read
    unanswered: bool  # it was left out since the model server gave no answer: later it may
    usage: Usage
    fallbacks: dict[str, int]
    cost: float | None


class WorkerReport(TypedDict):
    """What a worker reports on a file."""

    line: CorpusLine
    stops: str  # what makes it useless to go on with any file, such as a full disk


class WorkerEnded(Exception):
    """The worker's process ended, each time that it was given this file."""


class Worker(Protocol):
    """A process that reads several files at once, wherever it runs."""

    @property
    def process_id(self) -> int:
        """The number of its process."""

    async def ready(self) -> None:
        """Wait until it runs; on a full cluster this may be never."""

    async def read(self, file: str, max_calls: int | None) -> WorkerReport:
        """Read a file with at most so many calls; raises `WorkerEnded`."""


def failure_report(file: str, problem: str, *, stops: str = "", unanswered: bool = False) -> WorkerReport:
    """The report on a file that was not read."""
    usage = Usage(**NOTHING_USED)
    about = {"file": file, "title": Path(file).stem, "problem": problem, "unanswered": unanswered}
    return WorkerReport(line=empty_channels(CorpusLine, usage=usage, **about), stops=stops)


async def read_document(library: Library, job: CorpusJob, file: str, max_calls: int | None = None) -> WorkerReport:
    """Read a file into the library, if it was not read before; raises nothing that a file can cause."""
    try:
        return WorkerReport(line=await _read(library.pages, job, file, max_calls), stops="")
    except Damaged as problem:  # of this document alone
        return failure_report(file, str(problem))
    except LibraryError as problem:
        return failure_report(file, str(problem), stops=str(problem))
    except ModelUnavailable as problem:
        return failure_report(file, str(problem), unanswered=True)
    except ReadgraphError as problem:
        return failure_report(file, str(problem))
    except Exception as problem:  # one document that finds a fault of ours must not end the reading of all others
        return failure_report(file, f"{Path(file).name} can't be read: {type(problem).__name__}: {problem}")


async def is_read(library: Library, job: CorpusJob, file: str) -> bool:
    """Whether the library holds a file's document with its whole memory; False too where that can't be said."""
    pages, (_, builder) = library.pages, _build_method(job.method)
    with suppress(Exception):  # who reads the file tells what is wrong with it
        identity = await id_without_conversion(pages, await asyncio.to_thread(_read_file, job, file))
        document = await pages.find_document(identity) if identity else None
        return document is not None and await has_read(builder, pages, document, job.context)
    return False


def _read_file(job: CorpusJob, file: str) -> SourceFile:
    if not job.follow_links:
        check_inside(Path(file), [*map(Path, job.folders)])
    return read_file(Path(file))


async def _read(pages: PageStore, job: CorpusJob, file: str, max_calls: int | None) -> CorpusLine:
    document, seconds, _ = await store_file(pages, await asyncio.to_thread(_read_file, job, file))
    context = job.context if max_calls is None else replace(job.context, max_calls=max_calls)
    method, builder = _build_method(job.method)
    before = {memory.id for memory in await pages.memories(document.id) if memory.complete}
    read = await run_method(pages, builder, method.name, document, {}, context)
    read |= await memory_sizes(pages, read)
    usage: Usage = read["usage"]
    used: Usage = {**usage, "seconds": round(usage["seconds"] + seconds, 4)}
    return CorpusLine(
        file=file,
        document=document.id,
        title=document.title,
        memory=read["memory"],
        pages=read["pages"],
        notes=read["notes"],
        note_words=read["note_words"],
        words=document.words,
        complete=read["complete"],
        known=read["memory"] in before and not used["calls"],
        problem="; ".join(read["notices"]),
        unanswered=False,
        usage=used,
        fallbacks=read["fallbacks"],
        cost=cost(read["steps"], job.price, price_share(context)),
    )


@cache
def _build_method(name: str) -> tuple[Method, StateGraph[Any, ReaderContext, Any, Any]]:
    """The method and its graph, built once in a process: that takes longer than all else of a short document."""
    method = method_typed(name)
    return method, method.build()
