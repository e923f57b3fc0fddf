"""The command `reproduce`: the papers' experiments by name, over `evaluate`."""

from typing import TYPE_CHECKING

import typer

from readgraph.cli.options.checks import check_alone
from readgraph.cli.options.evaluating import ReproduceOptions
from readgraph.cli.options.screen import with_screen
from readgraph.cli.options.settings import PROFILE, with_context
from readgraph.cli.shell.grouped import with_options
from readgraph.state.settings import GROUPS

if TYPE_CHECKING:
    from readgraph.cli.terminal.output_options import Screen
    from readgraph.state.context import ReaderContext

reproducing_commands = typer.Typer()


@reproducing_commands.command()
@with_context(GROUPS, PROFILE)
@with_screen
@with_options(ReproduceOptions)
def reproduce(run: typer.Context, options: ReproduceOptions, context: "ReaderContext", screen: "Screen") -> None:
    """Repeat a table or figure of a paper on its dataset.

    Examples:
    readgraph reproduce

    readgraph reproduce read-agent-table-5 --data datasets --model openai:gpt-4.1-mini --estimate

    """
    from readgraph.cli.run.evaluating import reproduce as reproducing

    if options.name is None:
        reproducing.list_experiments(options, context, screen)
    elif options.replay:
        check_alone(run, "repeats a published run", "--replay", "--data", "--out", "--json", "--quiet")
        raise typer.Exit(reproducing.replay_of(options.name, options.data, options.replay, options.out, screen))
    else:
        reproducing.reproduce(options.name, options, context, screen)
