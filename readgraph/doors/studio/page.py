"""The page: graphs as they are drawn, and the steps of a thread with the state before and after each.

Runs are begun, followed and stopped as those of the reading room are (`readgraph.doors.serve.runs`). What comes besides
is here: a thread goes on from any of its steps, with the state as a person changed it.
"""

from collections.abc import Mapping
from inspect import getdoc
from typing import Any

from fastapi import FastAPI
from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels import BinaryOperatorAggregate, DeltaChannel
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.errors import InvalidUpdateError
from langgraph.graph import START
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Overwrite, StateSnapshot
from pydantic import BaseModel, Field

from readgraph.api.running import check_pauses
from readgraph.doors.report.picture import draw_downwards
from readgraph.doors.serve.making import Page
from readgraph.doors.serve.page_files import read_page, serve_page
from readgraph.doors.serve.reading import PreparedRun, check_at_rest, start_run
from readgraph.doors.serve.requests import RequestBody
from readgraph.doors.serve.room import ENDED, Room, RunState
from readgraph.graphs.method import Method
from readgraph.graphs.methods import ROWS, every_method
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question

MOST_STEPS = 300  # of a thread that are shown, the newest
GONE = "The library holds no such step any more: choose another."

Graph = CompiledStateGraph[Any, ReaderContext, Any, Any]


class GraphEntry(BaseModel):
    """A graph that can be run here."""

    method: str
    line: str


class DrawnGraph(BaseModel):
    """A graph: its drawing, an SVG element, and what each node does."""

    method: str
    line: str
    drawing: str
    nodes: dict[str, str] = Field(description="What each node does, by its name.")


class ThreadStep(BaseModel):
    """A step of a thread: which nodes ran, what they changed, and what comes next."""

    checkpoint: str
    parent: str
    ran: list[str] = Field(description="Empty at the question, and where a person changed the state.")
    by_hand: bool
    changed: list[str]
    next: list[str]
    summary: str
    at: str


class Thread(BaseModel):
    """A thread of a graph, with its steps, the oldest first; several may go on from one."""

    method: str
    document: str
    question: str
    steps: list[ThreadStep]


class StateAround(BaseModel):
    """The state before and after a step, each channel as JSON."""

    before: dict[str, Any]
    after: dict[str, Any]


class Change(RequestBody):
    """What a person changes of the state behind a step."""

    checkpoint: str
    values: dict[str, Any]


class GoingOn(RequestBody):
    """From which step a thread goes on, and how."""

    checkpoint: str
    pause_before: list[str] = Field([], description="Nodes before which it stops.")
    settings: dict[str, Any] = Field({}, description="Settings by their names that differ from the server's.")


