"""The command that reads many documents with many workers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from readgraph.cli.options.shared import (
    PROFILE,
    READING,
    EstimateOnly,
    Glob,
    LibraryFolder,
    MethodName,
    files,
    with_context,
    with_screen,
)
from readgraph.state.errors import BadInput

if TYPE_CHECKING:
    from readgraph.cli.terminal.output_options import Screen
    from readgraph.state.context import ReaderContext

corpus_commands = typer.Typer()

WORKERS = "Workers"
"""The panel of the options for who reads."""


@corpus_commands.command()
@with_context(READING, PROFILE)
@with_screen
def corpus(
    folders: Annotated[list[Path], files("Folders of documents, with the folders in them.")],
    context: "ReaderContext",
    screen: "Screen",
    glob: Glob = None,
    method: MethodName = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            rich_help_panel=WORKERS,
            show_default=False,
            help="How many processes read. Default: one for each processor.",
        ),
    ] = None,
    on: Annotated[
        Literal["ray"] | None,
        typer.Option(
            metavar="CLUSTER",
            rich_help_panel=WORKERS,
            show_default=False,
            help="Who runs the workers: 'ray'. Default: processes of this machine.",
        ),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=WORKERS,
            show_default=False,
            help="With --on ray: the address of a running cluster, such as auto. Default: one is started here.",
        ),
    ] = None,
    max_calls_in_all: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            rich_help_panel="Budget",
            show_default=False,
            help="Stop after this many calls of all documents and workers together.",
        ),
    ] = None,
    estimate: EstimateOnly = False,
    library: LibraryFolder = None,
) -> None:
    """Read every document of a folder, with many workers. What was read before is not read again.

    A document that can't be read is reported, and holds up no other. Each is read as 'readgraph read' does.

    Example: readgraph corpus letters/ --glob '*.pdf' --workers 4 --model openai:gpt-4.1-mini
    """
    if address and not on:
        raise BadInput("--address is of a Ray cluster: add --on ray, or leave it out.")
    if estimate:
        from readgraph.cli.run.estimate import estimate as print_estimate

        print_estimate(folders, glob, None, method, context, library, screen)
        return
    from readgraph.cli.run.reading.corpus import By, read_folders

    by = By(workers, on, address, max_calls_in_all)
    read_folders(folders, glob, method, context, library, screen, by)
