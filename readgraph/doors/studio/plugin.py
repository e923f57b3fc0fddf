"""What plugs in: see `readgraph.plugins`."""

from typing import TYPE_CHECKING

from readgraph.cli.declaring import Command
from readgraph.plugins import hookimpl

if TYPE_CHECKING:
    from readgraph.doors.serve.making import Page


@hookimpl
def commands() -> list[Command]:
    """Its command, with its place in the help."""
    return [
        Command(
            "readgraph.doors.studio.command:studio",
            "Watch and steer runs on the drawn graph, step by step: in LangGraph Studio, or offline (--local).",
            panel="For programs",
            order=3,
        )
    ]


@hookimpl
def pages() -> "list[Page]":
    from readgraph.doors.studio.page import PAGE

    return [PAGE]
