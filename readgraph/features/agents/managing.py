"""`agents`: list, export, import, repair and forget agents."""

from pathlib import Path
from typing import Any

from rich.table import Table

from readgraph.cli.run.in_library import check_new, in_library, read_export, run_in_library, write_output
from readgraph.cli.run.library import confirm_forgetting
from readgraph.cli.run.show import day
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import PLAIN, Console, SafeText
from readgraph.features.agents.archives import AgentFile, add_agent_from_file, make_agent_file
from readgraph.features.agents.lives import agent_state_of
from readgraph.features.agents.lives import forget_agent as forget_life
from readgraph.features.agents.lives import repair_agent as repair_life
from readgraph.features.agents.memory import cut_to
from readgraph.features.agents.store import AgentStore, thread_of
from readgraph.library.address import LibraryPlace
from readgraph.library.opening import Library
from readgraph.library.store import hold_build_lock

SHOWN = 60


@in_library(only_shows=True)
async def show_agents(library: Library, *, as_json: bool) -> None:
    """List the library's agents."""
    store, listed = AgentStore(library.store), list[dict[str, Any]]()
    for agent in await store.agents():
        state = await agent_state_of(library.checkpointer, agent)
        last = await store.events(agent.id, range(max(0, state["events"] - 1), state["events"]))
        counts = {"events": state["events"], "passages": state["passages"], "documents": len(state["documents"])}
        names = {"name": agent.name, "created": agent.created}
        listed.append(names | counts | {"last_event": last[0].at if last else ""})
    if as_json:
        print_json(listed)
        return
    if not listed:
        Console().print("The library has no agents. Begin with: readgraph chat --model PROVIDER:NAME")
        return
    table = Table("agent", "events", "passages", "documents", "last event", **PLAIN)
    for row in listed:
        numbers = [f"{row[kind]:,}" for kind in ("events", "passages", "documents")]
        table.add_row(*map(SafeText, [row["name"], *numbers, day(row["last_event"]) if row["last_event"] else ""]))
    Console().print(table)


def export_agent(name: str, file: Path, library: LibraryPlace | None) -> None:
    """Write an agent to a new file."""
    check_new(file)

    async def make_file(opened: Library) -> AgentFile:
        store = AgentStore(opened.store)
        agent = await store.require_agent(name)
        return await make_agent_file(store, agent, await agent_state_of(opened.checkpointer, agent))

    archive = run_in_library(library, make_file, only_shows=True)
    write_output(file, archive.json_text().encode())
    events = len(archive.recall)
    Console().print(f"Exported '{name}' with {events:,} events to {file}.")


def import_agent(file: Path, name: str, library: LibraryPlace | None) -> None:
    """Add the agent of a file to the library."""
    text = read_export(file, "an agent's file")
    agent = run_in_library(library, lambda opened: add_agent_from_file(AgentStore(opened.store), text, name))
    Console().print(f"Imported '{agent.name}' with {agent.birth['events']:,} events.")


def forget_agent(name: str, library: LibraryPlace | None, *, yes: bool) -> None:
    """Forget an agent, after asking for confirmation unless `yes` was said."""
    agent = run_in_library(library, lambda opened: AgentStore(opened.store).require_agent(name))
    if not yes:
        confirm_forgetting(name, "everything it remembers")
    run_in_library(library, forget_life, agent)
    Console().print(f"Deleted '{name}' with all it remembered.")


@in_library()
async def repair_agent(library: Library, *, name: str) -> None:
    """Undo an unfinished turn."""
    from readgraph.features.agents.mem_gpt import build_chat  # only this command needs a graph, which is slow to import

    agent = await AgentStore(library.store).require_agent(name)
    graph = build_chat().compile(checkpointer=library.checkpointer, store=library.store)
    async with hold_build_lock(library.store, thread_of(agent.id)):
        undone = await repair_life(library, graph, name)
    if undone:
        message = f"Repaired '{name}'. Undone: {cut_to(undone[0].get('text') or 'an upload', SHOWN)}"
    else:
        message = f"'{name}' has no unfinished turn."
    Console().print(message)
