"""The command that reads folders of documents with many workers."""

from typing import TYPE_CHECKING

from readgraph.cli.options import settings
from readgraph.cli.options.output import with_run
from readgraph.doors.corpus.options import CorpusOptions

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext


@with_run(CorpusOptions, settings.READING, settings.PROFILE)
def corpus(options: CorpusOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Read the documents of folders with many workers.

    A document that can't be read is reported, and holds up no other. Each is read as 'readgraph read' does.

    Examples:
    readgraph corpus letters/ --glob '*.pdf' --workers 4 --model openai:gpt-5.4-mini

    readgraph corpus letters/ --watch

    readgraph corpus letters/ --list

    """
    from readgraph.doors.corpus.run import read_folders

    read_folders(options, context, screen)
