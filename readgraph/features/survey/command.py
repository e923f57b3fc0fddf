"""The command that makes a table."""

from typing import TYPE_CHECKING

from readgraph.cli.commands import run_or_estimate
from readgraph.cli.options import reading as given
from readgraph.cli.options import settings
from readgraph.cli.options.output import with_run
from readgraph.features.survey.settings import Surveying
from readgraph.state import settings as group
from readgraph.state.declaring import Groups

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext


SETTINGS: Groups = (*settings.IN_PARTS, group.Paragraphs, group.Rebuilding, Surveying)


@with_run(given.TableOptions, SETTINGS)
@run_or_estimate(
    "readgraph.cli.run.condense:make_table", "readgraph.cli.run.condense:estimate_table", "written", "out", "report"
)
def table(options: given.TableOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Make a table of all that documents hold of one kind; each row has the quote that shows it, and its place.

    All of the text is read, part by part. What was read is kept, so more files, or a changed file, cost only what is
    new.

    Example: readgraph table book.epub "every person: name, role, first appearance" --out people.csv
    """
