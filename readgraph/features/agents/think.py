"""Think and act: the model names a function, which is run, until the turn ends (MemGPT, sections 2.1 and 2.4).

It sees the functions of those parts of its memory that it may use (table 3): of its working context, its recall
storage, or both. Its memory goes on being kept in either case.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, cast

from langchain_core.messages import AIMessage

from readgraph.features.agents import prompts
from readgraph.features.agents.contracts import ActUpdate, AgentTurnState, ThinkState, ThinkUpdate
from readgraph.features.agents.functions import RECALL_FUNCTIONS, WORKING_FUNCTIONS, Functions
from readgraph.features.agents.memory import MemGptMemory, blocks_text, call_line, cut_to, most_event_words, queue_text
from readgraph.features.agents.prompts import NextStep, agent_prompt, ask_step
from readgraph.features.agents.reader_functions import meaning_search
from readgraph.features.agents.receive import LIFE, clock, keep
from readgraph.features.agents.settings import Chaining, MemoryParts, MemoryPressure
from readgraph.features.agents.state import AgentState, TurnStep
from readgraph.features.agents.store import Event, agent_id, agent_store
from readgraph.models.metering import count_fallback, current_meter
from readgraph.models.names import HOW_TO_NAME
from readgraph.models.prompt import Prompt
from readgraph.nodes.bounds import within_loop_limit
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.prompts import talk_language_line
from readgraph.nodes.step import StepNode, node
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import Groups
from readgraph.state.errors import BadInput, NoUsableReply
from readgraph.state.reading import Status
from readgraph.state.settings import Embeddings, Language, Window
from readgraph.state.words import count_words, first_words

HIDDEN = {
    "both": frozenset[str](),
    "working": frozenset(tool.name for tool in RECALL_FUNCTIONS),
    "recall": frozenset(tool.name for tool in WORKING_FUNCTIONS),
}
"""The functions that are not offered."""

MEMORY = HIDDEN["working"] | HIDDEN["recall"]

SWITCHED_OFF = {
    "both": "",
    "working": "Recall storage is switched off: what leaves your view can't be searched.",
    "recall": "There is no working context: you can't write anything down there.",
}
"""What the agent is told, since its instructions speak of both."""


def usable(functions: Functions, context: ReaderContext) -> Functions:
    """The functions for the parts of the memory that the agent may use, and for the searches that there are."""
    hidden = HIDDEN[context.agent_memory] if MEMORY & functions.tools.keys() else frozenset()
    if functions.tools.get(meaning_search.name) is meaning_search and not context.embeddings:
        hidden |= {meaning_search.name}
    return functions.without(hidden)


CHAIN = ("think", "evict", "act")  # the nodes of an agent's chain of calls, by their names in its graphs
WARNING = (
    "Your queue is nearly full: its oldest events will soon leave your view. Save what matters of them in your working "
    "context or in archival storage."
)
NO_STEP = "Your replies could not be used as a function call, so this turn ended."
SPENT = "The budget of this turn was spent before you were done."
ENDLESS = "This turn went on without an end, so it ended here."
TOO_LARGE = (
    "This call was too large, and only its beginning was kept: give at most {arguments} arguments, of {characters:,} "
    "characters together."
)

MOST_ARGUMENTS, LONGEST_NAME = 50, 100  # most arguments of a call, and most characters of a name
OF_A_WORD = 10  # most characters of a call's arguments, per word of the window
KEPT_OF_LARGE = 100  # characters kept of each argument, if a call is too large
TAG_WORDS = 30  # most words of the tags around the parts of a prompt


@dataclass(frozen=True, slots=True)
class Frame:
    """The parts of a prompt around the memory; `dated`: events show their time; `warning`: of a full queue, or ""."""

    system: str
    task: str
    dated: bool = True
    warning: str = WARNING


MakeFrame = Callable[[AgentTurnState, ReaderContext, Functions, str], Frame]
"""Makes the frame for a state, the functions that the agent may call, and its own instructions."""


@dataclass(frozen=True, slots=True)
class MainContext:
    """What the model sees. `room`: words that the window leaves for the queue; `queue_words`: words in the queue."""

    prompt: Prompt
    events: list[Event]
    room: int
    queue_words: int


def summary_words(window_words: int) -> int:
    """Most words of the summary of evicted events."""
    return window_words // 12


def reply_words(window_words: int) -> int:
    """Words reserved for the reply, for its schema, and for the reason if it is refused."""
    return max(350, window_words // 10)


def message_id(agent: str, event: int) -> str:
    """The id of the chat message that an agent says with this event, also while it is streamed."""
    return f"{agent}-{event}"


async def main_context(state: AgentTurnState, frame: Frame, runtime: ReaderRuntime) -> MainContext:
    """The main context; raises `BadInput` if the window is too small for its fixed parts."""
    window, store, agent = runtime.context.window_words, agent_store(runtime), agent_id(state["agent"])
    events = await store.events(agent, range(state["queue_from"], state["events"]))
    queue = queue_text(events, window, dated=frame.dated)
    shown = [] if state["blocks"] and runtime.context.agent_memory == "recall" else state["blocks"]
    blocks = blocks_text(shown)
    grown = sum(block["limit"] for block in shown) - sum(count_words(block["text"]) for block in shown)
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


def think_with(
    functions: Functions, make_frame: MakeFrame, *, settings: Groups = (MemoryParts, MemoryPressure)
) -> StepNode[ThinkState, ThinkUpdate]:
    """The node that asks for the next step, or leads to `evict`; `settings`: further groups that shape the frame."""

    async def frame_of(state: AgentTurnState, runtime: ReaderRuntime) -> Frame:
        agent = await agent_store(runtime).require_agent(state["agent"])
        return make_frame(state, runtime.context, usable(functions, runtime.context), agent.instructions)

    async def think_without_model(state: ThinkState, runtime: ReaderRuntime) -> ThinkUpdate:
        """If the budget is spent: end the turn, with an event that says why."""
        if not runtime.context.model:
            raise BadInput(f"An agent needs a model: {HOW_TO_NAME}")
        seen = await main_context(state, await frame_of(state, runtime), runtime)
        return await _tell(state, seen, SPENT, "stopped", runtime, "budget")

    @node(without_model=think_without_model, settings=(Chaining, Language, Window, *settings))
    async def think(state: ThinkState, runtime: ReaderRuntime) -> ThinkUpdate:
        """Ask for the next function call, which becomes an event without a result."""
        frame = await frame_of(state, runtime)
        seen = await main_context(state, frame, runtime)
        if not within_loop_limit(state, CHAIN, lambda context: context.max_chain):
            return await _tell(state, seen, ENDLESS, "went on without an end", runtime, "no_answer")
        if seen.queue_words > seen.room:
            return _update(state, seen, "evict", "the queue overflows")
        if frame.warning and not state["warned"] and 100 * seen.queue_words > runtime.context.warn_at * seen.room:
            return await _tell(state, seen, frame.warning, "warned of a full queue", runtime)
        current_meter().message.id = message_id(agent_id(state["agent"]), state["events"])
        try:
            reply = await ask_step(seen.prompt, usable(functions, runtime.context).arguments_needed, runtime)
        except NoUsableReply:
            count_fallback("step")
            return await _tell(state, seen, NO_STEP, "gave no usable step", runtime, "no_answer")
        call = _call(reply, state["events"], clock(seen.events), runtime.context.window_words)
        await keep(call, agent_id(state["agent"]), runtime)
        return {**_update(state, seen, "act", call_line(call), events=1), "calls": state["calls"] + 1}

    return think


def _call(reply: NextStep, number: int, time: str, window_words: int) -> Event:
    """The call as an event. Events are kept for ever, so a call that is too large is cut and counts as failed."""
    thoughts = first_words(reply.inner_thoughts.strip(), most_event_words(window_words))
    arguments = {argument.name[:LONGEST_NAME]: argument.value for argument in reply.arguments[:MOST_ARGUMENTS]}
    call = Event(
        number, "call", time, thoughts, reply.function.strip()[:LONGEST_NAME], arguments, reply.request_heartbeat
    )
    most = OF_A_WORD * window_words
    if len(reply.arguments) <= MOST_ARGUMENTS and sum(map(len, arguments.values())) <= most:
        return call
    kept = {name: value[:KEPT_OF_LARGE] for name, value in arguments.items()}
    refused = TOO_LARGE.format(arguments=MOST_ARGUMENTS, characters=most)
    return replace(call, arguments=kept, result=refused, failed=True)


async def _tell(
    state: AgentTurnState,
    context: MainContext,
    text: str,
    summary: str,
    runtime: ReaderRuntime,
    ended: Status | None = None,
) -> ThinkUpdate:
    """The update after an event with this text from the system, which warns the agent or has `ended` its turn."""
    event = Event(state["events"], "system", clock(context.events), text)
    await keep(event, agent_id(state["agent"]), runtime)
    update = _update(state, context, "yield" if ended else "think", summary, events=1)
    return {**update, "status": ended} if ended else {**update, "warned": True}


def _update(
    state: AgentTurnState, context: MainContext, next_step: TurnStep, summary: str, events: int = 0
) -> ThinkUpdate:
    return {
        "events": state["events"] + events,
        "calls": state["calls"],
        "warned": state["warned"],
        "next_step": next_step,
        "room": context.room,
        "status": "reading",
        "step_summary": summary,
    }


def chat_frame(
    state: AgentTurnState, context: ReaderContext, functions: Functions, instructions: str, *, dated: bool = True
) -> Frame:
    """For an agent that lives on: its own instructions come after the functions; `dated`: events show their time."""
    task = f"{_describe_storages(state, context)}\n\n{_calls_left(state, context)}"
    line = talk_language_line(context.language)
    own = {"own": instructions, "instructions": instructions}  # if there are any, they stand last
    system = prompts.AGENT_CHAT.instructions(functions=functions.descriptions, **own)
    return Frame(system, " ".join(filter(None, [task, line])), dated)


def question_frame(state: AgentTurnState, context: ReaderContext, functions: Functions, instructions: str) -> Frame:
    """For an agent that answers a question; events show no times, so that a repeated question finds its replies."""
    task = [instructions, _describe_storages(state, context), _calls_left(state, context)]
    return Frame(prompts.AGENT_READING.instructions(functions=functions.descriptions), "\n\n".join(task), dated=False)


def plain_frame(state: AgentTurnState, context: ReaderContext, functions: Functions, instructions: str) -> Frame:
    """For a reader that answers a question and has no memory to keep anything in: what leaves its view is gone."""
    task = f"{instructions}\n\n{_calls_left(state, context)}"
    return Frame(prompts.PLAIN_READER.instructions(functions=functions.descriptions), task, dated=False, warning="")


def _describe_storages(state: AgentTurnState, context: ReaderContext) -> str:
    return (
        f"In recall storage: {state['events']} events. In archival storage: {state['passages']} passages of your own, "
        f"{len(state['documents'])} documents. {SWITCHED_OFF[context.agent_memory]}"
    ).rstrip()


def _calls_left(state: AgentTurnState, context: ReaderContext) -> str:
    left = context.max_chain - state["calls"]
    last = " This is the last one: say what you have to say." if left == 1 else ""
    return f"Call your next function; you may call {left} more in this turn.{last}"


CHAIN_ENDED = "You called {calls} functions in this turn, as many as you may, so it ended here."


def act_with(functions: Functions) -> StepNode[AgentTurnState, ActUpdate]:
    """The node that acts for an agent that lives on."""

    @node(settings=(Chaining, MemoryParts, Window, Embeddings), alone=True)
    async def act(state: AgentTurnState, runtime: ReaderRuntime) -> ActUpdate:
        """Run the function; its result or error is added to the call's event."""
        return (await run_call(state, functions, runtime))[0]

    return act


