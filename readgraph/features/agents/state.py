"""The state of an agent that lives on: small plain JSON values, as large after ten events as after ten thousand.

It holds counts. Events, the archive and summaries are numbered logs in the page store, and entries beyond the counts
don't exist for the agent. So a step that runs again writes the same numbers again, and going back to an earlier
checkpoint undoes everything that was written since.
"""

from operator import add
from typing import Annotated, Any, Literal, NotRequired

from langgraph.channels import EphemeralValue
from pydantic import Field
from typing_extensions import TypedDict

from readgraph.state.channels import empty_channels
from readgraph.state.errors import Damaged
from readgraph.state.reading import ChatMessages, Question, ReadingState, Status, Step, Usage, add_counts, add_usage
from readgraph.state.records import Count, load_record

EventKind = Literal["user", "system", "timer", "upload", "call"]
TurnStep = Literal["think", "evict", "act", "yield"]  # `yield` ends the turn until the next event


class IncomingEvent(TypedDict):
    """What arrives from outside: a user's message, a system alert, a timer's prompt, or an uploaded document's id."""

    kind: Literal["user", "system", "timer", "upload"]
    text: NotRequired[str]
    document: NotRequired[str]


class Block(TypedDict):
    """A labelled part of the working context: its purpose (`about`), its text, and the most words it may hold."""

    label: str
    about: str
    limit: Count
    text: str


class AgentState(TypedDict):
    """An agent's state: its working context, and the counts of its storages (MemGPT, sections 2.1 and 2.2).

    `events` counts recall storage. Events from number `queue_from` on are in the queue; summary number `summaries`
    (0: none) sums up the earlier ones. `archive` counts the numbers that archival storage has used: one for each
    passage, and one for each page of a document. `documents` holds, for each document, the number of its first page
    and its number of pages.
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
    """The agent's state in a stored value; raises `Damaged` if it holds none, or its counts contradict each other."""
    life = load_record(AgentState, value)
    ends = [start + pages for start, pages in life["documents"]]
    if life["queue_from"] > life["events"] or max(ends, default=0) > life["archive"]:
        raise Damaged("agent")
    return life


class AgentTurn(TypedDict):
    """One turn: what one event set off, until the agent yields.

    `began_at` is the number of that event, `calls` counts the functions called, `owes_reply` says that a user waits
    for a message, `said` are the messages sent, `recalled` the numbers of the events that searches found. `room`
    is the number of words that the window leaves for the queue.
    """

    began_at: int
    calls: int
    next_step: TurnStep
    owes_reply: bool
    room: int
    said: list[str]
    recalled: list[int]
    status: Status


class AgentInput(TypedDict):
    """Input of the agent's graph: the agent's name and the event that arrives, or a person's message."""

    agent: NotRequired[Annotated[str, Field(description="The agent's name; a new name creates an agent.")]]
    event: NotRequired[
        Annotated[
            IncomingEvent,
            Field(description="What arrives: a kind (user, system, timer, upload), and a text or a document's id."),
            EphemeralValue,
        ]
    ]
    messages: NotRequired[ChatMessages]


class AgentOutput(TypedDict):
    """Output of the agent's graph: what the agent said and recalled in this turn, and its usage.

    `messages` holds the conversation too, where a person's messages came as chat messages.
    """

    agent: str
    said: list[str]
    recalled: list[int]
    status: Status
    usage: Annotated[Usage, add_usage]
    fallbacks: Annotated[dict[str, int], add_counts]
    steps: Annotated[list[Step], add]
    messages: NotRequired[ChatMessages]


class AgentGraphState(AgentState, AgentTurn, AgentOutput):
    """All channels of an agent. `document` is the agent's id, under which replies are recorded."""

    event: NotRequired[Annotated[IncomingEvent, EphemeralValue]]
    document: str


class DocumentsQuestion(Question):
    """Input of a question about a document, and about further documents whose ids are in `more_documents`."""

    more_documents: NotRequired[
        Annotated[list[str], Field(description="The ids of further documents that the question is about.")]
    ]


class AgentQuestionState(ReadingState, AgentState, AgentTurn):
    """All channels of an agent that answers one question about documents."""

    more_documents: NotRequired[list[str]]


def fresh_turn(began_at: int, *, owes_reply: bool) -> AgentTurn:
    """The channels of a turn at its beginning."""
    return empty_channels(AgentTurn, began_at=began_at, owes_reply=owes_reply, next_step="think", status="reading")
