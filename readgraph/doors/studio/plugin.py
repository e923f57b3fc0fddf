"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.plugins import give, give_from

commands = give(
    Command(
        "readgraph.doors.studio.command:studio",
        "Watch and steer runs on the drawn graph, step by step: in LangGraph Studio, or offline (--local).",
        panel="For programs",
        order=3,
    )
)
pages = give_from("readgraph.doors.studio.page:PAGE")
