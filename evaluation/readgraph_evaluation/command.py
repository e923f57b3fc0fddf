"""The commands of evaluations: their options and help; what they do is imported only when they run."""

from pathlib import Path
from typing import TYPE_CHECKING

from typer import Argument, Context, Exit, Option

from readgraph.cli.commands import run_lazily
from readgraph.cli.options.output import Quiet, check_alone, with_run
from readgraph.cli.options.settings import PROFILE
from readgraph.cli.process import end_start
from readgraph.state.errors import BadInput
from readgraph.state.settings import GROUPS
from readgraph_evaluation.options import BoardOptions, EvaluateOptions, ReproduceOptions

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext

ALONE = (
    *("--judge", "--out", "--estimate", "--json", "--quiet", "--price"),
    *("--concurrency", "--timeout", "--retry-seconds", "--max-reply-mb", "--batch", "--prompts", "--again"),
)
"""What may stand beside --calibrate where no questions are named."""


@with_run(EvaluateOptions, GROUPS, PROFILE)
def evaluate(run: Context, options: EvaluateOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Measure methods on questions with known answers, and write a table, results.json, results.csv and a report.

    Examples:
    readgraph evaluate QuALITY.v1.0.1.htmlstripped.dev --methods read-agent,full-text --limit 50 --out quality

    readgraph evaluate --diff quality quality-with-another-model

    """
    from readgraph_evaluation.run import evaluate as evaluating

    end_start()
    if options.diff:
        if options.file:
            raise BadInput("--diff compares two existing evaluations: leave the file out.")
        check_alone(run, "compares two existing evaluations", "--diff", "--json", "--quiet")
        evaluating.show_difference(*options.diff, screen)
    elif options.replay:
        from readgraph_evaluation.run.reproduce import replay

        check_alone(run, "repeats a published run", "--replay", "--dataset", "--out", "--json", "--quiet")
        raise Exit(replay(options.file, options.form, options.replay, options.out, screen))
    elif options.calibrate and options.names_no_questions:
        from readgraph_evaluation.run.calibrate import calibrate

        check_alone(run, "without FILE asks the judge alone", "--calibrate", *ALONE)
        calibrate(options, context, screen)
    elif options.inspect and options.out and options.names_no_questions:
        check_alone(run, "makes logs of a finished evaluation", "--inspect", "--out", "--json", "--quiet")
        evaluating.write_inspect_logs(options.out, options.inspect, screen)
    else:
        (evaluating.estimate if options.estimate else evaluating.evaluate)(options, context, screen)


@run_lazily("readgraph_evaluation.run.evaluate:write_trajectories")
def trajectories(
    folder: Path = Argument(metavar="FOLDER", help="The folder of an evaluation."),
    form: str = Option("sft", "--format", metavar="FORM", help="sft, preference or reward: what TRL's trainers read."),
    out: Path = Option(Path("-"), metavar="FILE", help="The file to write; - for standard output."),
    quiet: Quiet = False,
) -> None:
    """Export an evaluation's prompts and replies, with their outcome, as training examples."""


@with_run(ReproduceOptions, GROUPS, PROFILE)
def reproduce(run: Context, options: ReproduceOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Repeat a table or figure of a paper on its dataset.

    Examples:
    readgraph reproduce

    readgraph reproduce read-agent-table-5 --data datasets --model openai:gpt-5.4-mini --estimate

    """
    from readgraph_evaluation.run import reproduce as reproducing

    end_start()
    if options.name is None:
        reproducing.list_experiments(options, context, screen)
    elif options.replay:
        check_alone(run, "repeats a published run", "--replay", "--data", "--out", "--json", "--quiet")
        raise Exit(reproducing.replay_of(options.name, options.data, options.replay, options.out, screen))
    else:
        reproducing.reproduce(options.name, options, context, screen)


@with_run(BoardOptions, GROUPS, PROFILE)
@run_lazily("readgraph_evaluation.run.evaluate:board")
def board(options: BoardOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Make a long history with known facts, and measure methods and other systems on it without a judge.

    Examples:
    readgraph board --out board --tokens 100000

    readgraph board --out board --methods none

    """
