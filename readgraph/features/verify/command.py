"""The command that checks a draft."""

from typing import TYPE_CHECKING

from readgraph.cli.options.output import check_estimate, check_open, with_run
from readgraph.features.verify.options import VerifyOptions
from readgraph.state.settings import (
    Budget,
    Concurrency,
    Model,
    Paragraphs,
    Proving,
    Rebuilding,
    Window,
    settings_of_calls,
)

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext

SETTINGS = (Model, Window, Concurrency, *settings_of_calls(), Budget, Paragraphs, Proving, Rebuilding)


@with_run(VerifyOptions, SETTINGS)
def verify(options: VerifyOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Check a draft, or estimate what it will take.

    Each verdict comes with a quote, its place, and what differs. Quotes and citations in the text are checked as such.

    Without a model, rules decide what they can (numbers, dates, names, denials, quotes), and leave the rest open.

    The exit code is 1 where something is contradicted.

    Example: readgraph verify draft.md sources/ --report checked.html
    """
    from readgraph.features.verify.run import estimate_check, verify_draft

    check_open(options.report, opened=options.opened)
    check_estimate(options, "shown", "show_steps", "report", "out")
    work = estimate_check if options.estimate else verify_draft
    work(options, context, screen)
