"""`summarise`: a summary of documents, which are read as one, or of a part of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from readgraph.cli.options.reading import SummariseOptions
from readgraph.cli.run.documents import asked_document, asked_sources, conversion_seconds
from readgraph.cli.run.estimate import show_estimate
from readgraph.cli.run.run_graph import run_graph, with_places
from readgraph.cli.run.source_links import source_links
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.rendering import print_json, print_reminder, print_steps
from readgraph.cli.terminal.reports import check_report, write_report
from readgraph.cli.terminal.summary_view import print_summary
from readgraph.estimates.arithmetic import Estimate
from readgraph.estimates.summary import estimate_summary
from readgraph.graphs import summary
from readgraph.nodes.answering.marks import with_marks
from readgraph.report.data import report_of_answer
from readgraph.report.page import render
from readgraph.sources import SourceText
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.library import open_library
from readgraph.state.reading import Question


def summarise_documents(options: SummariseOptions, context: ReaderContext, screen: Screen) -> None:
    """Summarise the documents and print the summary; write the report where one is wanted."""
    _check(options)
    context, screen = _with_settings(options, context), replace(screen, steps=options.show_steps)
    if options.report:
        check_report(options.report)
    sources = asked_sources(options.paths, options.glob, options.library, screen)
    found, page = run_until_stopped(_summarised(sources, options, context, screen))
    if screen.as_json:
        print_json(found)
    else:
        if screen.steps:
            print_steps(found["steps"])
        print_summary(found, screen)
        print_reminder(context, screen)
    if options.report:
        write_report(options.report, page, quiet=screen.quiet, in_browser=options.opened)


def estimate_summaries(options: SummariseOptions, context: ReaderContext, screen: Screen) -> None:
    """Print what the summary will use, without making a call."""
    _check(options)
    context = _with_settings(options, context)
    sources = asked_sources(options.paths, options.glob, options.library, screen)
    show_estimate(*run_until_stopped(_estimated(sources, options, context)), context, screen)


def _check(options: SummariseOptions) -> None:
    """Raise `BadInput` for a part, or what it is to be about, that is empty."""
    for option, value in (("--part", options.part), ("--about", options.about)):
        if value is not None and not value.strip():
            raise BadInput(f"{option} is empty: write something, or leave it out.")


def _with_settings(options: SummariseOptions, context: ReaderContext) -> ReaderContext:
    """The context with the settings that are options of this command alone."""
    given: dict[str, Any] = {"summary_words": options.words, "check_sentences": options.check}
    return replace(context, **{name: value for name, value in given.items() if value is not None})


async def _summarised(
    sources: Sequence[SourceText | str], options: SummariseOptions, context: ReaderContext, screen: Screen
) -> tuple[dict[str, Any], bytes]:
    """The graph's output, and the report where one is wanted."""
    async with open_library(options.library) as library:
        document = await asked_document(library, sources)
        given = (document, _request(options), context, screen)
        seconds = conversion_seconds(sources)
        output = await run_graph(library, summary.build(), "summary", *given, seconds_before=seconds, keeps_steps=False)
        found = await with_places(library, with_marks(output))
        if not options.report:
            return found, b""
        links = await source_links(library.pages, document, options.report)
        headed = Question(question=_heading(options, found))
        return found, render(await report_of_answer(library.pages, headed, found, "note", links))


def _request(options: SummariseOptions) -> Question:
    """The graph's input."""
    given = {"part": options.part, "question": options.about}
    return cast(Question, {name: value for name, value in given.items() if value is not None})


def _heading(options: SummariseOptions, found: dict[str, Any]) -> str:
    """What stands above the summary in a report."""
    parts = ", ".join(part["name"] for part in found["parts"])
    said = f"Summary of {parts or found['title'] or 'the text'}"
    return f"{said}: {options.about}" if options.about else said


async def _estimated(
    sources: Sequence[SourceText | str], options: SummariseOptions, context: ReaderContext
) -> tuple[Estimate, int]:
    async with open_library(options.library) as library:
        document = await asked_document(library, sources)
        estimate = await estimate_summary(library.pages, document, context, options.about or "", part=options.part)
        return estimate, document.words
