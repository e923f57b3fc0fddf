"""Agents of a library: their newest state, taking a turn back, forgetting them."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START
from langgraph.graph.state import CompiledStateGraph

from readgraph.features.agents.state import AgentState, IncomingEvent, load_life
from readgraph.features.agents.store import Agent, AgentStore, agent_id, thread_of
from readgraph.library.checkpointer import steps_back
from readgraph.library.opening import Library
from readgraph.library.store import hold_build_lock
from readgraph.state.errors import BadInput

__all__ = ["agent_config", "undo_turn"]

KEPT_TURNS = 50  # how many of the newest turns can be taken back
BY_USER = ("user", "upload")  # kinds of events that come from a user
BY_ANYONE = (*BY_USER, "system", "timer")


def agent_config(name: str) -> RunnableConfig:
    """The configuration that names this agent's thread in a checkpointer."""
    return {"configurable": {"thread_id": thread_of(agent_id(name))}}


async def agent_state_of(checkpointer: BaseCheckpointSaver[Any], agent: Agent) -> AgentState:
    """An agent's state in its newest checkpoint, or its initial state if it has no checkpoint."""
    saved = await checkpointer.aget_tuple(agent_config(agent.name))
    channels: Mapping[str, Any] = saved.checkpoint["channel_values"] if saved else {}
    if "blocks" not in channels:
        return agent.birth
    return load_life({channel: channels.get(channel) for channel in AgentState.__annotations__})


async def undo_turn(
    graph: CompiledStateGraph[Any, Any, Any, Any], name: str, begun_by: Sequence[str] = BY_USER
) -> list[IncomingEvent]:
    """Take back the newest turn that a user began (by a message or an upload), and the timer's turns after it.

    The agent goes on from the checkpoint before that turn: working context, queue, recall and archival storage are as
    they were then. What these turns wrote lies beyond the agent's counts and will be overwritten.

    Args:
        graph: The compiled graph of the agent, with the checkpointer that holds its thread.
        name: The agent's name.
        begun_by: The kinds of events that may have begun the turn.

    Returns:
        The events that had arrived, the user's first; an empty list if there is no such turn.
    """
    checkpointer = cast("BaseCheckpointSaver[Any]", graph.checkpointer)
    taken = list[IncomingEvent]()
    async for saved in steps_back(checkpointer, agent_config(name)):
        arrival = (saved.checkpoint["channel_values"].get(START) or {}).get("event")
        if saved.metadata["source"] == "input" and arrival:
            taken.insert(0, cast(IncomingEvent, arrival))
            if arrival["kind"] in begun_by:
                if saved.parent_config is None:  # the turn was the agent's first
                    await checkpointer.adelete_thread(thread_of(agent_id(name)))
                elif await checkpointer.aget_tuple(saved.parent_config) is None:  # dropped because of its age
                    return []
                else:
                    await graph.aupdate_state(saved.parent_config, None, as_node="__copy__")
                return taken
    return []


async def drop_old_checkpoints(library: Library, name: str) -> None:
    """Keep only the checkpoints of the newest turns: all of them would fill the disk over time."""
    saver, thread = library.checkpointer, thread_of(agent_id(name))
    await saver.run(lambda: saver.drop_turns(thread, KEPT_TURNS))


async def is_unfinished(graph: CompiledStateGraph[Any, Any, Any, Any], name: str) -> bool:
    """Whether a turn of the agent was begun and not finished: then its node is among the tasks.

    LangGraph's `next` is empty where a process was killed before the step was committed.
    """
    return bool((await graph.aget_state(agent_config(name))).tasks)


async def has_lived(graph: CompiledStateGraph[Any, Any, Any, Any], name: str) -> bool:
    """Whether the agent has a checkpoint with its state; until then it is as its record says."""
    return "blocks" in (await graph.aget_state(agent_config(name))).values


async def repair_agent(
    library: Library, graph: CompiledStateGraph[Any, Any, Any, Any], name: str
) -> list[IncomingEvent]:
    """Take back an unfinished turn, without asking a model, and free the disk space of all undone turns.

    Returns the events that had arrived, if any; raises `BadInput` where the turn can't be taken back.
    """
    taken = list[IncomingEvent]()
    if await is_unfinished(graph, name):
        taken = await undo_turn(graph, name, BY_ANYONE)
        if not taken:
            raise BadInput(f"The unfinished turn of '{name}' can't be taken back: its checkpoints are gone.")
    saver, thread = library.checkpointer, thread_of(agent_id(name))
    newest = await saver.aget_tuple(agent_config(name))
    last = newest.config["configurable"]["checkpoint_id"] if newest else ""
    await saver.run(lambda: saver.drop_undone(thread, last))
    return taken


async def forget_agent(library: Library, agent: Agent) -> None:
    """Delete an agent with everything that it remembers; the documents it has read stay in the library."""
    async with hold_build_lock(library.store, thread_of(agent.id)):  # no turn runs meanwhile
        await library.checkpointer.adelete_thread(thread_of(agent.id))
        await AgentStore(library.store).forget_agent(agent)
