"""The command `reproduce`: the papers' experiments by name, over `evaluate`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from readgraph.cli.commands.evaluation import Judge, Limit, Out, PublishTo, Replay, Replies, Runs, Sample, Seed
from readgraph.cli.options.shared import PROFILE, EstimateOnly, check_alone, with_context, with_screen
from readgraph.cli.shell.completing import completing
from readgraph.cli.shell.completing import experiments as experiment_names
from readgraph.state.settings import GROUPS

if TYPE_CHECKING:
    from readgraph.cli.terminal.output_options import Screen
    from readgraph.state.context import ReaderContext

reproducing_commands = typer.Typer()


@reproducing_commands.command()
@with_context(GROUPS, PROFILE)
@with_screen
def reproduce(
    run: typer.Context,
    context: "ReaderContext",
    screen: "Screen",
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="An experiment, such as read-agent-table-1; without a name all are listed.",
            show_default=False,
            autocompletion=completing(experiment_names),
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The folder that holds the datasets.", show_default=False),
    ] = None,
    limit: Limit = None,
    drawn: Sample = None,
    seed: Seed = 0,
    runs: Runs = 1,
    judge: Judge = None,
    out: Out = None,
    replies: Replies = None,
    publish: PublishTo = None,
    replay: Replay = None,
    estimate: EstimateOnly = False,
) -> None:
    """Repeat a table or figure of a paper on its dataset.

    Examples:
    readgraph reproduce

    readgraph reproduce read-agent-table-5 --data datasets --model openai:gpt-4.1-mini --estimate

    """
    from readgraph.cli.run.evaluating import reproduce as reproducing

    wanted = reproducing.Wanted(limit, drawn, seed, runs, judge, out, replies, publish)
    if name is None:
        reproducing.list_experiments(data, wanted, context, screen)
    elif replay:
        check_alone(run, "repeats a published run", "--replay", "--data", "--out", "--json", "--quiet")
        raise typer.Exit(reproducing.replay_of(name, data, replay, out, screen))
    else:
        reproducing.reproduce(name, data, wanted, context, screen, only_estimate=estimate)
