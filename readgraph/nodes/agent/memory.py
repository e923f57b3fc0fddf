"""What an agent's functions work on: a copy of its state, which they change, and its store."""

from dataclasses import dataclass, field

from readgraph.nodes.agent.event_text import most_event_words
from readgraph.state.agents import Agent, AgentStore
from readgraph.state.channels.living import AgentState
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Quote

__all__ = ["AgentMemory"]

PER_PAGE = 5
"""Results per page (MemGPT, section 2.3, and figure 5)."""


@dataclass
class Given:
    """An answer as the agent gave it."""

    answer: str | None
    choice: str | None
    quotes: list[Quote]


@dataclass
class AgentMemory:
    """What the functions of an agent work on; outside a turn, the first four fields are enough.

    `began_at`: the turn's first event; it and later ones are in the queue and are not recalled. `recalled`: the numbers
    of the events that were found. `choices`, `pages_read` and `given` are for readings of a document.
    """

    agent: Agent
    store: AgentStore
    context: ReaderContext
    life: AgentState
    began_at: int | None = None
    choices: dict[str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    recalled: list[int] = field(default_factory=list)
    pages_read: list[int] = field(default_factory=list)
    given: Given | None = None

    @property
    def id(self) -> str:
        """The agent's id, under which its storages are kept."""
        return self.agent.id

    @property
    def recallable(self) -> int:
        """The number of events that can be recalled."""
        return self.life["events"] if self.began_at is None else self.began_at

    @property
    def room(self) -> int:
        """Most words of a result."""
        return most_event_words(self.context.window_words) - 20  # minus the line that counts the results
