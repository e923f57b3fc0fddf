"""A question about a history, put to an agent that lived through it (MemGPT, section 3.1).

What was said in the sessions is the agent's recall storage, and nothing of it is in view. Each question comes as a
message to an agent of its own with that past, so that no question sees another's events. Where the agent is to speak
first, it has lived with its functions too: after each session it has noted what it learned in its working context,
and an event says that the other is there again.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, cast

from readgraph.evaluation.lived_sessions import lived, turns_of
from readgraph.evaluation.reading import Reading
from readgraph.evaluation.records import Item, Outcome, Span
from readgraph.graphs.mem_gpt import build_chat
from readgraph.graphs.methods import Method
from readgraph.models.exchanges import Keep, ModelExchange
from readgraph.nodes.agent.receiving import LIFE, default_blocks
from readgraph.state.agent_archive import AgentFile, exported, take_in
from readgraph.state.agents import Agent, AgentStore, agent_id, archive_index, initial_state, local_now
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.histories import SessionText
from readgraph.state.living import AgentState, Block, IncomingEvent
from readgraph.state.words import count_words

AGENT = "mem-gpt"
"""The method that is an agent to talk with."""

ENDED = (
    "This conversation with {by} has ended, and will leave your view. Write into your working context what you have "
    "learned in it that lasts, about {by} and about yourself; then wait."
)
AGAIN = "{by} is there again, and a new conversation begins. Speak first: send {by} a message."


class Talk(NamedTuple):
    """Whom an agent is, whom it talks with, and whether it notes what it learns."""

    to: str
    by: str
    notes: bool


def by_talk(method: Method, items: Iterable[Item], context: ReaderContext) -> dict[Talk | None, list[Item]]:
    """The questions by the agent that they are put to; none: the method is asked, as it is without a model."""
    talks = defaultdict[Talk | None, list[Item]](list)
    for item in items:
        spoken = item.addressed if method.name == AGENT and context.model else None
        talks[spoken and Talk(spoken.to, spoken.by, notes=not spoken.message)].append(item)
    return talks


@dataclass
class Conversing(Reading):
    """An agent in one run: the speaker `to` of the history, who talks with `by`, and notes what it learns or not."""

    to: str
    by: str
    notes: bool
    store: AgentStore = field(init=False)
    past: AgentFile = field(init=False)
    turns: dict[int, Span] = field(init=False, default_factory=dict)
    """Where in the text the turn of an event stands."""

    async def remember(self, keep: Keep) -> dict[str, Any]:
        """Live through the sessions; with recall storage alone, that is no call."""
        if not any(turns_of(session, self.to, self.by) for session in self.text.sessions):
            raise BadInput(f"In '{self.text.title}' neither {self.to} nor {self.by} says anything.")
        self.store = AgentStore(self.library.store)
        self.graph = build_chat(dated=False).compile(store=self.library.store)
        identity = agent_id(self._name())
        agent = Agent(
            identity, self._name(), local_now(), initial_state(self._name(), self._blocks()), archive_index(identity)
        )
        life = agent.birth
        for session, place in zip(self.text.sessions, self.text.session_places, strict=True):
            life = await self._hear(session, place.start, life)
            if self.notes:
                await self.store.put_agent(replace(agent, birth=life))
                life = await self._note(keep)
        self.past = await exported(self.store, agent, {**life, "queue_from": life["events"]})
        return {
            "memory": identity,
            "fingerprint": "",
            "words": count_words(self.text.text),
            "page_words": [count_words(session.text) for session in self.text.sessions],
            "note_words": [count_words(block["text"]) for block in life["blocks"]],
        }

    async def answer(self, item: Item) -> Outcome:
        """Say the message to an agent with this past, and keep what it sends; without one, tell it to begin."""
        said = item.addressed.message if item.addressed else ""
        event = (
            IncomingEvent(kind="user", text=said)
            if said
            else IncomingEvent(kind="system", text=AGAIN.format(by=self.by))
        )
        exchanges: list[ModelExchange] = []
        try:
            agent = await take_in(self.store, self.past, self._name(item.id))
            found = await self.invoke({"agent": agent.name, "event": event}, Keep(exchanges.append))
        except ReadgraphError as problem:
            return self.fail(item, problem, exchanges)
        answer = "\n".join(found["messages"]) or None
        read = tuple(self.turns[number] for number in dict.fromkeys(found["recalled"]) if number in self.turns)
        outcome = Outcome(item.id, self.method.name, self.run, found["status"], answer, read=read, memory=agent.id)
        kept = self.keep_outcome(outcome, found, exchanges)
        await self.store.forget_agent(agent)
        return kept

    async def _hear(self, session: SessionText, start: int, life: AgentState) -> AgentState:
        """The life with a session's events in its queue, and none of those before."""
        agent, first = agent_id(self._name()), life["events"]
        before = await self.store.events(agent, range(max(0, first - 1), first))
        events = [*lived(session, self.to, self.by, first, max((event.at for event in before), default=""))]
        await self.store.put_events(agent, events)
        said = [event.number for event in events if event.kind != "system"]
        for number, (_, span) in zip(said, turns_of(session, self.to, self.by), strict=True):
            self.turns[number] = Span(start + span.start, start + span.end)
        return {**life, "queue_from": first, "events": first + len(events)}

    async def _note(self, keep: Keep) -> AgentState:
        """A turn in which the agent writes down what it has learned; gives its life after it."""
        event = IncomingEvent(kind="system", text=ENDED.format(by=self.by))
        found = await self.invoke({"agent": self._name(), "event": event}, keep, output_keys=[*LIFE])
        return cast(AgentState, {channel: found[channel] for channel in LIFE})

    def _blocks(self) -> list[Block]:
        known: dict[str, Any] = {"persona": f"I am {self.to}.", "human": f"I talk with {self.by}."}
        return [cast(Block, {**block, "text": known[block["label"]]}) for block in default_blocks(self.context)]

    def _name(self, question: str = "") -> str:
        """An agent's name, the same when the evaluation goes on, so that recorded replies are found."""
        of = f"{self.text.id} as {self.to} with {self.by}, run {self.run}"
        return f"{of}, question {question}" if question else of
