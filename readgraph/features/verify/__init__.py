"""A draft is checked against documents, sentence by sentence."""

from readgraph.cli.declaring import Command
from readgraph.graphs.method import Method
from readgraph.plugins import hookimpl


@hookimpl
def methods() -> list[Method]:
    """The check of a draft."""
    return [
        Method(
            name="verify",
            kind="part",
            graph="readgraph.features.verify.graph:graph",
            served="Checks a draft against a document: each sentence is supported, contradicted or not found, with quotes.",  # noqa: E501
            order=11,
        )
    ]


@hookimpl
def commands() -> list[Command]:
    """Its command, with its place in the help."""
    from readgraph.features.verify.command import verify

    return [Command(run=verify, panel="More with texts", order=2)]
