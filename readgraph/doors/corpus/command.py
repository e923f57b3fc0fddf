"""The command that reads folders of documents with many workers."""

from typing import TYPE_CHECKING

from readgraph.cli.commands import run_lazily
from readgraph.cli.options import reading as given
from readgraph.cli.options import settings
from readgraph.cli.options.output import with_run

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext


@with_run(given.CorpusOptions, settings.READING, settings.PROFILE)
@run_lazily("readgraph.cli.run.corpus:read_folders")
def corpus(options: given.CorpusOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Read every document of a folder, with many workers. What was read before is not read again.

    A document that can't be read is reported, and holds up no other. Each is read as 'readgraph read' does.

    Examples:
    readgraph corpus letters/ --glob '*.pdf' --workers 4 --model openai:gpt-5.4-mini

    readgraph corpus letters/ --watch

    readgraph corpus letters/ --list

    """
