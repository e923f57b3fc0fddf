"""What the steps of an agent read and write."""

from typing import NotRequired

from typing_extensions import TypedDict

from readgraph.nodes.contracts import AnswerUpdate
from readgraph.state.living import Arrival, Block, Life, Then, Turn
from readgraph.state.reading import Quote, Status, Usage


class ReceiveState(TypedDict):
    """What receiving reads; an agent to which nothing has happened yet has no channels."""

    agent: NotRequired[str]
    event: NotRequired[Arrival]
    document: NotRequired[str]
    blocks: NotRequired[list[Block]]
    events: NotRequired[int]
    queue_from: NotRequired[int]
    summaries: NotRequired[int]
    warned: NotRequired[bool]
    archive: NotRequired[int]
    passages: NotRequired[int]
    documents: NotRequired[list[list[int]]]


class ReceiveUpdate(Life, Turn):
    """What receiving writes."""

    document: str
    did: str


class LivingState(Life, Turn):
    """What the steps of a turn read."""

    document: str
    usage: NotRequired[Usage]


class ThinkUpdate(TypedDict):
    """What thinking writes; the newest event is the call to act on, if there is one."""

    events: int
    calls: int
    warned: bool
    then: Then
    room: int
    status: Status
    did: str


class EvictUpdate(TypedDict):
    """What evicting writes."""

    queue_from: int
    summaries: int
    warned: bool
    then: Then
    did: str


class ActUpdate(TypedDict):
    """What acting writes."""

    blocks: list[Block]
    events: int
    archive: int
    passages: int
    then: Then
    owes_reply: bool
    messages: list[str]
    recalled: list[int]
    status: Status
    did: str


class AskedLivingState(LivingState):
    """What the steps of an agent read that answers a question about a document."""

    memory: str
    asked: str
    choices: dict[str, str]
    pages_read: list[int]


class ReadingActUpdate(ActUpdate):
    """What acting writes in a reading."""

    answer: str | None
    choice: str | None
    quotes: list[Quote]
    pages_read: list[int]
    compression_rate: float | None


class BeginState(TypedDict):
    """What the beginning of a question's agent reads; `beside` are further documents."""

    document: str
    memory: str
    asked: str
    choices: dict[str, str]
    beside: NotRequired[list[str]]
    usage: NotRequired[Usage]


class BeginUpdate(Life, Turn):
    """What it writes."""

    did: str


class QuoteUpdate(AnswerUpdate):
    """What quoting the nearest passages writes."""

    pages_read: list[int]


class CiteEachState(TypedDict):
    """What citing reads where there may be several documents."""

    agent: str
    documents: list[list[int]]
    quotes: list[Quote]
    usage: NotRequired[Usage]
