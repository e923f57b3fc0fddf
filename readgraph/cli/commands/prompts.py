"""`prompts`: prompts in words of one's own."""

from pathlib import Path
from typing import Annotated

import typer

from readgraph.cli.shell.helping import HelpfulGroup

prompts = typer.Typer(cls=HelpfulGroup, help="Write the prompts' words to files, to change them (see --prompts).")


@prompts.command("export")
def export_prompts(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A new or empty folder, or one without files of prompts.")
    ],
) -> None:
    """Write a file for each prompt. Keep those that you change and delete the others; then give --prompts FOLDER."""
    from readgraph.cli.run.setup.prompts import export_prompts as export

    export(folder)
