"""What the steps of an agent read and write."""

from typing import Annotated, NotRequired

from langchain_core.messages import AnyMessage
from typing_extensions import TypedDict

from readgraph.nodes.bounds import LoopProgress
from readgraph.nodes.contracts import AnswerState, AskedQuestion
from readgraph.state.agent import AgentState, AgentTurn, Block, IncomingEvent, TurnStep
from readgraph.state.channels import Empty
from readgraph.state.reading import Finding, Status, Usage
from readgraph.state.records import Count

__all__ = ["AgentTurnState", "ThinkUpdate"]


class ReceiveState(TypedDict):
    """What receiving reads; an agent without events has no channels yet."""

    agent: NotRequired[str]
    event: NotRequired[IncomingEvent]
    document: NotRequired[str]
    blocks: NotRequired[list[Block]]
    events: NotRequired[int]
    queue_from: NotRequired[int]
    summaries: NotRequired[int]
    warned: NotRequired[bool]
    archive: NotRequired[int]
    passages: NotRequired[int]
    documents: NotRequired[list[list[int]]]
    messages: NotRequired[list[AnyMessage]]


class BeginUpdate(AgentState, AgentTurn):
    """What the beginning of a question's agent writes."""

    queue_from: Annotated[Count, Empty]
    calls: Annotated[int, Empty]
    step_summary: str


class ReceiveUpdate(BeginUpdate):
    """What receiving writes."""

    document: str


class AgentTurnState(AgentState, AgentTurn):
    """What the steps of a turn read."""

    document: str
    messages: NotRequired[list[AnyMessage]]
    usage: NotRequired[Usage]


class ThinkState(AgentTurnState, LoopProgress):
    """What thinking reads."""


class ThinkUpdate(TypedDict):
    """What thinking writes; the newest event is the call to act on, if there is one."""

    events: int
    calls: int
    warned: bool
    next_step: TurnStep
    room: int
    status: Status
    step_summary: str


class EvictUpdate(TypedDict):
    """What evicting writes."""

    queue_from: int
    summaries: int
    warned: bool
    next_step: TurnStep
    step_summary: str


class ActUpdate(TypedDict):
    """What acting writes."""

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
    step_summary: str


class AgentQuestionTurnState(AgentTurnState):
    """What the steps of an agent read when it answers a question about a document."""

    memory: str
    question_text: str
    choices: dict[str, str]
    pages_read: list[int]
    findings: list[Finding]


class ReadingActUpdate(ActUpdate):
    """What acting writes in a reading; an answer is the last finding."""

    pages_read: list[int]
    findings: list[Finding]


class BeginState(AskedQuestion):
    """What the beginning of a question's agent reads; `more_documents` are further documents."""

    document: str
    memory: str
    more_documents: NotRequired[list[str]]
    usage: NotRequired[Usage]


class AgentAnswerState(AnswerState):
    """What answering reads after an agent's reading: its queue, and whether it still owes the answer."""

    agent: str
    queue_from: int
    events: int
    owes_reply: bool
    findings: list[Finding]
