"""What plugs in: see `readgraph.plugins`."""

from readgraph.cli.declaring import Command
from readgraph.graphs.method import Method
from readgraph.plugins import give, give_from

methods = give(
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
)
commands = give(
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
)
settings = give_from(
    "readgraph.features.agents.settings:Chaining",
    "readgraph.features.agents.settings:MemoryParts",
    "readgraph.features.agents.settings:MemoryPressure",
)
pages = give_from("readgraph.features.agents.page:PAGE")
records = give_from("readgraph.features.agents.store:RECORDS")
