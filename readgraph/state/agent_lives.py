"""Agents of a library: their newest state, taking a turn back, forgetting them."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START
from langgraph.graph.state import CompiledStateGraph

from readgraph.state.agents import Agent, AgentStore, agent_id, thread_of
from readgraph.state.build_lock import building
from readgraph.state.errors import BadInput
from readgraph.state.library import Library
from readgraph.state.living import AgentState, IncomingEvent, load_life

__all__ = ["agent_config", "undo_turn"]

KEPT_TURNS = 50
"""How many of the newest turns can be taken back."""

BY_USER = ("user", "upload")
"""Kinds of events that come from a user."""

BY_ANYONE = (*BY_USER, "system", "timer")

# Rows are in the order of writing. Ids are in the order of the clock, which may have been set back.
_OLDEST_KEPT = """
    SELECT rowid FROM checkpoints
    WHERE thread_id = ? AND CAST(metadata AS TEXT) LIKE '%"source": "input"%'
    ORDER BY rowid DESC LIMIT 1 OFFSET ?
"""
# A checkpoint and its ancestors.
_LINE = """
    WITH RECURSIVE line(id) AS (
        SELECT ?2 UNION SELECT parent_checkpoint_id FROM line JOIN checkpoints ON thread_id = ?1 AND checkpoint_id = id
        WHERE parent_checkpoint_id IS NOT NULL
    )
"""
_OLDER = "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND rowid < ?"


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

    `begun_by` names other kinds of events that may have begun it. Returns the events that had arrived, the user's
    first; an empty list if there is no such turn. The agent goes on from the checkpoint before that turn: working
    context, queue, recall and archival storage are as they were then. What these turns wrote lies beyond the agent's
    counts and will be overwritten.
    """
    checkpointer = cast("BaseCheckpointSaver[Any]", graph.checkpointer)
    config: RunnableConfig | None = agent_config(name)
    taken = list[IncomingEvent]()
    while config and (saved := await checkpointer.aget_tuple(config)):
        arrival = (saved.checkpoint["channel_values"].get(START) or {}).get("event")
        if saved.metadata["source"] == "input" and arrival:
            taken.insert(0, cast(IncomingEvent, arrival))
            if arrival["kind"] in begun_by:
                return taken if await _go_back(graph, checkpointer, saved.parent_config, name) else []
        config = saved.parent_config
    return []


async def _go_back(
    graph: CompiledStateGraph[Any, Any, Any, Any],
    checkpointer: BaseCheckpointSaver[Any],
    before: RunnableConfig | None,
    name: str,
) -> bool:
    """Go back to this checkpoint (None: the initial state); returns false if it was dropped because of its age."""
    if before is None:
        await checkpointer.adelete_thread(thread_of(agent_id(name)))
    elif await checkpointer.aget_tuple(before) is None:
        return False
    else:
        await graph.aupdate_state(before, None, as_node="__copy__")
    return True


async def drop_old_checkpoints(library: Library, name: str) -> None:
    """Keep only the checkpoints of the newest turns: all of them would fill the disk over time."""
    saver, thread = library.checkpointer, thread_of(agent_id(name))

    def drop() -> None:
        with saver.cursor() as cursor:
            if row := cursor.execute(_OLDEST_KEPT, (thread, KEPT_TURNS)).fetchone():
                for table in ("writes", "checkpoints"):
                    older = f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_id IN ({_OLDER})"
                    cursor.execute(older, (thread, thread, row[0]))

    await saver.run(drop)


async def repair_agent(
    library: Library, graph: CompiledStateGraph[Any, Any, Any, Any], name: str
) -> list[IncomingEvent]:
    """Take back a turn that did not finish, without asking a model, and free the disk space of all undone turns.

    Returns the events that had arrived; an empty list if no turn is unfinished. Raises `BadInput` if it can't be
    taken back.
    """
    taken = list[IncomingEvent]()
    if (await graph.aget_state(agent_config(name))).next:
        taken = await undo_turn(graph, name, BY_ANYONE)
        if not taken:
            raise BadInput(f"The unfinished turn of '{name}' can't be taken back: its checkpoints are gone.")
    saver, thread = library.checkpointer, thread_of(agent_id(name))
    newest = await saver.aget_tuple(agent_config(name))
    line = (thread, newest.config["configurable"]["checkpoint_id"] if newest else "")

    def free() -> None:
        with saver.cursor() as cursor:
            for table in ("writes", "checkpoints"):
                cursor.execute(f"{_LINE} DELETE FROM {table} WHERE thread_id = ?1 AND checkpoint_id NOT IN line", line)
        with saver.lock:
            saver.conn.execute("VACUUM")

    await saver.run(free)
    return taken


async def forget_agent(library: Library, agent: Agent) -> None:
    """Delete an agent with everything that it remembers; the documents it has read stay in the library."""
    async with building(library.store, thread_of(agent.id)):  # no turn runs meanwhile
        await library.checkpointer.adelete_thread(thread_of(agent.id))
        await AgentStore(library.store).forget_agent(agent)
