"""The command that checks a draft."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from readgraph.cli.options import documents as shared
from readgraph.cli.options.documents import FILES_OR_ALL, EstimateOnly, FollowLinks, Glob, LibraryFolder, files
from readgraph.cli.options.output import OpenReport, Report, ShowSteps, check_estimate, check_open, with_run
from readgraph.cli.options.settings import argument, option
from readgraph.state import settings as group

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext


@dataclass(frozen=True, kw_only=True)
class VerifyOptions:
    """Which text is checked, against which documents, and where the result goes."""

    draft: Path = argument(
        metavar="DRAFT", help="The text to check: a file, of any kind that can be read, or - for standard input."
    )
    paths: list[Path] = files(FILES_OR_ALL, default=[])
    glob: Glob = None
    follow_links: FollowLinks = False
    collection: shared.CollectionName = None
    as_of: shared.AsOf = ""
    up_to: shared.UpTo = ""
    strict: bool = option(
        "--strict", default=False, help="End with exit code 1 also where something is not found or not decided."
    )
    out: Path | None = option(metavar="FILE", help="Write the draft with what was found as footnotes (Markdown).")
    estimate: EstimateOnly = False
    library: LibraryFolder = None
    show_steps: ShowSteps = False
    report: Report = None
    opened: OpenReport = False


SETTINGS = (
    *(group.Model, group.Window, group.Concurrency, *group.settings_of_calls(), group.Budget),
    *(group.Paragraphs, group.Proving, group.Rebuilding),
)


@with_run(VerifyOptions, SETTINGS)
def verify(options: VerifyOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Check a draft, or estimate what it will take.

    Each verdict comes with a quote, its place, and what differs. Quotes and citations in the text are checked as such.

    Without a model, rules decide what they can (numbers, dates, names, denials, quotes), and leave the rest open.

    The exit code is 1 where something is contradicted.

    Example: readgraph verify draft.md sources/ --report checked.html
    """
    from readgraph.features.verify.run import estimate_check, verify_draft

    check_open(options.report, opened=options.opened)
    check_estimate(options, "shown", "show_steps", "report", "out")
    (estimate_check if options.estimate else verify_draft)(options, context, screen)
