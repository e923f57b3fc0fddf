"""The options of `corpus`."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from readgraph.cli.options.documents import EstimateOnly, FollowLinks, Glob, LibraryFolder, MethodName, files
from readgraph.cli.options.settings import option

worker_option = partial(option, rich_help_panel="Workers")


@dataclass(frozen=True, kw_only=True)
class CorpusOptions:
    """Which folders are read, and who reads them: so many workers, on a kind of cluster or here."""

    paths: list[Path] = files("Folders of documents, with the folders in them.")
    glob: Glob = None
    follow_links: FollowLinks = False
    method: MethodName = None
    watch: bool = option(
        "--watch",
        default=False,
        help="Go on: what is new, changed, renamed or deleted in the folders follows in the library. A deleted file's "
        "document is forgotten.",
    )
    listed: bool = option(
        "--list", default=False, help="Only list the files of the folders, as --watch left them: state and reason."
    )
    workers: int | None = worker_option(
        min=1, metavar="N", help="How many processes read. Default: one for each processor."
    )
    cluster: Literal["ray"] | None = worker_option(
        "--on", metavar="CLUSTER", help="Who runs the workers: 'ray'. Default: processes of this machine."
    )
    address: str | None = worker_option(
        help="With --on ray: the address of a running cluster, such as auto. Default: one is started here."
    )
    max_calls_in_all: int | None = option(
        min=0,
        metavar="N",
        rich_help_panel="Budget",
        help="Stop after this many calls of all documents and workers together.",
    )
    estimate: EstimateOnly = False
    library: LibraryFolder = None
