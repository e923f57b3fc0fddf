"""What an agent's functions work on: its life, of which they change a copy, and the store behind it."""

from dataclasses import dataclass, field

from readgraph.nodes.event_text import most_event_words
from readgraph.state.agents import AgentStore
from readgraph.state.context import ReaderContext
from readgraph.state.living import Life
from readgraph.state.reading import Quote

PER_PAGE = 5
"""Results on a page (MemGPT, section 2.3, and figure 5)."""


@dataclass
class Given:
    """An answer as the agent gave it."""

    answer: str | None
    choice: str | None
    quotes: list[Quote]


@dataclass
class AgentMemory:
    """One call's view of an agent's memory; `index` names the search index over its archival storage.

    `number` is the event of the call, `began_at` that of the turn: what is younger can't be recalled, it stands in
    the queue. `pages_read` and `given` are for readings of a document.
    """

    id: str
    store: AgentStore
    context: ReaderContext
    life: Life
    index: str
    number: int
    began_at: int
    choices: dict[str, str] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    pages_read: list[int] = field(default_factory=list)
    given: Given | None = None

    @property
    def room(self) -> int:
        """Words that a result may have."""
        return most_event_words(self.context.window_words) - 20  # for the line that counts the results
