"""The options of `wiki`."""

from dataclasses import dataclass
from pathlib import Path

from readgraph.cli.options import documents as shared
from readgraph.cli.options.documents import FILES_OR_ALL, EstimateOnly, FollowLinks, Glob, LibraryFolder, files
from readgraph.cli.options.output import ShowSteps
from readgraph.cli.options.settings import argument


@dataclass(frozen=True, kw_only=True)
class WikiOptions:
    """Which folder holds the wiki, and of which documents it is."""

    folder: Path = argument(
        metavar="FOLDER",
        help="The folder of the wiki; it is made where there is none. Or 'check', and then the folder.",
    )
    paths: list[Path] = files(FILES_OR_ALL, default=[])
    glob: Glob = None
    follow_links: FollowLinks = False
    collection: shared.CollectionName = None
    as_of: shared.AsOf = ""
    estimate: EstimateOnly = False
    library: LibraryFolder = None
    show_steps: ShowSteps = False
