"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.graphs.method import Method
from readgraph.plugins import give, give_from, give_names

methods = give(
    Method(
        name="wiki",
        kind="part",
        graph="readgraph.features.wiki.graph:graph",
        served="Makes a wiki of documents: pages of persons, places, things and topics; each sentence names its quotes.",  # noqa: E501
        order=12,
    )
)
commands = give(
    Command(
        "readgraph.features.wiki.command:wiki",
        "Make a wiki of documents: Markdown pages of persons, places, things and topics. Each sentence "
        "names its quote.",
        panel="More with texts",
        order=3,
    )
)
functions = give_names("readgraph.features.wiki.functions:wiki")
tools = give_from("readgraph.features.wiki.functions:TOOL")
pages = give_from("readgraph.features.wiki.page:PAGE")
