"""A question about a history, as a message to a copy of an agent whose recall storage it is (MemGPT, section 3.1).

One that has to speak first writes after each session what it learned into its working context, and is told later that
its partner is there again.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple, cast

from readgraph.evaluation.reading import TextReading
from readgraph.evaluation.records import Item, Outcome, TextSpan
from readgraph.evaluation.rows import Row
from readgraph.graphs.mem_gpt import build_chat
from readgraph.library.agents import SPEAKS, Agent, AgentStore, Event, agent_id, archive_index, initial_state, local_now
from readgraph.library.archives import AgentFile, build_agent_from_file, make_agent_file
from readgraph.library.histories import SessionText
from readgraph.models.metering import ExchangeRecorder, ModelExchange
from readgraph.nodes.agent.receive import LIFE, default_blocks
from readgraph.state.agent import AgentState, Block, IncomingEvent
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.records import at_local_time
from readgraph.state.words import count_words

TIMES = ("%I:%M %p on %d %B, %Y", "%Y/%m/%d (%a) %H:%M")  # of sessions in LoCoMo and LongMemEval; others use ISO 8601


def turns_of(session: SessionText, *speakers: str) -> list[tuple[str, TextSpan]]:
    """Who of these speaks, and the span of the words in the session; lines without a name belong to the turn before."""
    names = "|".join(re.escape(speaker) for speaker in speakers)
    turns = [*re.finditer(rf"^({names}): ", session.text, flags=re.MULTILINE)]
    ends = [*(turn.start() for turn in turns[1:]), len(session.text)]
    return [(turn[1], TextSpan(turn.end(), end)) for turn, end in zip(turns, ends, strict=False)]


def session_events(session: SessionText, to: str, by: str, first: int, before: str = "") -> Iterator[Event]:
    """The events of a session for `to`, who talks with `by`, from number `first`; no time is before `before`."""
    time, number = max(moment(session.time), before), first
    if session.time:
        yield Event(number, "system", time, f"A conversation begins. Its time: {session.time}.")
        number += 1
    for speaker, span in turns_of(session, to, by):
        words = session.text[span.start : span.end].strip()
        if speaker == to:
            yield Event(number, "call", time, "I answer.", SPEAKS, {"message": words}, result="Sent.")
        else:
            yield Event(number, "user", time, words)
        number += 1


def moment(time: str) -> str:
    """A session's time in the format of events; "" if its format is unknown."""
    for form in TIMES:
        with suppress(ValueError):
            return _local(datetime.strptime(time.strip(), form))
    with suppress(ValueError):
        return _local(datetime.fromisoformat(time.strip()))
    return ""


def _local(time: datetime) -> str:
    return (time if time.tzinfo else at_local_time(time)).isoformat(timespec="seconds")


ENDED = (
    "This conversation with {by} has ended, and will leave your view. Write into your working context what you have "
    "learned in it that lasts, about {by} and about yourself; then wait."
)
AGAIN = "{by} is there again, and a new conversation begins. Speak first: send {by} a message."


class Talk(NamedTuple):
    """The speaker that an agent is (`to`), its partner, whether it notes what it learns, and what it knows before."""

    to: str
    by: str
    notes: bool
    known: tuple[str, str] = ("", "")


def group_by_talk(row: Row, items: Iterable[Item]) -> dict[Talk | None, list[Item]]:
    """The questions by the agent that they are asked to, which only `mem-gpt` is; None: asked as usual."""
    talks = defaultdict[Talk | None, list[Item]](list)
    for item in items:
        addressed = item.addressed if row.method.name == "mem-gpt" and row.context.model else None
        notes = bool(addressed and not addressed.message and row.context.agent_memory != "recall")
        talks[addressed and Talk(addressed.to, addressed.by, notes, addressed.known)].append(item)
    return talks


