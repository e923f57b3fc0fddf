"""`ask`: answer a question about documents, or a follow-up to the last question."""

from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from readgraph.cli.method_settings import check_used
from readgraph.cli.run.documents import asked_document, asked_sources, conversion_seconds
from readgraph.cli.run.run_graph import run_graph, with_places
from readgraph.cli.run.source_links import source_links
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.settings import chosen_method
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.rendering import print_answer, print_json, print_reminder, print_steps
from readgraph.cli.terminal.reports import check_report, write_report
from readgraph.cli.terminal.rounds import print_rounds
from readgraph.cli.terminal.walk_drawing import print_walk
from readgraph.graphs.methods import method_named, method_typed
from readgraph.nodes.answering.marks import with_marks
from readgraph.report.data import report_of_answer
from readgraph.report.page import render
from readgraph.sources import SourceText
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.library import Library, open_library
from readgraph.state.reading import Question
from readgraph.state.records import Document
from readgraph.tools.picking import WHOLE_LIBRARY, Choice, picked_document


def ask_documents(
    question: str,
    options: list[str],
    paths: Sequence[Path],
    glob: str | None,
    method: str | None,
    context: ReaderContext,
    folder: LibraryPlace | None,
    screen: Screen,
    *,
    follow_up: bool,
    report: Path | None = None,
    opened: bool = False,
    choice: Choice = WHOLE_LIBRARY,
) -> None:
    """Answer a question about the documents and print the answer; `report` is a file for the report.

    Without paths, documents of the library are picked as `choice` says.
    """
    if not question.strip():
        raise BadInput("The question is empty: write one.")
    if len(options) == 1:
        raise BadInput("A multiple choice needs at least two options; there is one --option.")
    choice.check(open_to_choice=not paths and not follow_up)
    if report:
        check_report(report)
    request = Question(question=question, options=options, follow_up=follow_up)
    sources = asked_sources(paths, glob, folder, screen)
    found, page = run_until_stopped(_ask(request, sources, choice, method, context, folder, screen, report=report))
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
    choice: Choice,
    method: str | None,
    context: ReaderContext,
    folder: LibraryPlace | None,
    screen: Screen,
    *,
    report: Path | None,
) -> tuple[dict[str, Any], bytes]:
    """The graph's output, and the report where one is wanted."""
    async with open_library(folder) as library:
        picking = not sources and not request["follow_up"]
        document = await asked_document(library, sources) if sources else None
        if picking:
            document = await picked_document(
                library.pages, " ".join([request["question"], *request["options"]]), choice
            )
        if request["follow_up"]:
            document, thread, last_method = await _last_question(library, document)
            if method not in (None, last_method):
                raise BadInput(
                    f"The last question was asked with {last_method}: use the same method, or leave --continue out."
                )
            if ":" in last_method and not method:  # what a library says must import nothing
                raise BadInput(f"The last question was asked with a method of your own: add --method {last_method}.")
            used = method_typed(method) if method else method_named(last_method)
            check_used([used], asks=True)
        else:
            thread, used = "", chosen_method(method, document)
        assert document is not None, "there are files, or documents were picked, or there is a last question"
        seconds = conversion_seconds(sources)
        output = await run_graph(library, used.build(), used.name, document, request, context, screen, thread, seconds)
        found = await with_places(library, with_marks(output))
        if picking:
            found["picked"] = output["documents"] or [{"id": document.id, "title": document.title}]
        if not report:
            return found, b""
        links = await source_links(library.pages, document, report)
        return found, render(await report_of_answer(library.pages, request, found, used.note, links))


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
