"""What plugs in: see `readgraph.plugins`."""

from readgraph.graphs.method import Method
from readgraph.plugins import give, give_from

methods = give(
    Method(
        name="overwrite-memory",
        line="Notes on the question, written anew at each part.",
        graph="readgraph.features.overwrite.graph:graph",
        order=7,
    )
)
settings = give_from(
    "readgraph.features.overwrite.settings:NoteTaking",
    "readgraph.features.overwrite.settings:LookingBack",
    "readgraph.features.overwrite.settings:NoteGates",
)
records = give_from("readgraph.features.overwrite.earlier_notes:RECORDS")
