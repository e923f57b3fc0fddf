"""A scripted agent for the model double, and a library agent that it plays."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph

from readgraph import ReaderContext
from readgraph.features.agents.lives import agent_config
from readgraph.features.agents.mem_gpt import build_chat
from readgraph.features.agents.state import AgentState
from readgraph.features.agents.store import AgentStore, Event, agent_id
from readgraph.library.opening import Library
from tests.doubles.model_server import ChatRequest

Step = dict[str, object]


def call(function: str, request_heartbeat: bool = False, thoughts: str = "hm", **arguments: object) -> Step:
    """One step of an agent."""
    given = [{"name": name, "value": str(value)} for name, value in arguments.items()]
    return {
        "inner_thoughts": thoughts,
        "function": function,
        "arguments": given,
        "request_heartbeat": request_heartbeat,
    }


def say(message: str, request_heartbeat: bool = False) -> Step:
    """The step that sends a message."""
    return call("send_message", request_heartbeat, message=message)


def sums_up(request: ChatRequest) -> bool:
    """Whether a request asks for a summary of the events that leave the queue."""
    return "\n\nSum up " in request.text


def queue(request: ChatRequest) -> str:
    """The events that a request shows."""
    return request.text.split("<events>\n", 1)[1].split("\n</events>", 1)[0]


class Script:
    """Plays steps one after the other; a step may be computed from its request. After the last it says "Done."."""

    def __init__(self, *steps: Step | Callable[[ChatRequest], Step]) -> None:
        self.steps = list(steps)
        self.requests: list[ChatRequest] = []
        self.summaries: list[ChatRequest] = []

    def __call__(self, request: ChatRequest) -> str | Step:
        if sums_up(request):
            self.summaries.append(request)
            return f"Summary {len(self.summaries)}."
        self.requests.append(request)
        step = self.steps.pop(0) if self.steps else say("Done.")
        return step(request) if callable(step) else step


@dataclass
class Living:
    """An agent in a library, driven turn by turn."""

    library: Library
    name: str = "ada"
    context: ReaderContext = field(default_factory=lambda: ReaderContext(model="openai:double", window_words=4000))
    tools: Iterable[Any] = ()
    graph: "CompiledStateGraph[Any, Any, Any, Any]" = field(init=False)

    def __post_init__(self) -> None:
        saver, store = self.library.checkpointer, self.library.store
        self.graph = build_chat(tools=[*self.tools]).compile(checkpointer=saver, store=store)

    @property
    def config(self) -> RunnableConfig:
        return agent_config(self.name)

    @property
    def store(self) -> AgentStore:
        return AgentStore(self.library.store)

    async def turn(self, text: str = "", kind: str = "user", document: str = "") -> dict[str, Any]:
        """One turn; gives the graph's output."""
        event = {"kind": kind, "text": text, "document": document}
        given = {"agent": self.name, "event": event}
        return dict(await self.graph.ainvoke(given, self.config, context=self.context))

    async def life(self) -> AgentState:
        values = (await self.graph.aget_state(self.config)).values
        return {channel: values[channel] for channel in AgentState.__annotations__}  # type: ignore[return-value]

    async def block(self, label: str) -> str:
        return next(block["text"] for block in (await self.life())["blocks"] if block["label"] == label)

    async def events(self) -> list[Event]:
        """All of recall storage."""
        return await self.store.events(agent_id(self.name), range((await self.life())["events"]))

    async def results(self) -> list[str]:
        """The results of all calls."""
        return [str(event.result) for event in await self.events() if event.kind == "call"]
