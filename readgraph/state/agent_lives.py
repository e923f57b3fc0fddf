"""Agents of a library: how far their lives have come, taking a turn back, forgetting them."""

from collections.abc import Mapping
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START
from langgraph.graph.state import CompiledStateGraph

from readgraph.state.agents import Agent, AgentStore, agent_id, thread_of
from readgraph.state.library import Library
from readgraph.state.living import Arrival, Life

KEPT_TURNS = 50
"""Turns that can be taken back."""

BY_USER = ("user", "upload")
"""Kinds of the events that a user brings about."""


# Checkpoint ids are in the order of time.
_OLDEST_KEPT = """
    SELECT checkpoint_id FROM checkpoints
    WHERE thread_id = ? AND CAST(metadata AS TEXT) LIKE '%"source": "input"%'
    ORDER BY checkpoint_id DESC LIMIT 1 OFFSET ?
"""


def life_config(name: str) -> RunnableConfig:
    """The configuration under which the agent of this name lives in a checkpointer."""
    return {"configurable": {"thread_id": thread_of(agent_id(name))}}


async def life_of(checkpointer: BaseCheckpointSaver[Any], agent: Agent) -> Life:
    """An agent's life as its newest checkpoint has it, else as it begins."""
    saved = await checkpointer.aget_tuple(life_config(agent.name))
    channels: Mapping[str, Any] = saved.checkpoint["channel_values"] if saved else {}
    if "blocks" not in channels:
        return agent.birth
    return cast(Life, {channel: channels[channel] for channel in Life.__annotations__})


async def undo_turn(graph: CompiledStateGraph[Any, Any, Any, Any], name: str) -> list[Arrival]:
    """Take back the newest turn that a user began, by a message or an upload, with the turns since, of a timer.

    Gives what had arrived, the user's first; nothing where there is no such turn. The life goes on from the checkpoint
    before it: working context, queue, recall and archival storage are as they were then. What these turns wrote stands
    behind the life's counts, and will be written over.
    """
    checkpointer = cast("BaseCheckpointSaver[Any]", graph.checkpointer)
    at: RunnableConfig | None = life_config(name)
    taken = list[Arrival]()
    while at and (saved := await checkpointer.aget_tuple(at)):
        arrival = (saved.checkpoint["channel_values"].get(START) or {}).get("event")
        if saved.metadata["source"] == "input" and arrival:
            taken.insert(0, cast(Arrival, arrival))
            if arrival["kind"] in BY_USER:
                return taken if await _gone_back(graph, checkpointer, saved.parent_config, name) else []
        at = saved.parent_config
    return []


async def _gone_back(
    graph: CompiledStateGraph[Any, Any, Any, Any],
    checkpointer: BaseCheckpointSaver[Any],
    before: RunnableConfig | None,
    name: str,
) -> bool:
    """Go on from this checkpoint, else from the beginning of life; not where it was dropped: it was too long ago."""
    if before is None:
        await checkpointer.adelete_thread(thread_of(agent_id(name)))
    elif await checkpointer.aget_tuple(before) is None:
        return False
    else:
        await graph.aupdate_state(before, None, as_node="__copy__")
    return True


async def drop_old_checkpoints(library: Library, name: str) -> None:
    """Keep the checkpoints of the newest turns only: others would fill the disk in a long life."""
    saver, thread = library.checkpointer, thread_of(agent_id(name))

    def drop() -> None:
        with saver.cursor() as cursor:
            if row := cursor.execute(_OLDEST_KEPT, (thread, KEPT_TURNS)).fetchone():
                for table in ("writes", "checkpoints"):
                    older = f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_id < ?"
                    cursor.execute(older, (thread, row[0]))

    await saver.run(drop)


async def forget_agent(library: Library, agent: Agent) -> None:
    """Delete an agent with all that it remembers; documents that it was given stay in the library."""
    await library.checkpointer.adelete_thread(thread_of(agent.id))
    await AgentStore(library.store).forget_agent(agent)
