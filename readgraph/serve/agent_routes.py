"""What can be asked of agents."""

from typing import Any, Literal

from fastapi import FastAPI

from readgraph.serve.agents import AgentInList, Agents, FoundInMemory, ShownAgent
from readgraph.serve.given import Given, GivenNote
from readgraph.serve.run import RunState


class GivenMessage(Given):
    """A message to an agent."""

    text: str


class GivenDocument(Given):
    """A document of the library, by its id."""

    document: str


def add_agents(app: FastAPI, agents: Agents) -> None:
    """Agents: listed, shown, talked with, corrected."""

    @app.get("/api/agents")
    async def listed() -> dict[str, list[AgentInList]]:
        """The agents that can be talked with."""
        return {"agents": await agents.listed()}

    @app.get("/api/agents/{name:path}/search")
    async def search(name: str, store: Literal["recall", "archival"] = "recall", query: str = "") -> FoundInMemory:
        """What an agent's storage holds for these words; without words, the newest."""
        return await agents.search(name, store, query)

    @app.get("/api/agents/{name:path}")
    async def one(name: str) -> ShownAgent:
        """An agent's working context, storages and newest events."""
        return await agents.shown(name)

    @app.post("/api/agents/{name:path}/messages")
    async def send(name: str, given: GivenMessage) -> RunState:
        """Send an agent a message; an agent of a new name begins with it."""
        return agents.send(name, given.text).shown

    @app.post("/api/agents/{name:path}/documents")
    async def upload(name: str, given: GivenDocument) -> RunState:
        """Give an agent a document of the library."""
        return (await agents.upload(name, given.document)).shown

    @app.put("/api/agents/{name:path}/blocks/{label}")
    async def rewrite(name: str, label: str, given: GivenNote) -> ShownAgent:
        """Replace the text of a block of an agent's working context."""
        await agents.rewrite(name, label, given.text)
        return await agents.shown(name)

    @app.post("/api/agents/{name:path}/undo")
    async def undo(name: str) -> dict[str, Any]:
        """Take back the newest turn that a user began, and all since."""
        return {"undone": await agents.undo(name)}
