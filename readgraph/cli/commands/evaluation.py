"""The commands of evaluations: evaluate, trajectories as training examples, and the papers' experiments."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Exit, Option, Typer

from readgraph.cli.options.evaluating import EvaluateOptions, ReproduceOptions
from readgraph.cli.options.output import Quiet, check_alone, with_run
from readgraph.cli.options.settings import PROFILE, run_lazily
from readgraph.state.errors import BadInput
from readgraph.state.settings import GROUPS

if TYPE_CHECKING:
    from readgraph.cli.terminal.screen import OutputOptions
    from readgraph.state.context import ReaderContext

evaluation_commands = Typer()

ALONE = (
    *("--judge", "--out", "--estimate", "--json", "--quiet", "--price"),
    *("--concurrency", "--timeout", "--retry-seconds", "--max-reply-mb", "--batch", "--prompts", "--again"),
)
"""What may stand beside --calibrate where no questions are named."""


@evaluation_commands.command()
@with_run(EvaluateOptions, GROUPS, PROFILE)
def evaluate(run: Context, options: EvaluateOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Measure methods on questions with known answers, and write a table, results.json, results.csv and a report.

    Examples:
    readgraph evaluate QuALITY.v1.0.1.htmlstripped.dev --methods read-agent,full-text --limit 50 --out quality

    readgraph evaluate --diff quality quality-with-another-model

    """
    if options.diff:
        from readgraph.cli.run.evaluate import show_difference

        if options.file:
            raise BadInput("--diff compares two existing evaluations: leave the file out.")
        check_alone(run, "compares two existing evaluations", "--diff", "--json", "--quiet")
        show_difference(*options.diff, screen)
    elif options.replay:
        from readgraph.cli.run.reproduce import replay

        check_alone(run, "repeats a published run", "--replay", "--dataset", "--out", "--json", "--quiet")
        raise Exit(replay(options.file, options.form, options.replay, options.out, screen))
    elif options.calibrate and options.names_no_questions:
        from readgraph.cli.run.calibrate import calibrate

        check_alone(run, "without FILE asks the judge alone", "--calibrate", *ALONE)
        calibrate(options, context, screen)
    elif options.inspect and options.out and options.names_no_questions:
        from readgraph.cli.run.evaluate import write_inspect_logs

        check_alone(run, "makes logs of a finished evaluation", "--inspect", "--out", "--json", "--quiet")
        write_inspect_logs(options.out, options.inspect, screen)
    else:
        from readgraph.cli.run import evaluate as evaluating

        (evaluating.estimate if options.estimate else evaluating.evaluate)(options, context, screen)


@evaluation_commands.command()
@run_lazily("evaluate.write_trajectories")
def trajectories(
    folder: Annotated[Path, Argument(metavar="FOLDER", help="The folder of an evaluation.")],
    form: Annotated[
        str, Option("--format", metavar="FORM", help="sft, preference or reward: what TRL's trainers read.")
    ] = "sft",
    out: Annotated[Path, Option(metavar="FILE", help="The file to write; - for standard output.")] = Path("-"),
    quiet: Quiet = False,
) -> None:
    """Export an evaluation's prompts and replies, with their outcome, as training examples."""


@evaluation_commands.command()
@with_run(ReproduceOptions, GROUPS, PROFILE)
def reproduce(run: Context, options: ReproduceOptions, context: "ReaderContext", screen: "OutputOptions") -> None:
    """Repeat a table or figure of a paper on its dataset.

    Examples:
    readgraph reproduce

    readgraph reproduce read-agent-table-5 --data datasets --model openai:gpt-4.1-mini --estimate

    """
    from readgraph.cli.run import reproduce as reproducing

    if options.name is None:
        reproducing.list_experiments(options, context, screen)
    elif options.replay:
        check_alone(run, "repeats a published run", "--replay", "--data", "--out", "--json", "--quiet")
        raise Exit(reproducing.replay_of(options.name, options.data, options.replay, options.out, screen))
    else:
        reproducing.reproduce(options.name, options, context, screen)
