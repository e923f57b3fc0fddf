"""Summaries of a text or a part of it; each sentence is checked and cited."""

from readgraph.cli.declaring import Command
from readgraph.graphs.method import Method
from readgraph.plugins import hookimpl


@hookimpl
def methods() -> list[Method]:
    """The summary."""
    return [
        Method(
            name="summary",
            kind="row",
            line="A summary, where a question asks for one; each sentence is checked.",
            note="gist",
            graph="readgraph.features.summary.graph:graph",
            served="Summarises a long document, or a part of it, at a wanted length; each sentence is checked and cited.",  # noqa: E501
            order=10,
        )
    ]


@hookimpl
def commands() -> list[Command]:
    """Its command, with its place in the help."""
    from readgraph.features.summary.command import summarise

    return [Command(run=summarise, panel="Start", order=3)]
