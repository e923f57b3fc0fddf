"""The options of `summarise`."""

from dataclasses import dataclass
from pathlib import Path

from readgraph.cli.options import documents as shared
from readgraph.cli.options.documents import FILES_AS_ONE, EstimateOnly, FollowLinks, Glob, LibraryFolder, files
from readgraph.cli.options.output import OpenReport, Report, ShowSteps
from readgraph.cli.options.settings import option


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