@dataclass
class ConversationReading(TextReading):
    """An agent in one run: it is the speaker `to` of the history and talks with `by`; the rest as in `Talk`."""

    to: str
    by: str
    notes: bool
    known: tuple[str, str]
    store: AgentStore = field(init=False)
    past: AgentFile = field(init=False)
    turns: dict[int, TextSpan] = field(init=False, default_factory=dict)  # the span of an event's turn, by its number

    async def remember(self, keep: ExchangeRecorder) -> dict[str, Any]:
        """Put the sessions into recall storage, and let the agent note what it learned if `notes` is set."""
        if not any(turns_of(session, self.to, self.by) for session in self.text.sessions):
            raise BadInput(f"In '{self.text.title}' neither {self.to} nor {self.by} says anything.")
        self.store = AgentStore(self.library.store)
        self.graph = build_chat(dated=False).compile(store=self.library.store)
        name, identity = self._name(), agent_id(self._name())
        of_self, of_other = (f" {facts}" if facts else "" for facts in self.known)
        known: dict[str, Any] = {"persona": f"I am {self.to}.{of_self}", "human": f"I talk with {self.by}.{of_other}"}
        blocks = [cast(Block, {**block, "text": known[block["label"]]}) for block in default_blocks(self.row.context)]
        agent = Agent(identity, name, local_now(), initial_state(name, blocks), archive_index(identity))
        state = agent.birth
        for session, place in zip(self.text.sessions, self.text.session_places, strict=True):
            state = await self._hear(session, place.start, state)
            if self.notes:
                await self.store.put_agent(replace(agent, birth=state))
                event = IncomingEvent(kind="system", text=ENDED.format(by=self.by))
                output = await self.invoke({"agent": name, "event": event}, keep, output_keys=[*LIFE])
                state = cast(AgentState, {channel: output[channel] for channel in LIFE})
        self.past = await make_agent_file(self.store, agent, {**state, "queue_from": state["events"]})
        return {
            "memory": identity,
            "fingerprint": "",
            "words": self.text.words,
            "page_words": [count_words(session.text) for session in self.text.sessions],
            "note_words": [count_words(block["text"]) for block in state["blocks"]],
        }

    async def answer(self, item: Item) -> Outcome:
        """Send the question's message to a copy of the agent and keep the reply; without one, let it speak first."""
        message = item.addressed.message if item.addressed else ""
        again = IncomingEvent(kind="system", text=AGAIN.format(by=self.by))
        event = IncomingEvent(kind="user", text=message) if message else again
        exchanges: list[ModelExchange] = []
        try:
            agent = await build_agent_from_file(self.store, self.past, self._name(item.id))
            output = await self.invoke({"agent": agent.name, "event": event}, ExchangeRecorder(exchanges.append))
        except ReadgraphError as problem:
            return self.fail(item, problem, exchanges)
        answer = "\n".join(output["said"]) or None
        read = tuple(self.turns[number] for number in dict.fromkeys(output["recalled"]) if number in self.turns)
        outcome = Outcome(
            *(item.id, self.row.name, self.run, output["status"], answer),
            read=read,
            usage=output["usage"],
            fallbacks=output["fallbacks"],
            memory=agent.id,
            by_rule=not answer,
        )
        outcome = self.keep_outcome(outcome, exchanges)
        await self.store.forget_agent(agent)
        return outcome

    async def _hear(self, session: SessionText, start: int, state: AgentState) -> AgentState:
        """Store a session's events; returns the agent's state with these in its queue and no earlier ones."""
        agent, first = agent_id(self._name()), state["events"]
        before = await self.store.events(agent, range(max(0, first - 1), first))
        events = [*session_events(session, self.to, self.by, first, max((event.at for event in before), default=""))]
        await self.store.put_events(agent, events)
        turns = [event.number for event in events if event.kind != "system"]
        for number, (_, span) in zip(turns, turns_of(session, self.to, self.by), strict=True):
            self.turns[number] = TextSpan(start + span.start, start + span.end)
        return {**state, "queue_from": first, "events": first + len(events)}

    def _name(self, question: str = "") -> str:
        """An agent's name. It is the same when the evaluation is continued, so that recorded replies are found."""
        name = f"{self.text.id} as {self.to} with {self.by}, run {self.run}"
        name += f", {self.row.name}" if self.row.own else ""
        return f"{name}, question {question}" if question else name
