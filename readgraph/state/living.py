"""The state of an agent that lives on: small, JSON-plain, the same size after ten events and ten thousand.

It counts. Events, the archive and summaries are numbered logs in the page store, and what stands after the counts is
not there. So a step that is run again writes the same numbers again, and going back to an earlier checkpoint takes
back all that was written since.
"""

from operator import add
from typing import Annotated, Any, Literal, NotRequired

from langgraph.channels import EphemeralValue
from pydantic import Field
from typing_extensions import TypedDict

from readgraph.state.errors import Damaged
from readgraph.state.reading import Question, ReadingState, Status, Step, Usage, add_counts, add_usage
from readgraph.state.sound import Count, load

EventKind = Literal["user", "system", "timer", "upload", "call"]


TurnStep = Literal["think", "evict", "act", "yield"]
"""What a turn goes on with; `yield`: nothing, until the next event."""


class IncomingEvent(TypedDict):
    """What arrives from outside: a message, an alert, a timer's prompt, or the id of an uploaded document."""

    kind: Literal["user", "system", "timer", "upload"]
    text: NotRequired[str]
    document: NotRequired[str]


class Block(TypedDict):
    """A labelled part of the working context: what it is for, what it holds, and how many words it may hold."""

    label: str
    about: str
    limit: Count
    text: str


class AgentState(TypedDict):
    """What an agent is: its working context, and how far its storages go (MemGPT, sections 2.1 and 2.2).

    `events` counts recall storage; those from `queue_from` on are in the queue, those before in summary number
    `summaries` (0: none). `archive` counts the numbers that archival storage has given: one for a passage, one for
    each page of a document. `documents` holds, for each document, the number of its first page and how many it has.
    """

    agent: str
    blocks: list[Block]
    events: Count
    queue_from: Count
    summaries: Count
    warned: bool
    archive: Count
    passages: Count
    documents: list[Annotated[list[Count], Field(min_length=2, max_length=2)]]


def load_life(value: Any) -> AgentState:
    """The life of a stored value; raises `Damaged` where it is none, or its numbers don't fit each other."""
    life = load(AgentState, value)
    ends = [start + pages for start, pages in life["documents"]]
    if life["queue_from"] > life["events"] or max(ends, default=0) > life["archive"]:
        raise Damaged("agent")
    return life


class AgentTurn(TypedDict):
    """What one event set off: it lasts until the agent yields.

    `began_at` is the number of the event, `calls` counts the functions called, `owes_reply` says that somebody waits
    for a message, `messages` are those sent, `recalled` the numbers of the events that searches found. `room` is what
    the window leaves to the queue, in words.
    """

    began_at: int
    calls: int
    next_step: TurnStep
    owes_reply: bool
    room: int
    messages: list[str]
    recalled: list[int]
    status: Status


class AgentInput(TypedDict):
    """Input of the agent's graph: the agent's name and what arrives."""

    agent: NotRequired[str]
    event: NotRequired[Annotated[IncomingEvent, EphemeralValue]]


class AgentOutput(TypedDict):
    """Output of the agent's graph: what the agent said and recalled in this turn, and what that used."""

    agent: str
    messages: list[str]
    recalled: list[int]
    status: Status
    usage: Annotated[Usage, add_usage]
    fallbacks: Annotated[dict[str, int], add_counts]
    steps: Annotated[list[Step], add]


class AgentGraphState(AgentState, AgentTurn):
    """All channels of an agent. `document` is the agent's id: recorded replies are kept under it."""

    event: NotRequired[Annotated[IncomingEvent, EphemeralValue]]
    document: str
    usage: Annotated[Usage, add_usage]
    fallbacks: Annotated[dict[str, int], add_counts]
    steps: Annotated[list[Step], add]


class DocumentsQuestion(Question):
    """Input of a question about a document and, with `beside`, further ones by their ids."""

    beside: NotRequired[list[str]]


class AgentQuestionState(ReadingState, AgentState, AgentTurn):
    """All channels of an agent that answers a question about documents."""

    beside: NotRequired[list[str]]


def fresh_turn(began_at: int, *, owes_reply: bool) -> AgentTurn:
    """The channels of a turn as it begins."""
    return {
        "began_at": began_at,
        "calls": 0,
        "next_step": "think",
        "owes_reply": owes_reply,
        "room": 0,
        "messages": [],
        "recalled": [],
        "status": "reading",
    }