def as_json(value: Any) -> Any:
    """A value of the state as JSON; a message as its kind and text."""
    if isinstance(value, BaseMessage):
        return {"type": value.type, "content": value.content}
    if isinstance(value, Mapping):
        return {str(name): as_json(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [as_json(part) for part in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


class Studio:
    """What the page can ask of a room."""

    def __init__(self, room: Room) -> None:
        self.room = room

    def add_routes(self, app: FastAPI) -> None:
        """Serve the page and what it asks."""
        serve_page(app, read_page("/studio", "studio", OWN, STYLES, SCRIPTS))
        app.get("/api/studio/graphs")(self.list_graphs)
        app.get("/api/studio/graph")(self.draw_graph)
        app.get("/api/studio/threads/{thread}")(self.thread)
        app.get("/api/studio/threads/{thread}/steps/{checkpoint}")(self.state_around)
        app.post("/api/studio/threads/{thread}/change")(self.change)
        app.post("/api/studio/threads/{thread}/go-on")(self.go_on)

    async def list_graphs(self) -> list[GraphEntry]:
        """The graphs: the one with which the server was started first."""
        own = [self.room.method_for("", None)] if self.room.method else []
        named = {method.name: method.line for method in [*own, *every_method()]}
        return [GraphEntry(method=name, line=line) for name, line in named.items()]

    def draw_graph(self, method: str = "") -> DrawnGraph:  # in a thread: a graph may be imported for it
        """A graph as it is wired."""
        known = self.room.method_for(method, None)
        graph = self.room.graph(known)
        nodes = {name: _describe_node(spec.runnable) for name, spec in graph.builder.nodes.items()}
        return DrawnGraph(method=known.name, line=known.line, drawing=draw_downwards(graph), nodes=nodes)

    async def thread(self, thread: str) -> Thread:
        """The steps of a thread."""
        saved, graph = await self._open(thread)
        config: RunnableConfig = {"configurable": {"thread_id": thread}}
        snapshots = [each async for each in graph.aget_state_history(config, limit=MOST_STEPS)]
        steps = _steps_of({_checkpoint_of(each.config): each for each in reversed(snapshots)})
        about, asked = dict(saved.metadata), _question_in(saved.checkpoint["channel_values"])
        return Thread(method=str(about["method"]), document=str(about.get("document", "")), question=asked, steps=steps)

    async def state_around(self, thread: str, checkpoint: str) -> StateAround:
        """The state before and after a step."""
        _, graph = await self._open(thread)
        after = await self._state(graph, thread, checkpoint)
        before: Mapping[str, Any] = {}
        if after.parent_config:
            before = (await graph.aget_state(after.parent_config)).values
        return StateAround(before=as_json(before), after=as_json(after.values))

    async def change(self, thread: str, wanted: Change) -> dict[str, str]:
        """Change the state behind a step: a new step, from which the thread can go on; the old one stays."""
        saved, graph = await self._open(thread)
        await check_at_rest(self.room, thread)
        state = await self._state(graph, thread, wanted.checkpoint)
        about = {name: value for name, value in saved.metadata.items() if name in ("document", "method")}
        config: RunnableConfig = {**state.config, "metadata": about}
        values = {name: _whole(graph, name, value) for name, value in wanted.values.items()}
        try:
            changed = await graph.aupdate_state(config, values)
        except InvalidUpdateError as problem:
            raise BadInput(f"The state can't be changed at this step: {problem}") from None
        return {"checkpoint": _checkpoint_of(changed)}

    async def go_on(self, thread: str, wanted: GoingOn) -> RunState:
        """Go on behind a step, once more or for the first time."""
        saved, graph = await self._open(thread)
        await check_at_rest(self.room, thread)
        state = await self._state(graph, thread, wanted.checkpoint)
        if not state.next:
            raise BadInput("Nothing comes behind this step: choose an earlier one.")
        context, about = self.room.context_with(wanted.settings), dict(saved.metadata)
        check_pauses(str(about["method"]), graph.builder, wanted.pause_before)
        document = await self.room.pages.document(str(about["document"]))
        method = self._method(str(about["method"]))
        for run in self.room.runs.values():
            if run.thread == thread and run.state not in ENDED:  # it waits for a person, who goes on here
                self.room.stop(run)
        asked, prepared = Question(question=_question_in(state.values)), PreparedRun(document, method, context)
        return start_run(
            self.room, prepared, asked, thread=thread, pause_before=wanted.pause_before, checkpoint=wanted.checkpoint
        )

    async def _open(self, thread: str) -> tuple[CheckpointTuple, Graph]:
        """The newest checkpoint of a thread, and the graph that ran in it; raises `BadInput` where there is none."""
        saved = await self.room.library.checkpointer.aget_tuple({"configurable": {"thread_id": thread}})
        method = str(dict(saved.metadata).get("method", "")) if saved else ""
        if saved is None or not method:
            raise BadInput("The library holds no such run any more.")
        return saved, self.room.graph(self._method(method))

    def _method(self, name: str) -> Method:
        """The method of a thread: also a row, where a method chose it."""
        return ROWS.get(name) or self.room.method_for(name, None)

    async def _state(self, graph: Graph, thread: str, checkpoint: str) -> StateSnapshot:
        config: RunnableConfig = {
            "configurable": {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": checkpoint}
        }
        if await self.room.library.checkpointer.aget_tuple(config) is None:
            raise BadInput(GONE)
        return await graph.aget_state(config)


def _describe_node(node: Any) -> str:
    return (getdoc(node) or "").partition("\n\n")[0].replace("\n", " ")


def _question_in(values: Mapping[str, Any]) -> str:
    return str(values.get("question_text") or values.get("question") or "")


def _checkpoint_of(config: RunnableConfig | None) -> str:
    return str(config["configurable"]["checkpoint_id"]) if config else ""


def _steps_of(states: Mapping[str, StateSnapshot]) -> list[ThreadStep]:
    """The steps of a thread's states, which come by their checkpoints, the oldest first.

    Left out: what LangGraph keeps before it has taken an input, and the copy of a state from which it goes on.
    """
    steps = list[ThreadStep]()
    for checkpoint, state in states.items():
        source = (state.metadata or {}).get("source")
        if source == "fork" or START in state.next:
            continue
        parent = states.get(_checkpoint_of(state.parent_config))
        while parent and (parent.metadata or {}).get("source") == "fork":
            parent = states.get(_checkpoint_of(parent.parent_config))
        before = parent.values if parent else {}
        ran = [name for name in parent.next if name != START] if parent and source == "loop" else []
        changed = sorted(name for name, value in state.values.items() if name not in before or before[name] != value)
        trajectory = state.values.get("steps") or [{}]
        steps.append(
            ThreadStep(
                checkpoint=checkpoint,
                parent=_checkpoint_of(parent.config) if parent else "",
                ran=ran,
                by_hand=source == "update",
                changed=changed,
                next=[*state.next],
                summary=str(trajectory[-1].get("summary", "")) if ran and "steps" in changed else "",
                at=state.created_at or "",
            )
        )
    return steps


def _whole(graph: Graph, name: str, value: Any) -> Any:
    """A channel's value as a person wrote it: where the channel adds up what it gets, this replaces all of it."""
    channel = graph.builder.channels.get(name)
    return Overwrite(value) if isinstance(channel, BinaryOperatorAggregate | DeltaChannel) else value


OWN, SERVE = "readgraph.doors.studio", "readgraph.doors.serve"
STYLES = (("readgraph.doors.report", ("base",)), (SERVE, ("fields",)), (OWN, ("studio",)))
SCRIPTS = (
    ("readgraph.doors.report", ("elements",)),
    (SERVE, ("api", "forms", "settings_panel")),
    (OWN, ("drawing", "state", "steps", "studio")),
)


PAGE = Page(add_routes=lambda app, room: Studio(room).add_routes(app), link=("Watch it on the graph", "/studio"))
