"""One document of a corpus, as a worker reads it: converted, stored, and read by a method, as `readgraph read` does."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from langgraph.graph import StateGraph

from readgraph.corpus.job import Job, Line, Told, left_out
from readgraph.graphs.method_facts import has_read
from readgraph.graphs.methods import Method, method_typed
from readgraph.models.names.prices import cost
from readgraph.sources.converting import beside_the_loop
from readgraph.sources.loading import read_file
from readgraph.state.context import ReaderContext
from readgraph.state.errors import Damaged, LibraryError, ModelUnavailable, ReadgraphError
from readgraph.state.kept.converted_files import document_of_file
from readgraph.state.opened import Library
from readgraph.state.page_store import PageStore
from readgraph.state.reading import Usage
from readgraph.state.records import Document
from readgraph.tools.documents import id_without_conversion, store_source
from readgraph.tools.running import memory_sizes, run_method


async def read_document(library: Library, job: Job, file: str, max_calls: int | None = None) -> Told:
    """Read a file into the library; what was read before is not read again. It raises nothing that a file can cause.

    `max_calls`: the most calls for this document, if that is less than the job's own bound.
    """
    try:
        return Told(line=await _read(library.pages, job, file, max_calls), stops="", no_answer=False)
    except Damaged as problem:  # of this document alone
        return left_out(file, str(problem))
    except LibraryError as problem:
        return left_out(file, str(problem), stops=str(problem))
    except ModelUnavailable as problem:
        return left_out(file, str(problem), no_answer=True)
    except ReadgraphError as problem:
        return left_out(file, str(problem))
    except Exception as problem:  # one document that finds a fault of ours must not end the reading of all others
        return left_out(file, f"{Path(file).name} can't be read: {type(problem).__name__}: {problem}")


async def is_read(library: Library, job: Job, file: str) -> bool:
    """Whether the library holds a file's document with its whole memory; False too where that can't be said."""
    pages, (_, builder) = library.pages, _built(job.method)
    with suppress(Exception):  # who reads the file tells what is wrong with it
        identity = await id_without_conversion(pages, await asyncio.to_thread(read_file, Path(file)))
        document = await pages.known_document(identity) if identity else None
        return document is not None and await has_read(builder, pages, document, job.context)
    return False


async def _read(pages: PageStore, job: Job, file: str, max_calls: int | None) -> Line:
    document, problems, seconds = await _stored(pages, file)
    context = job.context if max_calls is None else replace(job.context, max_calls=max_calls)
    method, builder = _built(job.method)
    before = {memory.id for memory in await pages.memories(document.id) if memory.complete}
    output = await run_method(pages, builder, method.name, document, {}, context)
    memory = await pages.memory(document.id, output["memory"])
    usage: Usage = output["usage"]
    used: Usage = {**usage, "seconds": round(usage["seconds"] + seconds, 4)}
    sizes = await memory_sizes(pages, memory)
    return Line(
        file=file,
        document=document.id,
        title=document.title,
        memory=memory.id,
        pages=sizes["pages"],
        notes=sizes["notes"],
        note_words=sizes["note_words"],
        words=document.words,
        complete=memory.complete,
        known=memory.id in before and not used["calls"],
        problem="; ".join(problems),
        usage=used,
        fallbacks=output["fallbacks"],
        cost=cost(output["steps"], job.price, batch=context.batch),
    )


@cache
def _built(name: str) -> tuple[Method, StateGraph[Any, ReaderContext, Any, Any]]:
    """The method and its graph, built once in a process: that takes longer than all else of a short document."""
    method = method_typed(name)
    return method, method.build()


async def _stored(pages: PageStore, file: str) -> tuple[Document, list[str], float]:
    """The file's document, what of it could not be read, and how many seconds its conversion took."""
    source_file = await asyncio.to_thread(read_file, Path(file))
    if source_file.digest and (known := await document_of_file(pages, source_file.digest)):
        return known, [], 0.0
    source = await beside_the_loop(source_file.convert)
    return await store_source(pages, source), [str(problem) for problem in source.problems], source.seconds
