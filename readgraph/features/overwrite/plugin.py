"""What plugs in: see `readgraph.plugins`."""

from typing import TYPE_CHECKING

from readgraph.graphs.method import Method
from readgraph.plugins import hookimpl

if TYPE_CHECKING:
    from readgraph.library.upkeep.own_records import OwnRecords
    from readgraph.state.declaring import Settings


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
def settings() -> "list[type[Settings]]":
    from readgraph.features.overwrite.settings import LookingBack, NoteGates, NoteTaking

    return [NoteTaking, LookingBack, NoteGates]


@hookimpl
def records() -> "list[OwnRecords]":
    from readgraph.features.overwrite.earlier_notes import drop_stopped, forget_notes
    from readgraph.library.upkeep.own_records import OwnRecords

    return [OwnRecords(forget=forget_notes, tidy=drop_stopped)]
