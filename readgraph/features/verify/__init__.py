"""A draft is checked against documents, sentence by sentence."""

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
