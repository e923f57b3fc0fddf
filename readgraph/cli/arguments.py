"""Arguments that many commands share."""

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
LibraryFolder = Annotated[
    Path | None,
    typer.Option(
        "--library", metavar="FOLDER", envvar="READGRAPH_LIBRARY", help="Where documents and memories are kept."
    ),
]
