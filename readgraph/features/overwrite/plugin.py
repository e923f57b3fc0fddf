"""What plugs in: see `readgraph.plugins`."""

from typing import TYPE_CHECKING

from readgraph.graphs.method import Method
from readgraph.plugins import hookimpl
from readgraph.state.declaring import Settings

if TYPE_CHECKING:
    from readgraph.library.own_records import OwnRecords


@hookimpl
def methods() -> list[Method]:
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
    from readgraph.features.overwrite.settings import LookingBack, NoteGates, NoteTaking

    return [NoteTaking, LookingBack, NoteGates]


@hookimpl
def records() -> "list[OwnRecords]":
    from readgraph.features.overwrite.earlier_notes import drop_stopped, forget_notes
    from readgraph.library.own_records import OwnRecords

    return [OwnRecords(forget=forget_notes, tidy=drop_stopped)]
