"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.graphs.method import Method
from readgraph.plugins import give, give_from, give_names

methods = give(
    Method(
        name="verify",
        kind="part",
        graph="readgraph.features.verify.graph:graph",
        served="Checks a draft against a document: each sentence is supported, contradicted or not found, with quotes.",
        order=11,
    )
)
commands = give(
    Command(
        "readgraph.features.verify.command:verify",
        "Check a text against documents, sentence by sentence: is it supported, contradicted, or not found?",
        panel="More with texts",
        order=2,
    )
)
functions = give_names("readgraph.features.verify.functions:verify")
tools = give_from("readgraph.features.verify.functions:TOOL")
pages = give_from("readgraph.features.verify.page:PAGE")
