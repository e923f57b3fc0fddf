"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.graphs.method import Method
from readgraph.plugins import give, give_from, give_names

methods = give(
    Method(
        name="changes",
        kind="part",
        graph="readgraph.features.changes.graph:graph",
        served="Compares two documents: what was added, removed, changed and moved, with both quotes.",
        order=13,
    )
)
commands = give(
    Command(
        "readgraph.features.changes.command:changes",
        "Compare two documents or versions of one: what was added, removed, changed and moved?",
        panel="More with texts",
        order=3,
    )
)
functions = give_names("readgraph.features.changes.functions:changes")
tools = give_from("readgraph.features.changes.functions:TOOL")
