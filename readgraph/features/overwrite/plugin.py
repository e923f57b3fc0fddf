"""What plugs in: see `readgraph.plugins`."""

from readgraph.graphs.method import Method
from readgraph.plugins import hookimpl
from readgraph.state.declaring import Settings


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


@hookimpl
def settings() -> list[type[Settings]]:
    """Its groups of settings."""
    from readgraph.features.overwrite.settings import LookingBack, NoteGates, NoteTaking

    return [NoteTaking, LookingBack, NoteGates]
