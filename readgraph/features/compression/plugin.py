"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.plugins import give, give_from, give_names

commands = give(
    Command(
        "readgraph.features.compression.command:compress",
        "Fit documents into a budget of tokens, for a prompt of your own. Standard output holds the text "
        "and nothing else.",
        panel="More with texts",
        order=5,
    )
)
functions = give_names("readgraph.features.compression.functions:compress")
records = give_from("readgraph.features.compression.kept:RECORDS")
tools = give_from("readgraph.features.compression.functions:TOOL")
