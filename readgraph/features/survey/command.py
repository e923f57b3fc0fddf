"""The command that makes a table."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from readgraph.cli.options import documents as shared
from readgraph.cli.options.documents import EstimateOnly, FollowLinks, Glob, LibraryFolder, files
from readgraph.cli.options.output import OpenReport, Report, check_estimate, check_open, with_run
from readgraph.cli.options.settings import IN_PARTS, argument, option
from readgraph.features.survey.settings import Surveying
from readgraph.state.declaring import Groups
from readgraph.state.settings import Paragraphs, Rebuilding

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """What the rows of a table are, of which documents, and where it goes."""

    paths: list[Path] = files(
        "Files, folders and https:// addresses (several make one table), - for standard input, or documents in "
        "the library.",
        default=[],
    )
    wanted: str = argument(metavar="WHAT", help="What the rows are, and the columns: the last argument.")
    out: Path | None = option(
        metavar="FILE",
        help="Write the table to this file, in the form that its ending says: .csv, .json, .xlsx or .md.",
    )
    glob: Glob = None
    follow_links: FollowLinks = False
    as_of: shared.AsOf = ""
    estimate: EstimateOnly = False
    library: LibraryFolder = None
    report: Report = None
    opened: OpenReport = False


SETTINGS: Groups = (*IN_PARTS, Paragraphs, Rebuilding, Surveying)


@with_run(TableOptions, SETTINGS)
def table(options: TableOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Make a table, or estimate what it will take.

    All of the text is read, part by part. What was read is kept, so more files, or a changed file, cost only what is
    new.

    Example: readgraph table book.epub "every person: name, role, first appearance" --out people.csv
    """
    from readgraph.features.survey.run import estimate_table, make_table

    check_open(options.report, opened=options.opened)
    check_estimate(options, "written", "out", "report")
    (estimate_table if options.estimate else make_table)(options, context, screen)
