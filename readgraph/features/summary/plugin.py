"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.graphs.method import Method
from readgraph.plugins import give, give_from, give_names

methods = give(
    Method(
        name="summary",
        kind="row",
        line="A summary, where a question asks for one; each sentence is checked.",
        note="gist",
        graph="readgraph.features.summary.graph:graph",
        instead="'readgraph summarise' writes summaries, and 'readgraph evaluate' takes it on a dataset of summaries",
        served="Summarises a long document, or a part of it, at a wanted length; each sentence is checked and cited.",
        order=10,
    )
)
commands = give(
    Command(
        "readgraph.features.summary.command:summarise",
        "Summarise documents, or a part of them. Each sentence names where it stands, and is checked against the text.",
        panel="Start",
        order=3,
    )
)
settings = give_from("readgraph.features.summary.settings:SummaryForm")
functions = give_names("readgraph.features.summary.functions:summarise")
tools = give_from("readgraph.features.summary.functions:TOOL")
pages = give_from("readgraph.features.summary.page:PAGE")
