"""The command that makes a table."""

from typing import TYPE_CHECKING

from readgraph.cli.options.output import check_estimate, check_open, with_run
from readgraph.cli.options.settings import IN_PARTS
from readgraph.features.survey.options import TableOptions
from readgraph.features.survey.settings import Surveying
from readgraph.state.declaring import Groups
from readgraph.state.settings import Paragraphs, Rebuilding

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext

SETTINGS: Groups = (*IN_PARTS, Paragraphs, Rebuilding, Surveying)


@with_run(TableOptions, SETTINGS)
def table(options: TableOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Make a table, or estimate what it will take.

    All of the text is read, part by part. What was read is kept, so more files, or a changed file, cost only what is
    new.

    Example: readgraph table book.epub "every person: name, role, first appearance" --out people.csv
    """
    from readgraph.features.survey.run import estimate_table, make_table

    check_open(options.report, opened=options.opened)
    check_estimate(options, "written", "out", "report")
    work = estimate_table if options.estimate else make_table
    work(options, context, screen)
