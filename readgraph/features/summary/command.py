"""The command that summarises."""

from typing import TYPE_CHECKING

from readgraph.cli.options.output import check_estimate, check_open, with_run
from readgraph.cli.options.settings import IN_PARTS
from readgraph.features.summary.options import SummariseOptions
from readgraph.state.settings import Purpose, Rebuilding

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext

SETTINGS = (*IN_PARTS, Purpose, Rebuilding)  # the notes may be there already


@with_run(SummariseOptions, SETTINGS)
def summarise(options: SummariseOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Summarise documents, or estimate what it will take.

    It is made from the notes that the library has; what was not read before is read first.

    Example: readgraph summarise book.epub --words 500 --part "Part two" --model openai:gpt-5.4-mini
    """
    from readgraph.features.summary.run import estimate_summaries, summarise_documents

    check_open(options.report, opened=options.opened)
    check_estimate(options, "shown", "show_steps", "report")
    work = estimate_summaries if options.estimate else summarise_documents
    work(options, context, screen)
