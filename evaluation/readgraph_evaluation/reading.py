"""One row reads one text and answers the questions about it, or sums it up; the results are kept in the folder.

An agent is sent a question about the history in its recall storage as a message to a copy of it (MemGPT, section 3.1).
One that has to speak first writes after each session what it learned into its working context, and is told later that
its partner is there again.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from time import monotonic
from typing import Any, NamedTuple, cast
from uuid import uuid4

from langgraph.graph.state import CompiledStateGraph

from readgraph import BadInput, Library, PageStore, Question, ReaderContext, ReadgraphError
from readgraph.features.agents.archives import AgentFile, build_agent_from_file, make_agent_file
from readgraph.features.agents.mem_gpt import build_chat
from readgraph.features.agents.receive import LIFE, default_blocks
from readgraph.features.agents.state import AgentState, Block, IncomingEvent
from readgraph.features.agents.store import SPEAKS, AgentStore, Event, agent_id, new_agent
from readgraph.features.summary.state import SummaryWanted
from readgraph.graphs.methods import METHODS
from readgraph.language.calendars import at_local_time
from readgraph.language.terms import content_words
from readgraph.library.collections import add_collection
from readgraph.library.histories import SessionText, append_sessions
from readgraph.models.metering import ExchangeRecorder, FallBack, ModelExchange, exchanges_to
from readgraph.state.logs import new_run_part, use_run
from readgraph.state.reading import Citation
from readgraph.state.records import Document, digest
from readgraph.state.words import count_words, first_words
from readgraph_evaluation.folder import EvaluationFolder
from readgraph_evaluation.line_shapes import Cost, count_usage
from readgraph_evaluation.records import ChosenWebAction, Item, Outcome, Text, TextSpan
from readgraph_evaluation.rows import SUMMARY, EvaluationRow


@dataclass
class TextReading:
    """One method's reading of one text in one run; `build` must be called first."""

    library: Library
    folder: EvaluationFolder
    cost: Cost
    row: EvaluationRow
    run: int
    text: Text
    document: Document = field(init=False)
    graph: CompiledStateGraph[Any, ReaderContext, Any, Any] = field(init=False)

    async def build(self) -> None:
        """Build the method's memory of the text; each call is recorded when it ends, so that a stop loses none."""
        line = {"method": self.row.name, "run": self.run, "text": self.text.id, "process": uuid4().hex}
        line |= {"purpose": self.row.context.purpose} if self.row.context.purpose else {}
        since = monotonic()

        def keep(exchanges: Sequence[ModelExchange], call: str = "", **fields: Any) -> None:
            nonlocal since
            before, since = since, monotonic()
            self._keep_exchanges(exchanges, "")
            used = {**count_usage(exchanges, self.cost), "seconds": round(since - before, 3)}
            self.folder.append("memories", [{**line, "call": call, **fields, **used}])

        # By these digests, calls that are repeated when building goes on are recognised and counted once.
        def keep_exchange(exchange: ModelExchange) -> None:
            again = [exchange["repeated"]] if exchange["repeated"] else []
            keep([exchange], digest([(exchange["messages"], exchange["reply"]), *again]))

        def keep_fall_back(fall_back: FallBack) -> None:
            prompt = fall_back["after"] and fall_back["after"]["messages"][:2]
            counts = {fall_back["kind"]: fall_back["times"]}
            keep([], digest(["fall-back", fall_back["kind"], prompt]), fallbacks=counts)

        keep([], **await self.remember(ExchangeRecorder(keep_exchange, keep_fall_back)))

    async def remember(self, keep: ExchangeRecorder) -> dict[str, Any]:
        """Build the memory; returns its id, its recipe's fingerprint, and the sizes of its pages and notes."""
        pages = self.library.pages
        self.document = await add_text(pages, self.text)
        method, store = self.row.method, self.library.store
        # Summaries are made from ReadAgent's memory, whatever other memories the text has.
        self.graph = (METHODS["read-agent"] if method is SUMMARY else method).build().compile(store=store)
        output = await self.invoke(Question(document=self.document.id), keep)
        if method is SUMMARY:
            self.graph = method.build().compile(store=store)
        memory = await pages.memory(self.document.id, output["memory"])
        numbers = range(memory.pages)
        return {
            "memory": memory.id,
            "fingerprint": memory.recipe.fingerprint,
            "words": self.document.words,
            "page_words": [page.words for page in await pages.pages(memory.id, numbers)],
            "note_words": [note.words for note in await pages.notes(memory.id, numbers)],
        }

    async def answer(self, item: Item) -> Outcome:
        """Ask one question, and keep the outcome."""
        exchanges: list[ModelExchange] = []
        try:
            output = await self.invoke(graph_input(self.row, self.document, item), ExchangeRecorder(exchanges.append))
        except ReadgraphError as problem:
            return self.fail(item, problem, exchanges)
        read = await self.library.pages.pages(output["memory"], output["pages_read"])
        hops, action = output.get("hops"), output.get("action")
        seen = sum(hop["shown_words"] for hop in hops or ())  # words of notes and segments (MemWalker, figure 4)
        findings = output["findings"] if self.row.context.best_chunk else ()  # the chunks' own answers
        acted = None
        if action and action["outcome"] == "act":
            acted = ChosenWebAction(action["element"], action["operation"], action["value"] or "")
        taken = ("status", "answer", "compression_rate", "usage", "fallbacks", "memory", "by_rule")
        outcome = Outcome(
            *(item.id, self.row.name, self.run),
            **{name: output[name] for name in taken},
            choice=_option_of(output["choice"]),
            read=tuple(TextSpan(page.start, page.end) for page in read),
            cited=tuple(TextSpan(cited["start"], cited["end"]) for cited in output["citations"]),
            look_ups=len(read),
            hops=None if hops is None else len(hops),
            strayed=None if hops is None else any(hop["action"] == "revert" for hop in hops),
            percent_read=output.get("percent_read"),
            percent_shown=None if hops is None else round(100 * seen / max(self.document.words, 1), 2),
            action=acted,
            alternatives=tuple((finding["text"], _option_of(finding["choice"])) for finding in findings),
            confidence=_share_quoted(item.question, output["citations"]),
        )
        return self.keep_outcome(outcome, exchanges)

    def fail(self, item: Item, problem: ReadgraphError, exchanges: Sequence[ModelExchange] = ()) -> Outcome:
        """Keep that a question could not be answered, with the reason and the exchanges before the failure."""
        outcome = Outcome(item.id, self.row.name, self.run, "failed", problem=str(problem))
        return self.keep_outcome(outcome, exchanges)

    async def invoke(self, value: Any, keep: ExchangeRecorder, **options: Any) -> dict[str, Any]:
        """Run the graph with this input and return its output; model exchanges go to `keep`."""
        with exchanges_to(*keep), use_run(new_run_part(method=self.row.name)):
            output: dict[str, Any] = await self.graph.ainvoke(value, context=self.row.context, **options)
        return output

    def keep_outcome(self, outcome: Outcome, exchanges: Sequence[ModelExchange]) -> Outcome:
        """Keep an outcome with what these exchanges took."""
        outcome = replace(outcome, **count_usage(exchanges, self.cost))
        self._keep_exchanges(exchanges, outcome.item)
        self.folder.keep_outcome(outcome)
        return outcome

    def _keep_exchanges(self, exchanges: Iterable[ModelExchange], item: str) -> None:
        origin = {"method": self.row.name, "run": self.run, "text": self.text.id, "item": item}
        lines = [{**origin, **exchange} for exchange in exchanges]
        for line in lines:
            del line["recorded"]  # so that a run that was stopped writes what another one writes
        self.folder.append("exchanges", lines)


