"""The options of `table`."""

from dataclasses import dataclass
from pathlib import Path

from readgraph.cli.options import documents as shared
from readgraph.cli.options.documents import EstimateOnly, FollowLinks, Glob, LibraryFolder, files
from readgraph.cli.options.output import OpenReport, Report
from readgraph.cli.options.settings import argument, option


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
