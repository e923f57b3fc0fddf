"""The command that makes a wiki."""

from typing import TYPE_CHECKING

from readgraph.cli.commands import run_or_estimate
from readgraph.cli.options import reading as given
from readgraph.cli.options import settings
from readgraph.cli.options.output import with_run

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext


@with_run(given.WikiOptions, settings.WIKI)
@run_or_estimate("readgraph.features.wiki.run:make_wiki", "readgraph.features.wiki.run:estimate", "shown", "show_steps")
def wiki(options: given.WikiOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Make a wiki of documents: Markdown pages of persons, places, things and topics. Each sentence names its quote.

    Obsidian opens the folder. Made again, it is written only where the documents changed; what you wrote in it stays.

    'readgraph wiki check FOLDER' looks for dead links, quotes that no longer stand, and sentences that contradict each
    other; the exit code is 1 where there are any.

    Example: readgraph wiki my-wiki letters/
    """
