"""What several steps of an agent read and write."""

from typing import Annotated, NotRequired

from langchain_core.messages import AnyMessage

from readgraph.features.agents.state import AgentState, AgentTurn, Block, TurnStep
from readgraph.nodes.bounds import LoopProgress
from readgraph.nodes.contracts import StepUpdate
from readgraph.state.channels import Empty
from readgraph.state.reading import Status, Usage
from readgraph.state.records import Count

__all__ = ["AgentTurnState", "ThinkUpdate"]


class BeginUpdate(AgentState, AgentTurn):
    queue_from: Annotated[Count, Empty]
    calls: Annotated[int, Empty]
    step_summary: str


class AgentTurnState(AgentState, AgentTurn):
    """What the steps of a turn read."""

    document: str
    messages: NotRequired[list[AnyMessage]]
    usage: NotRequired[Usage]


class ThinkState(AgentTurnState, LoopProgress):
    """What thinking reads."""


class ThinkUpdate(StepUpdate):
    """What thinking writes; the newest event is the call to act on, if there is one."""

    events: int
    calls: int
    warned: bool
    next_step: TurnStep
    room: int
    status: Status


class ActUpdate(StepUpdate):
    blocks: list[Block]
    events: int
    archive: int
    passages: int
    next_step: TurnStep
    owes_reply: bool
    said: list[str]
    messages: NotRequired[list[AnyMessage]]
    recalled: list[int]
    status: Status
