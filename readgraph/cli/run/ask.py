"""`ask`: answer a question about documents, or a follow-up to the last question."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from readgraph.cli.method_settings import check_used
from readgraph.cli.run.documents import asked_document, asked_sources, conversion_seconds
from readgraph.cli.run.picking import MOST_PICKED, picked_document
from readgraph.cli.run.run_graph import run_graph
from readgraph.cli.settings import chosen_method
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.rendering import print_answer, print_json, print_reminder, print_steps
from readgraph.cli.terminal.reports import check_report, write_report
from readgraph.cli.terminal.rounds import print_rounds
from readgraph.cli.terminal.walk_drawing import print_walk
from readgraph.graphs.methods import method_named
from readgraph.nodes.answering.marks import with_marks
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
    opened: bool = False,
    most: int | None = None,
) -> None:
    """Answer a question about the documents and print the answer; `report` is a file for the report.

    Without paths, at most `most` documents of the library are picked.
    """
    if not question.strip():
        raise BadInput("The question is empty: write one.")
    if len(options) == 1:
        raise BadInput("A multiple choice needs at least two options; there is one --option.")
    if most is not None and (paths or follow_up):
        raise BadInput("--documents is for a question to the whole library: leave it out, or name no file.")
    if report:
        check_report(report)
    request = Question(question=question, options=options, follow_up=follow_up)
    sources = asked_sources(paths, glob, folder, screen)
    found, page = asyncio.run(
        _ask(request, sources, most or MOST_PICKED, method, context, folder, screen, reported=report is not None)
    )
    _print(found, context, screen)
    if report:
        write_report(report, page, quiet=screen.quiet, in_browser=opened)


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
    request: Question,
    sources: Sequence[SourceText | str],
    most: int,
    method: str | None,
    context: ReaderContext,
    folder: Path | None,
    screen: Screen,
    *,
    reported: bool,
) -> tuple[dict[str, Any], bytes]:
    """The graph's output, and the report where one is wanted."""
    async with open_library(folder) as library:
        picking = not sources and not request["follow_up"]
        document = await asked_document(library, sources) if sources else None
        if picking:
            document = await picked_document(library, " ".join([request["question"], *request["options"]]), most)
        if request["follow_up"]:
            document, thread, last_method = await _last_question(library, document)
            if method not in (None, last_method):
                raise BadInput(
                    f"The last question was asked with {last_method}: use the same method, or leave --continue out."
                )
            used = method_named(last_method)
            check_used([used], asks=True)
        else:
            thread, used = "", chosen_method(method, document)
        assert document is not None, "there are files, or documents were picked, or there is a last question"
        seconds = conversion_seconds(sources)
        output = await run_graph(library, used.build(), used.name, document, request, context, screen, thread, seconds)
        found = with_marks(output)
        if picking:
            found["picked"] = output["documents"] or [{"id": document.id, "title": document.title}]
        page = render(await report_of_answer(library.pages, request, found, used.note)) if reported else b""
        return found, page


async def _last_question(library: Library, document: Document | None) -> tuple[Document, str, str]:
    """Document, thread and method of the newest question (about this document, if one is given)."""
    only = {"document": document.id} if document else None
    async with aclosing(library.checkpointer.alist(None, filter=only)) as checkpoints:  # type: ignore[type-var]
        async for saved in checkpoints:
            metadata: Any = saved.metadata
            if "method" in metadata and saved.checkpoint["channel_values"].get("question_text"):
                asked_about = document or await library.pages.document(metadata["document"])
                return asked_about, saved.config["configurable"]["thread_id"], metadata["method"]
    raise BadInput("There is no question to follow up: ask one without --continue first.")
