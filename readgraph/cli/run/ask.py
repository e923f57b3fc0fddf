"""`ask`: answer a question about documents, or go on from the question before."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from readgraph.cli.method_settings import check_used
from readgraph.cli.run.documents import asked_document, asked_sources
from readgraph.cli.run.run_graph import run_graph
from readgraph.cli.settings import chosen_method
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.rendering import print_answer, print_json, print_reminder, print_steps
from readgraph.cli.terminal.reports import check_report, write_report
from readgraph.cli.terminal.rounds import print_rounds
from readgraph.cli.terminal.walk_drawing import print_walk
from readgraph.graphs.methods import method_named
from readgraph.report.data import report_of_answer
from readgraph.report.page import render
from readgraph.sources import SourceText
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.library import Library, open_library
from readgraph.state.reading import Question
from readgraph.state.records import Document


def ask_documents(
    question: str,
    options: list[str],
    paths: Sequence[Path],
    glob: str | None,
    method: str | None,
    context: ReaderContext,
    folder: Path | None,
    screen: Screen,
    *,
    follow_up: bool,
    report: Path | None = None,
) -> None:
    """Answer a question about the documents and print the answer; `report` is a file for the report."""
    if not question.strip():
        raise BadInput("The question is empty: ask something.")
    if len(options) == 1:
        raise BadInput("A multiple choice needs at least two options; there is one --option.")
    if not paths and not follow_up:
        raise BadInput("There is nothing to read: name a file, or go on from the last question with --continue.")
    if report:
        check_report(report)
    asked = Question(question=question, options=options, follow_up=follow_up)
    found, page = asyncio.run(
        _ask(asked, asked_sources(paths, glob), method, context, folder, screen, reported=report is not None)
    )
    _print(found, context, screen)
    if report:
        write_report(report, page, quiet=screen.quiet)


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
    asked: Question,
    sources: Sequence[SourceText | str],
    method: str | None,
    context: ReaderContext,
    folder: Path | None,
    screen: Screen,
    *,
    reported: bool,
) -> tuple[dict[str, Any], bytes]:
    """The graph's output, and the report where one is wanted."""
    async with open_library(folder) as library:
        document = await asked_document(library, sources) if sources else None
        if asked["follow_up"]:
            document, thread, before = await _last_question(library, document)
            if method not in (None, before):
                raise BadInput(f"The question before was asked with {before}: go on with it, or leave --continue out.")
            used = method_named(before)
            check_used([used], asks=True)
        else:
            thread, used = "", chosen_method(method, document)
        assert document is not None, "files are named, or a question is gone on from"
        found = await run_graph(library, used.build(), used.name, document, asked, context, screen, thread)
        shown = render(await report_of_answer(library.pages, asked, found, used.note)) if reported else b""
        return found, shown


async def _last_question(library: Library, document: Document | None) -> tuple[Document, str, str]:
    """Document, thread and method of the newest question (about the document, where there is one)."""
    only = {"document": document.id} if document else None
    async with aclosing(library.checkpointer.alist(None, filter=only)) as kept:  # type: ignore[type-var]
        async for saved in kept:
            about: Any = saved.metadata
            if "method" in about and saved.checkpoint["channel_values"].get("question_text"):
                known = document or await library.pages.document(about["document"])
                return known, saved.config["configurable"]["thread_id"], about["method"]
    raise BadInput("There is no question to go on from: ask one without --continue first.")
