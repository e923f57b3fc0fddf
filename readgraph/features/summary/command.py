"""The command that summarises."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from readgraph.cli.options import documents as shared
from readgraph.cli.options.documents import FILES_AS_ONE, EstimateOnly, FollowLinks, Glob, LibraryFolder, files
from readgraph.cli.options.output import OpenReport, Report, ShowSteps, check_estimate, check_open, with_run
from readgraph.cli.options.settings import IN_PARTS, option
from readgraph.state.settings import Purpose, Rebuilding

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext


@dataclass(frozen=True, kw_only=True)
class SummariseOptions:
    """What is summarised: documents, a part of them, and what it is to be about; None for all of it."""

    paths: list[Path] = files(FILES_AS_ONE)
    words: int | None = option(metavar="N", min=20, help="At most this many words (300).")
    part: str | None = option(
        metavar="NAME", help="Only this part: a heading, its number, or pages: 'Part two', 3.2, 'pages 10-20'."
    )
    about: str | None = option(metavar="TEXT", help="What the summary is to be about, such as 'the money'.")
    check: bool | None = option("--check/--no-check", help="Check each sentence against its pages (yes).")
    glob: Glob = None
    follow_links: FollowLinks = False
    as_of: shared.AsOf = ""
    up_to: shared.UpTo = ""
    estimate: EstimateOnly = False
    library: LibraryFolder = None
    show_steps: ShowSteps = False
    report: Report = None
    opened: OpenReport = False


SETTINGS = (*IN_PARTS, Purpose, Rebuilding)  # the notes may be there already


@with_run(SummariseOptions, SETTINGS)
def summarise(options: SummariseOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Summarise documents, or estimate what it will take.

    It is made from the notes that the library has; what was not read before is read first.

    Example: readgraph summarise book.epub --words 500 --part "Part two" --model openai:gpt-5.4-mini
    """
    from readgraph.features.summary.run import estimate_summaries, summarise_documents

    check_open(options.report, opened=options.opened)
    check_estimate(options, "shown", "show_steps", "report")
    (estimate_summaries if options.estimate else summarise_documents)(options, context, screen)
