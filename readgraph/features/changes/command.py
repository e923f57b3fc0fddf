"""The command that compares two documents."""

from typing import TYPE_CHECKING

from readgraph.cli.options.output import check_estimate, check_open, with_run
from readgraph.features.changes.options import ChangesOptions
from readgraph.state.settings import Budget, Concurrency, Model, Paragraphs, Rebuilding, Window, settings_of_calls

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext

SETTINGS = (Model, Window, Concurrency, *settings_of_calls(), Budget, Paragraphs, Rebuilding)


@with_run(ChangesOptions, SETTINGS)
def changes(options: ChangesOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Compare two documents or two versions of one, or estimate what it will take.

    What was added, removed, changed (a number, a date, a name, a negation, a condition) or moved is a row with both
    quotes and their places. Without a model, what may only be reworded is a row that says so.

    The exit code is 1 where something differs. In a file (> changes.md), the table is Markdown.

    Example: readgraph changes contract-2023.docx contract-2024.pdf --report changes.html
    """
    from readgraph.features.changes.run import compare_documents, estimate_comparison

    check_open(options.report, opened=options.opened)
    check_estimate(options, "shown", "show_steps", "report")
    (estimate_comparison if options.estimate else compare_documents)(options, context, screen)
