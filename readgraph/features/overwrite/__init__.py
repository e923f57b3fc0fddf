"""Notes on the question, written anew at each part (MemAgent)."""

from readgraph.graphs.method import Method
from readgraph.plugins import hookimpl


@hookimpl
def methods() -> list[Method]:
    """The method of overwritten notes."""
    return [
        Method(
            name="overwrite-memory",
            line="Notes on the question, written anew at each part.",
            graph="readgraph.features.overwrite.graph:graph",
            order=7,
        )
    ]
