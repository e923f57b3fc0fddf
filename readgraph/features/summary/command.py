"""The command that summarises."""

from typing import TYPE_CHECKING

from readgraph.cli.commands import run_or_estimate
from readgraph.cli.options import reading as given
from readgraph.cli.options import settings
from readgraph.cli.options.output import with_run

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext


@with_run(given.SummariseOptions, settings.SUMMARISING)
@run_or_estimate(
    "readgraph.cli.run.condense:summarise_documents",
    "readgraph.cli.run.condense:estimate_summaries",
    "shown",
    "show_steps",
    "report",
)
def summarise(options: given.SummariseOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Summarise documents, or a part of them. Each sentence names where it stands, and is checked against the text.

    It is made from the notes that the library has; what was not read before is read first.

    Example: readgraph summarise book.epub --words 500 --part "Part two" --model openai:gpt-5.4-mini
    """
