"""The command that makes a wiki."""

from typing import TYPE_CHECKING

from readgraph.cli.options.output import check_estimate, with_run
from readgraph.cli.options.settings import IN_PARTS
from readgraph.features.wiki.options import WikiOptions
from readgraph.state.settings import Paragraphs, Rebuilding

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext

SETTINGS = (*IN_PARTS, Paragraphs, Rebuilding)


@with_run(WikiOptions, SETTINGS)
def wiki(options: WikiOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Make a wiki, or estimate what it will take.

    Obsidian opens the folder. Made again, it is written only where the documents changed; what you wrote in it stays.

    'readgraph wiki check FOLDER' looks for dead links, quotes that no longer stand, and sentences that contradict each
    other; the exit code is 1 where there are any.

    Example: readgraph wiki my-wiki letters/
    """
    from readgraph.features.wiki.run import estimate, make_wiki

    check_estimate(options, "shown", "show_steps")
    work = estimate if options.estimate else make_wiki
    work(options, context, screen)
