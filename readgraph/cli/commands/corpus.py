"""The command that reads many documents with many workers."""

from typing import TYPE_CHECKING

import typer

from readgraph.cli.options.reading import CorpusOptions
from readgraph.cli.options.screen import with_screen
from readgraph.cli.options.settings import PROFILE, READING, with_context
from readgraph.cli.shell.grouped import with_options
from readgraph.state.errors import BadInput

if TYPE_CHECKING:
    from readgraph.cli.terminal.output_options import Screen
    from readgraph.state.context import ReaderContext

corpus_commands = typer.Typer()


@corpus_commands.command()
@with_context(READING, PROFILE)
@with_screen
@with_options(CorpusOptions)
def corpus(options: CorpusOptions, context: "ReaderContext", screen: "Screen") -> None:
    """Read every document of a folder, with many workers. What was read before is not read again.

    A document that can't be read is reported, and holds up no other. Each is read as 'readgraph read' does.

    Example: readgraph corpus letters/ --glob '*.pdf' --workers 4 --model openai:gpt-4.1-mini
    """
    if options.address and not options.cluster:
        raise BadInput("--address is of a Ray cluster: add --on ray, or leave it out.")
    from readgraph.cli.run.reading.corpus import read_folders
    from readgraph.cli.run.reading.read import estimate_documents

    (estimate_documents if options.estimate else read_folders)(options, context, screen)
