"""Act: run the function that the model called, and continue or end the turn (MemGPT, section 2.4)."""

from copy import deepcopy
from dataclasses import replace
from typing import Any, cast

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from readgraph.library.agents import Agent, Event, agent_id, agent_store
from readgraph.nodes.agent.contracts import ActUpdate, AgentTurnState
from readgraph.nodes.agent.functions import Functions
from readgraph.nodes.agent.memory import AgentMemory, call_line, cut_to, message_id, most_event_words
from readgraph.nodes.agent.receive import LIFE, clock, keep
from readgraph.nodes.agent.think import usable
from readgraph.nodes.step import StepNode
from readgraph.state.agent import AgentState, TurnStep
from readgraph.state.context import ReaderContext
from readgraph.state.settings import Chaining, Embeddings, MemoryParts, Window

CHAIN_ENDED = "You called {calls} functions in this turn, as many as you may, so it ended here."


def act_with(functions: Functions) -> StepNode[AgentTurnState, ActUpdate]:
    """The node that acts for an agent that lives on."""

    async def act(state: AgentTurnState, runtime: Runtime[ReaderContext]) -> ActUpdate:
        """Run the function; its result or error is added to the call's event."""
        return (await run_call(state, functions, runtime))[0]

    return StepNode(act, settings=(Chaining, MemoryParts, Window, Embeddings))


async def run_call(
    state: AgentTurnState, functions: Functions, runtime: Runtime[ReaderContext]
) -> tuple[ActUpdate, AgentMemory]:
    """Run the newest event's call; returns the update, and the memory that the function worked on.

    The turn goes on if the model asked for it, after an error, and while the user waits for a message, since an agent
    that only edits its memory would leave the user without one. `max_chain` bounds the turn.
    """
    store, identity = agent_store(runtime), agent_id(state["agent"])
    call = await store.event(identity, state["events"] - 1)
    memory = _memory(state, await store.require_agent(state["agent"]), runtime)
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
    silent = not memory.said
    update: ActUpdate = {
        "blocks": memory.life["blocks"],
        "events": state["events"] + ended,
        "archive": memory.life["archive"],
        "passages": memory.life["passages"],
        "next_step": next_step,
        "owes_reply": owes_reply,
        "said": memory.said,
        "recalled": memory.recalled,
        "status": "reading" if next_step == "think" else "no_answer" if silent else "answered",
        "step_summary": f"{call.function} failed: {result}" if failed else call_line(call),
    }
    if state.get("messages"):  # a chat client
        new = memory.said[len(state["said"]) :]
        update["messages"] = [AIMessage(text, id=message_id(identity, call.number)) for text in new]
    return update, memory


def _memory(state: AgentTurnState, agent: Agent, runtime: Runtime[ReaderContext]) -> AgentMemory:
    channels = cast("dict[str, Any]", state)
    return AgentMemory(
        agent,
        agent_store(runtime),
        runtime.context,
        life=cast(AgentState, {channel: deepcopy(channels[channel]) for channel in LIFE}),
        began_at=state["began_at"],
        choices=channels.get("choices", {}),
        said=[*state["said"]],
        recalled=[*state["recalled"]],
    )
