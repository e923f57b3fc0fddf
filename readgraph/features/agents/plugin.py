"""What plugs in: see `readgraph.plugins`."""

from typing import TYPE_CHECKING

from readgraph.cli.declaring import Command
from readgraph.graphs.method import Method
from readgraph.plugins import hookimpl

if TYPE_CHECKING:
    from readgraph.doors.serve.making import Page
    from readgraph.library.upkeep.own_records import OwnRecords
    from readgraph.state.declaring import Settings


@hookimpl
def methods() -> list[Method]:
    return [
        Method(
            name="mem-gpt",
            line="An agent searches the parts and opens them until it can answer.",
            note="beginning",
            graph="readgraph.features.agents.mem_gpt:graph",
            order=4,
        ),
        Method(
            name="mem-gpt-chat",
            kind="part",
            graph="readgraph.features.agents.mem_gpt:chat",
            served="Talks with an agent that remembers every conversation, and reads the documents that it is given.",
            order=4,
        ),
        Method(
            name="reader-agent",
            line="A plain agent: searches, opens parts, answers.",
            note="beginning",
            memory_of="mem-gpt",
            graph="readgraph.features.agents.reader_agent:graph",
            order=5,
        ),
    ]


@hookimpl
def commands() -> list[Command]:
    return [
        Command(
            "readgraph.features.agents.command:agents",
            "List agents; export, import, repair or delete them.",
            panel="Looking after",
            order=5,
        ),
        Command(
            "readgraph.features.agents.command:chat",
            "Talk with an agent that remembers the whole conversation and continues where you left off.",
            panel="More with texts",
            order=6,
        ),
    ]


@hookimpl
def settings() -> "list[type[Settings]]":
    from readgraph.features.agents.settings import Chaining, MemoryParts, MemoryPressure

    return [Chaining, MemoryParts, MemoryPressure]


@hookimpl
def pages() -> "list[Page]":
    from readgraph.features.agents.page import PAGE

    return [PAGE]


@hookimpl
def records() -> "list[OwnRecords]":
    from readgraph.features.agents.store import forget_readings
    from readgraph.library.upkeep.own_records import OwnRecords

    return [OwnRecords(forget=forget_readings)]
