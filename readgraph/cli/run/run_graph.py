"""Run a method's graph over a document in the library, with progress."""

import uuid
from collections.abc import AsyncIterator
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph

from readgraph.cli.terminal.notices import notices
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.prices import cost
from readgraph.cli.terminal.progress import ReadingProgress
from readgraph.state.build_lock import using
from readgraph.state.context import ReaderContext
from readgraph.state.library import Library
from readgraph.state.reading import Question
from readgraph.state.records import Document


async def run_graph(
    library: Library,
    builder: StateGraph[Any, ReaderContext, Any, Any],
    method: str,
    document: Document,
    question: Question,
    context: ReaderContext,
    screen: Screen,
    thread: str = "",
    seconds_before: float = 0.0,
) -> dict[str, Any]:
    """Run a method's graph over the document; returns its output with document, method, model and cost in dollars.

    `seconds_before` were spent on the document's conversion, and count into the time used.
    """
    graph = builder.compile(checkpointer=library.checkpointer, store=library.store)
    config: RunnableConfig = {
        "configurable": {"thread_id": thread or uuid.uuid4().hex},
        "metadata": {"document": document.id, "method": method},
    }
    async with using(library.store, document.id):
        document = await library.pages.document(document.id)  # it may have been forgotten meanwhile
        graph_input = Question(document=document.id, **question)
        with ReadingProgress(screen) as progress, notices(progress.say, quiet=screen.quiet):
            output = await _output(graph, graph_input, config, context, progress)
    output["usage"] = output["usage"] | {"seconds": round(output["usage"]["seconds"] + seconds_before, 4)}
    parts = [(await library.pages.document(part.document), part) for part in document.parts]
    documents = [{"id": of.id, "title": of.title, "start": part.start, "end": part.end} for of, part in parts]
    about = {"title": document.title, "documents": documents, "method": method, "model": context.model or None}
    return {**about, **output, "cost": cost(output["steps"], screen.price)}


async def _output(
    graph: CompiledStateGraph[Any, ReaderContext, Any, Any],
    graph_input: Question,
    config: RunnableConfig,
    context: ReaderContext,
    progress: ReadingProgress,
) -> dict[str, Any]:
    output: Any = {}
    events: AsyncIterator[Any] = graph.astream(
        graph_input,
        config,
        context=context,
        stream_mode=["custom", "tasks", "updates", "values"],
        output_keys=graph.output_channels,
    )
    async for mode, event in events:
        if mode == "custom":
            progress.take(event)
        elif mode == "tasks":
            if "input" in event:  # the task begins
                progress.begin(event["name"])
        elif mode == "updates":
            progress.show_steps(event)
        else:
            output = event
    return dict(output)
