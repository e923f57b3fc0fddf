"""The command that checks a draft."""

from typing import TYPE_CHECKING

from readgraph.cli.commands import run_or_estimate
from readgraph.cli.options import reading as given
from readgraph.cli.options import settings
from readgraph.cli.options.output import with_run

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext


@with_run(given.VerifyOptions, settings.VERIFYING)
@run_or_estimate(
    "readgraph.features.verify.run:verify_draft",
    "readgraph.features.verify.run:estimate_check",
    "shown",
    "show_steps",
    "report",
    "out",
)
def verify(options: given.VerifyOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Check a text against documents, sentence by sentence: is it supported, contradicted, or not found?

    Each verdict comes with a quote, its place, and what differs. Quotes and citations in the text are checked as such.

    Without a model, rules decide what they can (numbers, dates, names, denials, quotes), and leave the rest open.

    The exit code is 1 where something is contradicted.

    Example: readgraph verify draft.md sources/ --report checked.html
    """
