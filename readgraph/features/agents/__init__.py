"""MemGPT and a plain reader: agents that manage their own context, and the chat with one."""

from readgraph.graphs.method import Method
from readgraph.plugins import hookimpl


@hookimpl
def methods() -> list[Method]:
    """The methods of agents."""
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
