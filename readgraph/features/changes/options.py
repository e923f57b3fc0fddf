"""The options of `changes`."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from readgraph.cli.options.documents import EstimateOnly, LibraryFolder, files
from readgraph.cli.options.output import OpenReport, Report, ShowSteps


@dataclass(frozen=True, kw_only=True)
class ChangesOptions:
    """Which documents are compared, and where the result goes."""

    paths: list[Path] = files("The earlier and the later file or document; of one alone, that which it supersedes.")
    estimate: EstimateOnly = False
    library: LibraryFolder = None
    show_steps: ShowSteps = False
    report: Report = None
    opened: OpenReport = False
    glob: ClassVar[str | None] = None
    follow_links: ClassVar[bool] = False
