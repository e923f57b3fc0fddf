"""Which functions an agent may call, and which parts of its memory it may use (MemGPT, table 3).

These are its working context, its recall storage, or both. Without its working context an agent sees no blocks and
can't edit any; without its recall storage it can't search what left its view. Its memory goes on being kept in either
case.
"""

from collections.abc import Sequence

from readgraph.nodes.agent.function_calls import Functions
from readgraph.nodes.agent.functions import RECALL_FUNCTIONS, WORKING_FUNCTIONS
from readgraph.nodes.agent.reader_functions import meaning_search
from readgraph.state.channels.living import Block
from readgraph.state.context import ReaderContext
from readgraph.state.settings import AgentMemory

HIDDEN: dict[AgentMemory, frozenset[str]] = {
    "both": frozenset(),
    "working": frozenset(tool.name for tool in RECALL_FUNCTIONS),
    "recall": frozenset(tool.name for tool in WORKING_FUNCTIONS),
}
"""The functions that are not offered."""

MEMORY = HIDDEN["working"] | HIDDEN["recall"]
"""All functions of these parts."""

SWITCHED_OFF: dict[AgentMemory, str] = {
    "both": "",
    "working": "Recall storage is switched off: what leaves your view can't be searched.",
    "recall": "There is no working context: you can't write anything down there.",
}
"""What the agent is told, since its instructions speak of both."""


def usable(functions: Functions, context: ReaderContext) -> Functions:
    """The functions for the parts of the memory that the agent may use, and for the searches that there are."""
    hidden = HIDDEN[context.agent_memory] if MEMORY & functions.tools.keys() else frozenset()
    if functions.tools.get(meaning_search.name) is meaning_search and not context.embeddings:
        hidden |= {meaning_search.name}
    return functions.without(hidden)


def shown_blocks(blocks: Sequence[Block], context: ReaderContext) -> Sequence[Block]:
    """The blocks of the working context that the agent sees."""
    return [] if blocks and context.agent_memory == "recall" else blocks
