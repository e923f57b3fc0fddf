"""`read` and `ask`: run the graph over a file in the library, with progress."""

import asyncio
import os
import uuid
import warnings
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph import StateGraph

from readgraph.cli.progress import ReadingProgress
from readgraph.cli.rendering import print_answer, print_json, print_memory, print_reminder, print_steps
from readgraph.cli.rounds import print_rounds
from readgraph.graphs.methods import Method, method_for, method_named
from readgraph.sources import SourceText, load, load_all
from readgraph.sources.loading import STANDARD_INPUT
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.histories import history
from readgraph.state.library import Library, open_library
from readgraph.state.reading import Question
from readgraph.state.records import Document


def read_documents(
    paths: Sequence[Path], glob: str | None, method: str, context: ReaderContext, folder: Path | None, *, as_json: bool
) -> None:
    """Build the memories of files and folders and say what they are; JSON is an array where there are several."""
    built = asyncio.run(_read(load_all(paths, glob), method_named(method), context, folder, as_json))
    if as_json:
        print_json(built[0] if len(built) == 1 else built)


def ask_document(
    question: str,
    options: list[str],
    path: Path,
    method: str | None,
    context: ReaderContext,
    folder: Path | None,
    *,
    show_steps: bool,
    as_json: bool,
) -> None:
    """Answer a question about the file, or the history of this name, and print the answer.

    Where no method is named, it is the one that documents of its kind are made for.
    """
    if not question.strip():
        raise BadInput("The question is empty: ask something.")
    if len(options) == 1:
        raise BadInput("A multiple choice needs at least two options; there is one --option.")
    asked = Question(question=question, options=options)
    named = method_named(method) if method else None
    asyncio.run(_ask(path, asked, named, context, folder, show_steps, as_json))


async def _read(
    sources: Sequence[SourceText], method: Method, context: ReaderContext, folder: Path | None, as_json: bool
) -> list[dict[str, Any]]:
    built = []
    async with open_library(folder) as library:
        for source in sources:
            document = await _stored(source, library)
            found = await run_graph(library, method.build(), method.name, document, context)
            memory = await library.pages.memory(document.id, found["memory"])
            notes = await library.pages.notes(memory.id, range(memory.pages))
            kept = {"pages": memory.pages, "notes": len(notes), "note_words": sum(note.words for note in notes)}
            built.append(_reported(document, context, found) | kept | {"complete": memory.complete})
            if not as_json:
                print_memory(document, memory, notes, found, method.note)
    if not as_json:
        print_reminder(context)
    return built


async def _ask(
    path: Path,
    asked: Question,
    named: Method | None,
    context: ReaderContext,
    folder: Path | None,
    show_steps: bool,
    as_json: bool,
) -> None:
    async with open_library(folder) as library:
        document = await _named(path, library)
        method = named or method_for(document)
        found = await run_graph(library, method.build(), method.name, document, context, asked)
    if as_json:
        print_json(_reported(document, context, found))
        return
    if show_steps:
        print_steps(found["steps"])
        if "rounds" in found:
            print_rounds(found["rounds"])
    print_answer(found)
    print_reminder(context)


async def _named(path: Path, library: Library) -> Document:
    """The document of a file; where there is no such file, the history of this name."""
    if not os.path.lexists(path) and (kept := await history(library.pages, str(path))):
        return kept
    return await _stored(await asyncio.to_thread(load, path), library)


async def _stored(source: SourceText, library: Library) -> Document:
    places = [(place.start, place.label) for place in source.places]
    file = "" if source.source == STANDARD_INPUT else source.source
    return await library.pages.add_document(source.text, title=source.title, source=file, places=places)


async def run_graph(
    library: Library,
    graph: StateGraph[Any, ReaderContext, Any, Any],
    method: str,
    document: Document,
    context: ReaderContext,
    asked: Question | None = None,
) -> dict[str, Any]:
    """Run a graph over the document, with progress, and return its output; no question = build the memory only."""
    compiled = graph.compile(checkpointer=library.checkpointer, store=library.store)
    config: RunnableConfig = {
        "configurable": {"thread_id": uuid.uuid4().hex},
        "metadata": {"document": document.id, "method": method},
    }
    found: Any = {}
    with ReadingProgress() as progress, warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: progress.say(str(message))
        given = Question(document=document.id, **(asked or {}))
        events: AsyncIterator[Any] = compiled.astream(
            given, config, context=context, stream_mode=["custom", "values"], output_keys=compiled.output_channels
        )
        async for mode, event in events:
            if mode == "values":
                found = event
            elif "progress" in event:
                progress.show(event["progress"])
    return dict(found)


def _reported(document: Document, context: ReaderContext, found: dict[str, Any]) -> dict[str, Any]:
    return {"title": document.title, "model": context.model or None, **found}
