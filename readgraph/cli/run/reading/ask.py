"""`ask`: answer a question about documents, or a follow-up to the last question."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from readgraph.cli.method_settings import check_used
from readgraph.cli.options.asking import AskOptions
from readgraph.cli.run.documents import asked_document, asked_sources, conversion_seconds
from readgraph.cli.run.estimate import estimate
from readgraph.cli.run.run_graph import run_graph, with_places
from readgraph.cli.run.source_links import source_links
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.settings import chosen_method
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.rendering import print_answer, print_json, print_reminder, print_steps
from readgraph.cli.terminal.reports import check_report, write_report
from readgraph.cli.terminal.rounds import print_rounds
from readgraph.cli.terminal.walk_drawing import print_walk
from readgraph.graphs.methods import Method, method_named, method_typed
from readgraph.nodes.answering.marks import with_marks
from readgraph.report.data import report_of_answer
from readgraph.report.page import render
from readgraph.sources import SourceText
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.library import Library, open_library
from readgraph.state.reading import Question
from readgraph.state.records import Document
from readgraph.tools.picking import Choice, picked_document


def ask_documents(options: AskOptions, context: ReaderContext, screen: Screen) -> None:
    """Answer a question about the documents and print the answer, or a follow-up to the last question.

    Without documents, some of the library are picked.
    """
    if not options.question.strip():
        raise BadInput("The question is empty: write one.")
    if len(options.choices) == 1:
        raise BadInput("A multiple choice needs at least two options; there is one --option.")
    _choice(options).check(open_to_choice=not options.paths and not options.follow_up)
    if options.report:
        check_report(options.report)
    screen = replace(screen, steps=options.show_steps)
    sources = asked_sources(options.paths, options.glob, options.library, screen)
    found, page = run_until_stopped(_ask(options, sources, context, screen))
    _print(found, context, screen)
    if options.report:
        write_report(options.report, page, quiet=screen.quiet, in_browser=options.opened)


def estimate_question(options: AskOptions, context: ReaderContext, screen: Screen) -> None:
    """Print what the question will use, without making a call."""
    given = (options.paths, options.glob, options.question, options.method, context, options.library, screen)
    estimate(*given, _choice(options), options.choices)


def _choice(options: AskOptions) -> Choice:
    """How documents of the library are picked."""
    return Choice(options.documents, options.collection)


def _print(found: dict[str, Any], context: ReaderContext, screen: Screen) -> None:
    if screen.as_json:
        print_json(found)
        return
    if screen.steps:
        print_steps(found["steps"])
        if "hops" in found:
            print_walk(found["hops"])
        if "rounds" in found:
            print_rounds(found["rounds"])
    print_answer(found, screen)
    print_reminder(context, screen)


async def _ask(
    options: AskOptions, sources: Sequence[SourceText | str], context: ReaderContext, screen: Screen
) -> tuple[dict[str, Any], bytes]:
    """The graph's output, and the report where one is wanted."""
    request = Question(question=options.question, options=options.choices, follow_up=options.follow_up)
    async with open_library(options.library) as library:
        document = await _document(library, options, sources)
        thread, seconds = "", conversion_seconds(sources)
        if options.follow_up:
            document, thread, method = await _last_question(library, document, options.method)
        else:
            method = chosen_method(options.method, document)
        assert document is not None, "there are files, or documents were picked, or there is a last question"
        graph, name = method.build(), method.name
        output = await run_graph(library, graph, name, document, request, context, screen, thread, seconds)
        found = await with_places(library, with_marks(output))
        if not sources and not options.follow_up:
            found["picked"] = output["documents"] or [{"id": document.id, "title": document.title}]
        if not options.report:
            return found, b""
        links = await source_links(library.pages, document, options.report)
        return found, render(await report_of_answer(library.pages, request, found, method.note, links))


async def _document(library: Library, options: AskOptions, sources: Sequence[SourceText | str]) -> Document | None:
    """The document of the sources, else one that is picked; None for a follow-up without sources."""
    if sources:
        return await asked_document(library, sources)
    if options.follow_up:
        return None
    return await picked_document(library.pages, " ".join([options.question, *options.choices]), _choice(options))


async def _last_question(
    library: Library, document: Document | None, typed: str | None
) -> tuple[Document, str, Method]:
    """Document, thread and method of the newest question (about this document, if one is given).

    Raises `BadInput` where another method was typed, and where one of the user's own was not.
    """
    document, thread, last_method = await _newest_question(library, document)
    if typed not in (None, last_method):
        raise BadInput(f"The last question was asked with {last_method}: use the same method, or leave --continue out.")
    if ":" in last_method and not typed:  # what a library says must import nothing
        raise BadInput(f"The last question was asked with a method of your own: add --method {last_method}.")
    method = method_typed(typed) if typed else method_named(last_method)
    check_used([method], asks=True)
    return document, thread, method


async def _newest_question(library: Library, document: Document | None) -> tuple[Document, str, str]:
    only = {"document": document.id} if document else None
    async with aclosing(library.checkpointer.alist(None, filter=only)) as checkpoints:  # type: ignore[type-var]
        async for saved in checkpoints:
            metadata: Any = saved.metadata
            if "method" in metadata and saved.checkpoint["channel_values"].get("question_text"):
                asked_about = document or await library.pages.document(metadata["document"])
                return asked_about, saved.config["configurable"]["thread_id"], metadata["method"]
    raise BadInput("There is no question to follow up: ask one without --continue first.")
