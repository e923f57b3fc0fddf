"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.graphs.method import Method
from readgraph.plugins import give, give_from, give_names

methods = give(
    Method(
        name="survey",
        line="Goes through all parts for records; counts, lists, compares them.",
        graph="readgraph.features.survey.graph:graph",
        notices="readgraph.features.survey.notices:find_notices",
        order=6,
    )
)
commands = give(
    Command(
        "readgraph.features.survey.command:table",
        "Make a table of all that documents hold of one kind; each row has the quote that shows it, and its place.",
        panel="More with texts",
        order=4,
    )
)
settings = give_from("readgraph.features.survey.settings:Surveying")
functions = give_names("readgraph.features.survey.functions:table")
tools = give_from("readgraph.features.survey.functions:TOOL")
pages = give_from("readgraph.features.survey.page:PAGE")
