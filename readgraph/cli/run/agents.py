"""`agents`: list, export, import, repair and forget agents."""

import asyncio
from pathlib import Path
from typing import Any

from rich.table import Table

from readgraph.cli.run.editing import confirm_forgetting
from readgraph.cli.run.show import day
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import PLAIN, Console, SafeText
from readgraph.cli.terminal.screen import run_until_stopped
from readgraph.library.address import LibraryPlace
from readgraph.library.agent_lives import agent_state_of
from readgraph.library.agent_lives import forget_agent as forget_life
from readgraph.library.agent_lives import repair_agent as repair_life
from readgraph.library.agents import Agent, AgentStore, thread_of
from readgraph.library.archives import add_agent_from_file, make_agent_file
from readgraph.library.opening import open_library
from readgraph.library.store import hold_build_lock
from readgraph.nodes.agent.memory import cut_to
from readgraph.sources.inputs import read_bytes
from readgraph.sources.loading import printable_path
from readgraph.state.agent import IncomingEvent
from readgraph.state.errors import BadInput
from readgraph.state.files import replace_file

SHOWN = 60
"""Most words of an undone message that a repair shows."""


def show_agents(folder: LibraryPlace | None, *, as_json: bool) -> None:
    """List the library's agents."""
    listed = run_until_stopped(_agents(folder))
    if as_json:
        print_json(listed)
        return
    if not listed:
        Console().print("The library has no agents. Begin with: readgraph chat --model PROVIDER:NAME")
        return
    table = Table("agent", "events", "passages", "documents", "last event", **PLAIN)
    for agent in listed:
        numbers = [f"{agent[kind]:,}" for kind in ("events", "passages", "documents")]
        table.add_row(
            *map(SafeText, [agent["name"], *numbers, day(agent["last_event"]) if agent["last_event"] else ""])
        )
    Console().print(table)


def export_agent(name: str, file: Path, folder: LibraryPlace | None) -> None:
    """Write an agent to a new file."""
    if file.exists():
        raise BadInput(f"{file} exists already: name another file.")
    events = run_until_stopped(_export(name, file, folder))
    Console().print(SafeText(f"Exported '{name}' with {events:,} events to {file}."))


def import_agent(file: Path, name: str, folder: LibraryPlace | None) -> None:
    """Add the agent of a file to the library."""
    try:
        text = read_bytes(file, printable_path(file)).decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{file} can't be read as an agent's file.") from None
    imported_name, events = run_until_stopped(_import(text, name, folder))
    Console().print(SafeText(f"Imported '{imported_name}' with {events:,} events."))


def forget_agent(name: str, folder: LibraryPlace | None, *, sure: bool) -> None:
    """Forget an agent, after asking for confirmation unless `sure`."""
    agent = run_until_stopped(_load_agent(name, folder))
    if not sure:
        confirm_forgetting(name, "everything it remembers")
    run_until_stopped(_forget(agent, folder))
    Console().print(SafeText(f"Forgot '{name}'."))


def repair_agent(name: str, folder: LibraryPlace | None) -> None:
    """Undo an unfinished turn."""
    undone = run_until_stopped(_repair(name, folder))
    if undone:
        message = f"Repaired '{name}'. Undone: {cut_to(undone[0].get('text') or 'an upload', SHOWN)}"
    else:
        message = f"'{name}' has no unfinished turn."
    Console().print(SafeText(message))


async def _agents(folder: LibraryPlace | None) -> list[dict[str, Any]]:
    async with open_library(folder, only_shows=True) as library:
        store, listed = AgentStore(library.store), list[dict[str, Any]]()
        for agent in await store.agents():
            state = await agent_state_of(library.checkpointer, agent)
            last = await store.events(agent.id, range(max(0, state["events"] - 1), state["events"]))
            counts = {"events": state["events"], "passages": state["passages"], "documents": len(state["documents"])}
            names = {"name": agent.name, "created": agent.created}
            listed.append(names | counts | {"last_event": last[0].at if last else ""})
        return listed


async def _export(name: str, file: Path, folder: LibraryPlace | None) -> int:
    async with open_library(folder, only_shows=True) as library:
        store = AgentStore(library.store)
        agent = await store.require_agent(name)
        archive = await make_agent_file(store, agent, await agent_state_of(library.checkpointer, agent))
    try:
        await asyncio.to_thread(_write_new, file, archive.json_text())
    except OSError as problem:
        raise BadInput(f"{file} can't be written: {problem.strerror}.") from None
    return len(archive.recall)


def _write_new(file: Path, text: str) -> None:
    with replace_file(file) as opened:
        opened.write(text)


async def _import(text: str, name: str, folder: LibraryPlace | None) -> tuple[str, int]:
    async with open_library(folder) as library:
        agent = await add_agent_from_file(AgentStore(library.store), text, name)
        return agent.name, agent.birth["events"]


async def _repair(name: str, folder: LibraryPlace | None) -> list[IncomingEvent]:
    from readgraph.graphs.mem_gpt import (
        build_chat,  # add_agent_file here because only this command needs a graph, which is slow to import
    )

    async with open_library(folder) as library:
        agent = await AgentStore(library.store).require_agent(name)
        graph = build_chat().compile(checkpointer=library.checkpointer, store=library.store)
        async with hold_build_lock(library.store, thread_of(agent.id)):
            return await repair_life(library, graph, name)


async def _load_agent(name: str, folder: LibraryPlace | None) -> Agent:
    async with open_library(folder) as library:
        return await AgentStore(library.store).require_agent(name)


async def _forget(agent: Agent, folder: LibraryPlace | None) -> None:
    async with open_library(folder) as library:
        await forget_life(library, agent)
