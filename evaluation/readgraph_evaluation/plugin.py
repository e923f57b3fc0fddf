"""How the evaluation plugs in: its commands, and the prompts of its judges."""

from readgraph.cli.declaring import Command
from readgraph.plugins import hookimpl


@hookimpl
def commands() -> list[Command]:
    """The commands of evaluations, with their places in the help."""
    from readgraph_evaluation import command as given

    return [
        Command(run=given.evaluate, panel="Research", order=1),
        Command(run=given.reproduce, panel="Research", order=2),
        Command(run=given.board, panel="Research", order=3),
        Command(run=given.trajectories, panel="Research", order=4),
    ]


@hookimpl
def prompts() -> list[str]:
    """The modules that declare what is asked."""
    return ["readgraph_evaluation.judges.prompts", "readgraph_evaluation.who_questions"]