def graph_input(row: EvaluationRow, document: Document, item: Item) -> Mapping[str, Any]:
    """The graph's input for a question; a summary has no subject where all of the text is to be summed up."""
    if row.method is SUMMARY:
        whole = SummaryWanted(document=document.id)
        return whole if item.summary else {**whole, "question": item.question}
    question = Question(document=document.id, question=item.question, options=list(item.options))
    return {**question, **({"history": list(item.step.history)} if item.step else {})}


async def add_text(pages: PageStore, text: Text) -> Document:
    """Store a text: one with sessions as a history, several documents as a collection, others as a document."""
    if text.sessions:
        return (await append_sessions(pages, text.id, text.sessions)).document
    if text.documents:
        added = list[Document]()
        for document in text.documents_to_store:
            first_line = document.strip().partition("\n")[0]
            added.append(await pages.add_document(document, title=first_words(first_line, 12)))
        return await add_collection(pages, added, title=text.title)
    return await pages.add_document(text.text, title=text.title)


def _share_quoted(question: str, citations: Sequence[Citation]) -> float:
    """The share of the question's words that the quote with most of them has; 0 without a quote."""
    asked = {*content_words(question)}
    shares = (len(asked & {*content_words(citation["quote"])}) / max(len(asked), 1) for citation in citations)
    return round(max(shares, default=0.0), 3)


