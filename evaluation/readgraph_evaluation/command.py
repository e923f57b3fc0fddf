"""The commands of evaluations: their options and help; what they do is imported only when they run."""

from pathlib import Path
from typing import TYPE_CHECKING

from typer import Argument, Context, Option

from readgraph.cli.options.output import Quiet, with_run
from readgraph.cli.options.settings import PROFILE
from readgraph.state.settings import GROUPS
from readgraph_evaluation.options import BoardOptions, EvaluateOptions, ReproduceOptions

if TYPE_CHECKING:
    from readgraph import ReaderContext
    from readgraph.cli.terminal.screen import OutputOptions


@with_run(EvaluateOptions, GROUPS, PROFILE)
def evaluate(run: Context, options: EvaluateOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Measure methods on questions.

    Examples:
    readgraph evaluate QuALITY.v1.0.1.htmlstripped.dev --methods read-agent,full-text --limit 50 --out quality

    readgraph evaluate --diff quality quality-with-another-model

    """
    from readgraph_evaluation.run.evaluate import evaluate_by_options

    evaluate_by_options(run, options, context, screen)


def trajectories(
    folder: Path = Argument(metavar="FOLDER", help="The folder of an evaluation."),
    form: str = Option("sft", "--format", metavar="FORM", help="sft, preference or reward: what TRL's trainers read."),
    out: Path = Option(Path("-"), metavar="FILE", help="The file to write; - for standard output."),
    quiet: Quiet = False,
) -> None:
    """Export training examples."""
    from readgraph_evaluation.run.evaluate import write_trajectories

    write_trajectories(folder=folder, form=form, out=out, quiet=quiet)


@with_run(ReproduceOptions, GROUPS, PROFILE)
def reproduce(run: Context, options: ReproduceOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Repeat an experiment of a paper.

    Examples:
    readgraph reproduce

    readgraph reproduce read-agent-table-5 --data datasets --model openai:gpt-5.4-mini --estimate

    """
    from readgraph_evaluation.run.reproduce import reproduce_by_options

    reproduce_by_options(run, options, context, screen)


@with_run(BoardOptions, GROUPS, PROFILE)
def board(options: BoardOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Measure methods on a history made for it.

    Examples:
    readgraph board --out board --tokens 100000

    readgraph board --out board --methods none

    """
    from readgraph_evaluation.run import evaluate

    evaluate.board(options, context, screen)
