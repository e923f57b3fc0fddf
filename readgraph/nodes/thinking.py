"""Think: the model sees its main context and names one function call (MemGPT, sections 2.1 and 2.4)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from readgraph.nodes.agent_contracts import LivingState, ThinkUpdate
from readgraph.nodes.asking import ask
from readgraph.nodes.event_text import call_line, most_event_words, queue_text
from readgraph.nodes.metering import fell_back
from readgraph.nodes.models import HOW_TO_NAME
from readgraph.nodes.plain_step import NeededArguments, plain_step
from readgraph.nodes.prompting import Prompt
from readgraph.nodes.prompts.agent import NextStep, agent_prompt
from readgraph.nodes.prompts.offered import offering
from readgraph.nodes.receiving import clock, keep
from readgraph.nodes.step import StepNode
from readgraph.nodes.working_context import blocks_text
from readgraph.state.agents import Event, agent_id, agent_store
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, NoUsableReply
from readgraph.state.living import Then
from readgraph.state.words import count_words

WARN_AT = 0.75
"""Share of the room that the window leaves to the queue; fuller, and the agent is warned (section 2.3, figure 3).

The paper gives no share; this is its authors' code's, there of the whole window."""

WARNING = (
    "Your queue is nearly full: its oldest events will soon leave your view. Save what matters of them in your working "
    "context or in archival storage."
)
NO_STEP = "Your replies could not be used as a function call, so this turn ended."
SPENT = "The budget of this turn was spent before you were done."

TAG_WORDS = 30
"""Words that the tags around the parts of a prompt may take."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around the memory in a prompt, and the functions offered; `dated`: events show their time."""

    system: str
    task: str
    functions: NeededArguments
    dated: bool = True


MakeFrame = Callable[[LivingState, Runtime[ReaderContext]], Awaitable[Frame]]


@dataclass(frozen=True, slots=True)
class MainContext:
    """What the model sees. `room` is what the window leaves to the queue, `queue_words` what that takes, in words."""

    prompt: Prompt
    events: list[Event]
    room: int
    queue_words: int


def summary_words(window_words: int) -> int:
    """Words that the summary of what has left the queue may have."""
    return window_words // 12


def reply_words(window_words: int) -> int:
    """Words that are left for the reply, for how it must look, and for what is wrong with it."""
    return max(350, window_words // 10)


async def main_context(state: LivingState, frame: Frame, runtime: Runtime[ReaderContext]) -> MainContext:
    """The main context; raises `BadInput` where the window is too small for what always stands in it."""
    window, store, agent = runtime.context.window_words, agent_store(runtime), agent_id(state["agent"])
    events = await store.events(agent, range(state["queue_from"], state["events"]))
    queue = queue_text(events, window, dated=frame.dated)
    blocks = blocks_text(state["blocks"])
    grown = sum(block["limit"] for block in state["blocks"]) - sum(count_words(b["text"]) for b in state["blocks"])
    fixed = sum(map(count_words, (frame.system, frame.task, blocks))) + grown + TAG_WORDS
    room = window - fixed - summary_words(window) - reply_words(window)
    if room < 2 * most_event_words(window):
        raise BadInput(
            f"The window of {window:,} words is too small: {fixed:,} of them are the agent's instructions, functions "
            "and blocks. Take a model with a larger one, and give its window_words."
        )
    summary = await store.summary(agent, state["summaries"])
    prompt = agent_prompt(frame.system, summary, queue, blocks, frame.task)
    return MainContext(prompt, events, room, count_words(queue))


def think_with(make_frame: MakeFrame) -> StepNode[Any]:
    """The node that asks for the next step. The queue is measured first: where it overflows, nothing is asked."""

    async def think(state: LivingState, runtime: Runtime[ReaderContext]) -> ThinkUpdate:
        """Ask for the next function call; it becomes an event that has no result yet."""
        frame = await make_frame(state, runtime)
        seen = await main_context(state, frame, runtime)
        if seen.queue_words > seen.room:
            return _update(state, seen, "evict", "the queue overflows")
        if seen.queue_words > WARN_AT * seen.room and not state["warned"]:
            await _tell(state, seen, WARNING, runtime)
            return {**_update(state, seen, "think", "warned of a full queue", events=1), "warned": True}
        try:
            reply = await _next_step(seen.prompt, frame.functions, runtime)
        except NoUsableReply:
            fell_back("step")
            await _tell(state, seen, NO_STEP, runtime)
            return {**_update(state, seen, "yield", "gave no usable step", events=1), "status": "no_answer"}
        call = _call(reply, state["events"], clock(seen.events))
        await keep(call, agent_id(state["agent"]), runtime)
        return {**_update(state, seen, "act", call_line(call), events=1), "calls": state["calls"] + 1}

    async def stop(state: LivingState, runtime: Runtime[ReaderContext]) -> ThinkUpdate:
        """The budget is spent: the turn ends, and the agent will see why."""
        if not runtime.context.model:
            raise BadInput(f"An agent needs a model: {HOW_TO_NAME}")
        seen = await main_context(state, await make_frame(state, runtime), runtime)
        await _tell(state, seen, SPENT, runtime)
        return {**_update(state, seen, "yield", "stopped", events=1), "status": "budget"}

    return StepNode(think, without_model=stop)


async def _next_step(prompt: Prompt, functions: NeededArguments, runtime: Runtime[ReaderContext]) -> NextStep:
    if runtime.context.reply_form == "plain":
        return await plain_step(prompt, functions, runtime)
    return await ask(runtime, prompt, offering(NextStep, function=functions))


def _call(reply: NextStep, number: int, at: str) -> Event:
    arguments = {argument.name: argument.value for argument in reply.arguments}
    return Event(number, "call", at, reply.inner_thoughts.strip(), reply.function.strip(), arguments, reply.run_on)


async def _tell(state: LivingState, seen: MainContext, text: str, runtime: Runtime[ReaderContext]) -> None:
    event = Event(state["events"], "system", clock(seen.events), text)
    await keep(event, agent_id(state["agent"]), runtime)


def _update(state: LivingState, seen: MainContext, then: Then, did: str, events: int = 0) -> ThinkUpdate:
    return {
        "events": state["events"] + events,
        "calls": state["calls"],
        "warned": state["warned"],
        "then": then,
        "room": seen.room,
        "status": "reading",
        "did": did,
    }