def _option_of(letter: str | None) -> int | None:
    return None if letter is None else ord(letter) - ord("A")


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
    for form in (*TIMES, None):
        with suppress(ValueError):
            at = datetime.strptime(time.strip(), form) if form else datetime.fromisoformat(time.strip())
            return (at if at.tzinfo else at_local_time(at)).isoformat(timespec="seconds")
    return ""


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


def group_by_talk(row: EvaluationRow, items: Iterable[Item]) -> dict[Talk | None, list[Item]]:
    """The questions by the agent that they are asked to, which only `mem-gpt` is; None: asked as usual."""
    talks = defaultdict[Talk | None, list[Item]](list)
    for item in items:
        addressed = item.addressed if row.method.name == "mem-gpt" and row.context.model else None
        notes = bool(addressed and not addressed.message and row.context.agent_memory != "recall")
        talks[addressed and Talk(addressed.to, addressed.by, notes, addressed.known)].append(item)
    return talks


@dataclass
class ConversationReading(TextReading):
    """An agent in one run, which is one of the speakers of the history."""

    talk: Talk
    store: AgentStore = field(init=False)
    past: AgentFile = field(init=False)
    turns: dict[int, TextSpan] = field(init=False, default_factory=dict)  # the span of an event's turn, by its number

    async def remember(self, keep: ExchangeRecorder) -> dict[str, Any]:
        """Put the sessions into recall storage, and let the agent note what it learned if `notes` is set."""
        if not any(turns_of(session, self.talk.to, self.talk.by) for session in self.text.sessions):
            raise BadInput(f"In '{self.text.title}' neither {self.talk.to} nor {self.talk.by} says anything.")
        self.store = AgentStore(self.library.store)
        self.graph = build_chat(dated=False).compile(store=self.library.store)
        name = self._name()
        of_self, of_other = (f" {facts}" if facts else "" for facts in self.talk.known)
        texts = {"persona": f"I am {self.talk.to}.{of_self}", "human": f"I talk with {self.talk.by}.{of_other}"}
        blocks = [cast(Block, {**block, "text": texts[block["label"]]}) for block in default_blocks(self.row.context)]
        agent = new_agent(name, blocks)
        state = agent.birth
        for session, place in zip(self.text.sessions, self.text.session_places, strict=True):
            state = await self._hear(session, place.start, state)
            if self.talk.notes:
                await self.store.put_agent(replace(agent, birth=state))
                event = IncomingEvent(kind="system", text=ENDED.format(by=self.talk.by))
                output = await self.invoke({"agent": name, "event": event}, keep, output_keys=[*LIFE])
                state = cast(AgentState, {channel: output[channel] for channel in LIFE})
        self.past = await make_agent_file(self.store, agent, {**state, "queue_from": state["events"]})
        return {
            "memory": agent.id,
            "fingerprint": "",
            "words": self.text.words,
            "page_words": [count_words(session.text) for session in self.text.sessions],
            "note_words": [count_words(block["text"]) for block in state["blocks"]],
        }

    async def answer(self, item: Item) -> Outcome:
        """Send the question's message to a copy of the agent and keep the reply; without one, let it speak first."""
        message = item.addressed.message if item.addressed else ""
        again = IncomingEvent(kind="system", text=AGAIN.format(by=self.talk.by))
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
        latest = max((event.at for event in before), default="")
        events = [*session_events(session, self.talk.to, self.talk.by, first, latest)]
        await self.store.put_events(agent, events)
        turns = [event.number for event in events if event.kind != "system"]
        for number, (_, span) in zip(turns, turns_of(session, self.talk.to, self.talk.by), strict=True):
            self.turns[number] = TextSpan(start + span.start, start + span.end)
        return {**state, "queue_from": first, "events": first + len(events)}

    def _name(self, question: str = "") -> str:
        """An agent's name. It is the same when the evaluation is continued, so that recorded replies are found."""
        name = f"{self.text.id} as {self.talk.to} with {self.talk.by}, run {self.run}"
        name += f", {self.row.name}" if self.row.own else ""
        return f"{name}, question {question}" if question else name
