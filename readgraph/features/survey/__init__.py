"""Surveys: what a whole text holds of one kind, counted, listed and compared."""

from readgraph.cli.declaring import Command
from readgraph.graphs.method import Method
from readgraph.plugins import hookimpl
from readgraph.state.declaring import Settings


@hookimpl
def methods() -> list[Method]:
    """The survey."""
    return [
        Method(
            name="survey",
            line="Goes through all parts for records; counts, lists, compares them.",
            graph="readgraph.features.survey.graph:graph",
            order=6,
        )
    ]


@hookimpl
def commands() -> list[Command]:
    """Its command, with its place in the help."""
    from readgraph.features.survey.command import table

    return [Command(run=table, panel="More with texts", order=4)]


@hookimpl
def settings() -> list[type[Settings]]:
    """Its settings."""
    from readgraph.features.survey.settings import Surveying

    return [Surveying]