async def run_call(
    state: AgentTurnState, functions: Functions, runtime: ReaderRuntime
) -> tuple[ActUpdate, MemGptMemory]:
    """Run the newest event's call; returns the update, and the memory that the function worked on.

    The turn goes on if the model asked for it, after an error, and while the user waits for a message, since an agent
    that only edits its memory would leave the user without one. `max_chain` bounds the turn.
    """
    identity, memory = agent_id(state["agent"]), await _open_memory(state, runtime)
    call = await memory.store.event(identity, state["events"] - 1)
    result, failed = await usable(functions, runtime.context).call(call, memory)
    call = replace(call, result=cut_to(result, most_event_words(runtime.context.window_words)), failed=failed)
    await keep(call, identity, runtime)
    owes_reply = state["owes_reply"] and not memory.said and memory.given is None
    goes_on = memory.given is None and (failed or call.request_heartbeat or owes_reply)
    ended = goes_on and state["calls"] >= runtime.context.max_chain
    if ended:
        note = Event(state["events"], "system", clock([call]), CHAIN_ENDED.format(calls=state["calls"]))
        await keep(note, identity, runtime)
    next_step: TurnStep = "think" if goes_on and not ended else "yield"
    update: ActUpdate = {
        "blocks": memory.life["blocks"],
        "events": state["events"] + ended,
        "archive": memory.life["archive"],
        "passages": memory.life["passages"],
        "next_step": next_step,
        "owes_reply": owes_reply,
        "said": memory.said,
        "recalled": memory.recalled,
        "status": "reading" if next_step == "think" else "answered" if memory.said else "no_answer",
        "step_summary": f"{call.function} failed: {result}" if failed else call_line(call),
    }
    if state.get("messages"):  # a chat client
        new = memory.said[len(state["said"]) :]
        update["messages"] = [AIMessage(text, id=message_id(identity, call.number)) for text in new]
    return update, memory


async def _open_memory(state: AgentTurnState, runtime: ReaderRuntime) -> MemGptMemory:
    store, channels = agent_store(runtime), cast("dict[str, Any]", state)
    return MemGptMemory(
        await store.require_agent(state["agent"]),
        store,
        runtime.context,
        life=cast(AgentState, {channel: deepcopy(channels[channel]) for channel in LIFE}),
        began_at=state["began_at"],
        choices=channels.get("choices", {}),
        said=[*state["said"]],
        recalled=[*state["recalled"]],
    )
