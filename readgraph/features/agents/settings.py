"""The settings of agents."""

from typing import Annotated, Literal

from annotated_types import Ge, Le

from readgraph.state.declaring import Help, Settings

AgentStorages = Literal["both", "working", "recall"]
"""What an agent of MemGPT may use: its working context and its recall storage, or one of them."""


class Chaining(Settings, panel="MemGPT"):
    """How many steps an agent may chain."""

    max_chain: Annotated[
        int, Ge(1), Help("The agent makes at most this many function calls before it waits again.")
    ] = 30


class MemoryParts(Settings, panel="MemGPT"):
    """What MemGPT's agent may use of its memory."""

    agent_memory: Annotated[
        AgentStorages,
        Help("What the agent may use: its working context and its recall storage (both), or one (working, recall)."),
    ] = "both"


class MemoryPressure(Settings, panel="MemGPT"):
    """How large the blocks of an agent's working context may grow, and when it is warned of a full queue (section 2.3).

    The paper gives no share for the warning; 75 % is that of its authors' code, where it applies to the whole window.
    """

    block_words: Annotated[
        int,
        Ge(20),
        Help("A new agent's block of working context has at most this many words, or a 12th of the window."),
    ] = 300
    warn_at: Annotated[
        int, Ge(1), Le(100), Help("The agent is warned when its queue takes this percentage of its room.")
    ] = 75
