"""`summarise`: a summary of documents, which are read as one, or of a part of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

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
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.library import open_library
from readgraph.state.reading import Question


@dataclass(frozen=True)
class Wanted:
    """What to summarise: a part of the text, and what it is to be about; None for all of it."""

    part: str | None = None
    about: str | None = None

    def check(self) -> None:
        """Raise `BadInput` for one that is empty."""
        for option, value in (("--part", self.part), ("--about", self.about)):
            if value is not None and not value.strip():
                raise BadInput(f"{option} is empty: write something, or leave it out.")

    def request(self) -> Question:
        """The graph's input."""
        given = {"part": self.part, "question": self.about}
        return cast(Question, {name: value for name, value in given.items() if value is not None})

    def heading(self, found: dict[str, Any]) -> str:
        """What stands above the summary in a report."""
        parts = ", ".join(part["name"] for part in found["parts"])
        said = f"Summary of {parts or found['title'] or 'the text'}"
        return f"{said}: {self.about}" if self.about else said


def summarise_documents(
    paths: Sequence[Path],
    glob: str | None,
    wanted: Wanted,
    context: ReaderContext,
    folder: LibraryPlace | None,
    screen: Screen,
    *,
    report: Path | None = None,
    opened: bool = False,
) -> None:
    """Summarise the documents and print the summary; `report` is a file for the report."""
    wanted.check()
    if report:
        check_report(report)
    sources = asked_sources(paths, glob, folder, screen)
    found, page = run_until_stopped(_summarised(sources, wanted, context, folder, screen, report))
    if screen.as_json:
        print_json(found)
    else:
        if screen.steps:
            print_steps(found["steps"])
        print_summary(found, screen)
        print_reminder(context, screen)
    if report:
        write_report(report, page, quiet=screen.quiet, in_browser=opened)


async def _summarised(
    sources: Sequence[SourceText | str],
    wanted: Wanted,
    context: ReaderContext,
    folder: LibraryPlace | None,
    screen: Screen,
    report: Path | None,
) -> tuple[dict[str, Any], bytes]:
    """The graph's output, and the report where one is wanted."""
    async with open_library(folder) as library:
        document = await asked_document(library, sources)
        given = (document, wanted.request(), context, screen)
        seconds = conversion_seconds(sources)
        output = await run_graph(library, summary.build(), "summary", *given, seconds_before=seconds, keeps_steps=False)
        found = await with_places(library, with_marks(output))
        if not report:
            return found, b""
        links = await source_links(library.pages, document, report)
        headed = Question(question=wanted.heading(found))
        return found, render(await report_of_answer(library.pages, headed, found, "note", links))


def estimate_summaries(
    paths: Sequence[Path],
    glob: str | None,
    wanted: Wanted,
    context: ReaderContext,
    folder: LibraryPlace | None,
    screen: Screen,
) -> None:
    """Print what the summary will use, without making a call."""
    wanted.check()
    sources = asked_sources(paths, glob, folder, screen)
    show_estimate(*run_until_stopped(_estimated(sources, wanted, context, folder)), context, screen)


async def _estimated(
    sources: Sequence[SourceText | str], wanted: Wanted, context: ReaderContext, folder: LibraryPlace | None
) -> tuple[Estimate, int]:
    async with open_library(folder) as library:
        document = await asked_document(library, sources)
        estimate = await estimate_summary(library.pages, document, context, wanted.about or "", part=wanted.part)
        return estimate, document.words
