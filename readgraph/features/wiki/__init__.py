"""A wiki of documents: pages of persons, places, things and topics."""

from readgraph.cli.declaring import Command
from readgraph.graphs.method import Method
from readgraph.plugins import hookimpl


@hookimpl
def methods() -> list[Method]:
    """The wiki."""
    return [
        Method(
            name="wiki",
            kind="part",
            graph="readgraph.features.wiki.graph:graph",
            served="Makes a wiki of documents: pages of persons, places, things and topics; each sentence names its quotes.",  # noqa: E501
            order=12,
        )
    ]


@hookimpl
def commands() -> list[Command]:
    """Its command, with its place in the help."""
    from readgraph.features.wiki.command import wiki

    return [Command(run=wiki, panel="More with texts", order=3)]
