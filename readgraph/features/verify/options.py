"""The options of `verify`."""

from dataclasses import dataclass
from pathlib import Path

from readgraph.cli.options import documents as shared
from readgraph.cli.options.documents import FILES_OR_ALL, EstimateOnly, FollowLinks, Glob, LibraryFolder, files
from readgraph.cli.options.output import OpenReport, Report, ShowSteps
from readgraph.cli.options.settings import argument, option


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
