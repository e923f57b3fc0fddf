"""The graph of a method: LangGraph's StateGraph, whose compiled form can be called anywhere.

Inside of another graph, as its node or in its tool, it keeps its own store, and takes and gives the keys that the two
states share. Its run is told as a whole in logs and spans. Names that nobody knows, in an input, an update or the
settings, are told at once with the nearest that is known: LangGraph drops them in silence.
"""

import asyncio
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import aclosing, closing, contextmanager
from contextvars import Context, ContextVar, copy_context
from difflib import get_close_matches
from itertools import chain
from threading import Event
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Required, TypeAlias, TypeVar, Union, get_args, get_origin

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langchain_core.tracers.context import tracing_v2_callback_var
from langgraph.channels.last_value import LastValue
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel.protocol import PregelProtocol
from langgraph.runtime import Runtime
from langgraph.types import Command, Overwrite, StateUpdate, StreamMode
from langgraph.typing import ContextT, InputT, OutputT, StateT
from langsmith.utils import tracing_is_enabled
from typing_extensions import get_type_hints, is_typeddict

from readgraph.models.watching import OURS, begin_span, has_listeners
from readgraph.nodes.step import StepNode, as_update
from readgraph.state.context import OWN_STORE, ReaderContext
from readgraph.state.declaring import RENAMED, Groups, settings_in
from readgraph.state.errors import BadInput
from readgraph.state.logs import current_run, fault, log, log_run_end, new_run_part, use_run
from readgraph.state.loops import Listen, stream_until_left, until_left
from readgraph.state.reading import add_chat
from readgraph.state.variables import remember_caller, set_variable, warn_caller

Builder: TypeAlias = StateGraph[Any, Any, Any, Any]

_waits: ContextVar[bool] = ContextVar("readgraph_waits", default=False)
"""Whether the graph around runs under `invoke`: its checkpointer may have no asynchronous calls."""


class GraphStep(StepNode[Any, Any]):
    """A step that runs a compiled graph.

    The graph gets those keys of the state that its input has, and what it gives back replaces them: what it appended
    to a list is there once. Keys that only one of the two states has stay in it; `gives` are those that the state has.
    If the graph's state has `steps`, the steps inside it are the record; else it is recorded as one step.
    """

    def __init__(
        self, name: str, graph: PregelProtocol[Any, Any, Any, Any], builder: Builder, settings: Groups
    ) -> None:
        self.graph, self.gives = graph, frozenset(builder.channels)
        inside = graph.builder if isinstance(graph, CompiledStateGraph) else None
        taken = inside.schemas[inside.input_schema] if inside else None  # a remote graph says none, and gets them all
        joined = {key for key, channel in builder.channels.items() if not isinstance(channel, LastValue)}

        def is_shared(key: str) -> bool:
            return taken is None or key in taken

        async def work(state: Any, runtime: Runtime[ReaderContext]) -> dict[str, Any]:
            given = {key: value for key, value in state.items() if is_shared(key) and (value or key not in joined)}
            output = await (asyncio.to_thread(graph.invoke, given) if _waits.get() else graph.ainvoke(given))
            kept = {key: value for key, value in as_update(name, output).items() if key in builder.channels}
            return {key: Overwrite(value) if key in joined and is_shared(key) else value for key, value in kept.items()}

        work.__name__, work.__doc__ = name, "The steps of another graph."
        super().__init__(work, settings=settings)

    async def ainvoke(
        self, input: Any, config: RunnableConfig | None = None, *, waits: bool = False, **kwargs: Any
    ) -> Any:
        """Run as any step; where a thread waits for it, under `invoke`, the graph itself runs in a thread."""
        with set_variable(_waits, waits):
            return await super().ainvoke(input, config, **kwargs)


def builder_inside(node: Any) -> Builder | None:
    """The builder of a compiled graph of LangGraph's that stands as a node."""
    graph = node.graph if isinstance(node, GraphStep) else None
    return graph.builder if isinstance(graph, CompiledStateGraph) else None


NEAR = 0.65  # how much alike two names must be, so that one may be meant by the other


WITHOUT_CONTEXT = (
    "The graph around this one was given no context, so this one reads without a model: run it with "
    "context=ReaderContext(model=…), or set READGRAPH_MODEL."
)


class IgnoredSetting(UserWarning):
    """A setting was given where no graph reads it."""


def check_names(what: str, given: object, known: Collection[str], where: str = "the graph's state") -> None:
    """Refuse names of a dictionary that `where` does not know; `what` begins the sentence, such as "The input has"."""
    if not isinstance(given, Mapping) or given.keys() <= (names := frozenset(known)):
        return
    name = min(map(str, given.keys() - names))
    similar = "".join(f" (it has '{near}')" for near in get_close_matches(name, sorted(names), 1, cutoff=NEAR))
    raise BadInput(f"{what} '{name}', which {where} does not have{similar}.")


def check_values(what: str, given: object, schema: type[Any], *, lone: bool = False) -> None:
    """Refuse values that are not of the types of the state's channels; `what` as in `check_names`.

    `lone`: one value may stand for a list of it, as in a plan that a person edits.
    """
    hints = get_type_hints(schema, include_extras=True)
    for name, value in given.items() if isinstance(given, Mapping) else ():
        hint, value = _bare(hints.get(name, Any)), value.value if isinstance(value, Overwrite) else value
        if is_typeddict(hint) and isinstance(value, Mapping):
            check_names(inside := f"{what} '{name}' with", value, get_type_hints(hint), hint.__name__)
            check_values(inside, value, hint, lone=True)
        elif not fits(value, hint) and not (lone and fits([value], hint)):
            kind = hint.__name__ if isinstance(hint, type) and not get_args(hint) else re.sub(r"\w+\.", "", str(hint))
            raise BadInput(f"{what} '{name}' as {value!r:.60}, where {kind} belongs.")


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type, as far as the type's own parts are plain; what can't be told fits."""
    hint = _bare(hint)
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(fits(value, each) for each in inner)
    if origin is Literal:
        return value in inner
    if origin is list and len(inner) == 1:
        return isinstance(value, list | tuple) and all(fits(each, inner[0]) for each in value)
    if hint is None or hint is NoneType:
        return value is None
    if is_typeddict(hint) or origin is dict:
        return isinstance(value, Mapping) and _parts_fit(value, hint)
    if hint in (int, float) and isinstance(value, bool):
        return False
    plain = {int: int, float: int | float, str: str, bool: bool, list: list | tuple, dict: Mapping}
    return not isinstance(hint, type) or hint not in plain or isinstance(value, plain[hint])


def _parts_fit(value: Mapping[Any, Any], hint: Any) -> bool:
    if is_typeddict(hint):
        hints = get_type_hints(hint, include_extras=True)
        whole = hint.__required_keys__ <= value.keys() <= hints.keys()
        return whole and all(fits(part, hints[name]) for name, part in value.items())
    _, each = get_args(hint) or (Any, Any)
    return all(fits(part, each) for part in value.values())


def _bare(hint: Any) -> Any:
    """The type without its marks; messages go by what their reducer takes, which is more."""
    while get_origin(hint) in (Annotated, NotRequired, Required):
        if add_chat in get_args(hint):
            return Any
        hint = get_args(hint)[0]
    return hint


T = TypeVar("T")

UNNAMED = "LangGraph"  # the name of a graph that was given none


class _WatchedRun:
    """One run of a graph. It is in hand only while the graph is at work, not while its caller has an event."""

    def __init__(self, name: str, config: RunnableConfig | None) -> None:
        known, around = (config or {}).get("metadata", {}), current_run()
        method = str(known.get("method") or ("" if name == UNNAMED else name.replace("_", "-")))
        self.outermost, self.began = around is None, time.perf_counter()
        self.run = new_run_part(method=around.about.get("method", method) if around else method)
        about = {"run": self.run.id, "method": method, "document": str(known.get("document", ""))}
        self.span = begin_span(f"run {method or 'graph'}", {f"{OURS}{key}": value for key, value in about.items()})
        if self.outermost:
            with use_run(self.run):
                log("run_begun")

    @contextmanager
    def in_hand(self) -> Iterator[None]:
        """Inside of the `with` the graph is at work."""
        with use_run(self.run), self.span.in_hand():
            yield

    def __enter__(self) -> "_WatchedRun":
        return self

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> None:
        if isinstance(problem, Exception):
            self.span.fail(fault(problem)["error"])
        self.span.add({f"{OURS}status": self.run.status})
        self.span.end()
        if self.outermost:
            with use_run(self.run):
                log_run_end(self.run, self.began, problem)


_END: Any = object()


def watch_stream(events: Generator[T, None, None], name: str, config: RunnableConfig | None) -> Iterator[T]:
    """The events of a graph's run, of which logs and spans tell."""
    with _WatchedRun(name, config) as run, closing(events):
        while True:
            with run.in_hand():
                event = next(events, _END)
            if event is _END:
                return
            yield event


async def watch_astream(events: AsyncGenerator[T, None], name: str, config: RunnableConfig | None) -> AsyncIterator[T]:
    """As `watch_stream`, of an asynchronous run."""
    with _WatchedRun(name, config) as run:
        async with aclosing(events):
            while True:
                with run.in_hand():
                    event = await anext(events, _END)
                if event is _END:
                    return
                yield event


RUNTIME = "__pregel_runtime"
"""Where LangGraph keeps the runtime of the run around a graph, among the `configurable` of its config."""

NODE = "langgraph_node"
"""Where LangGraph keeps the name of the node that makes a call, among the `metadata` of its config."""

COORDINATES = ("thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map")
"""With one of these in its config, LangGraph takes a call for a run of its own."""


_seen = Event()


def tracers_seen() -> bool:
    """Whether any run of this process had something that may trace it."""
    return _seen.is_set()


def _look_for_tracers(config: RunnableConfig | None) -> None:
    """Note whether a run that begins with this config may be traced."""
    if not _seen.is_set():
        callbacks = [
            (runnable_config or {}).get("callbacks") for runnable_config in (config, var_child_runnable_config.get())
        ]
        given = any(getattr(callback, "handlers", callback) for callback in callbacks)
        if given or tracing_is_enabled() or tracing_v2_callback_var.get():
            _seen.set()


class _Known(dict[str, Any]):
    """The settings by their names, which holds any other name too: so the server hands it on, and it is refused."""

    def __contains__(self, name: object) -> bool:
        return True


class MethodGraph(StateGraph[StateT, ContextT, InputT, OutputT]):
    """A StateGraph that can be called anywhere: see `CompiledMethod`."""

    def compile(self, *args: Any, **kwargs: Any) -> "CompiledMethod[StateT, ContextT, InputT, OutputT]":
        """Compile with a checkpointer, a store and so on, as LangGraph's `StateGraph.compile`."""
        compiled = super().compile(*args, **kwargs)
        for name, spec in self.nodes.items():
            if isinstance(spec.runnable, GraphStep):  # for drawings, and for the state of subgraphs
                compiled.nodes[name].subgraphs = [spec.runnable.graph]
        attributes = {name: value for name, value in vars(compiled).items() if name != "__orig_class__"}
        return CompiledMethod(**attributes)


class CompiledMethod(CompiledStateGraph[StateT, ContextT, InputT, OutputT]):
    """A compiled method. In the node or tool of another graph it is a part of that run, with its own store.

    LangGraph would give it the store of the run around it, which may hold other documents or none. A graph that was
    compiled without a store uses that one. A call that names a thread (`thread_id`) is a run of its own, with its own
    checkpointer; any other is interrupted, resumed and checkpointed with the run around it.
    """

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:
        """LangGraph's `stream`, on which `invoke` stands; who leaves it ends its steps."""
        self._check_call(input, config, kwargs.get("context"))
        _look_for_tracers(config)
        events: Any = super().stream(input, self._with_own_store(config), **kwargs)
        return stream_until_left(watch_stream(events, self.name, config) if has_listeners() else events)

    def astream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AsyncIterator[Any]:
        """LangGraph's `astream`, on which `ainvoke` stands; who leaves it ends its steps."""
        self._check_call(input, config, kwargs.get("context"))
        _look_for_tracers(config)
        events: Any = super().astream(input, self._with_own_store(config), **kwargs)
        return until_left(watch_astream(events, self.name, config) if has_listeners() else events)

    def bulk_update_state(self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]) -> RunnableConfig:
        """LangGraph's, on which `update_state` stands; raises `BadInput` for a key that the state lacks."""
        self._check_updates(config, supersteps)
        return super().bulk_update_state(config, supersteps)

    async def abulk_update_state(
        self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
    ) -> RunnableConfig:
        """As `bulk_update_state`."""
        self._check_updates(config, supersteps)
        return await super().abulk_update_state(config, supersteps)

    def get_context_jsonschema(self) -> dict[str, Any] | None:
        """The schema of the settings; LangGraph's server would leave out what is none, where Python refuses it."""
        schema = super().get_context_jsonschema()
        return schema and {**schema, "properties": _Known(schema.get("properties", {}))}

    def _check_call(self, given: Any, config: RunnableConfig | None, context: object) -> None:
        """Refuse unknown keys of an input, and warn of settings that no graph reads.

        A node of another graph gives what it has. LangGraph's server puts names of its own among the `configurable`.
        """
        remember_caller()
        configs = [runnable_config or {} for runnable_config in (config, var_child_runnable_config.get())]
        if any(NODE in runnable_config.get("metadata", {}) for runnable_config in configs):
            around = [runnable_config.get("configurable", {}).get(RUNTIME) for runnable_config in configs]
            if not (context or ReaderContext().model or any(getattr(runtime, "context", None) for runtime in around)):
                warn_caller(WITHOUT_CONTEXT)
            return
        check_names("The input has", given.update if isinstance(given, Command) else given, self.builder.channels)
        ignored = []
        for name, value in sorted((config or {}).get("configurable", {}).items()):
            said = context.get(name) if isinstance(context, Mapping) else getattr(context, name, None)
            if said != value and (name in RENAMED or name in settings_in(ReaderContext)):
                ignored.append(f"{name}={value!r:.40}")
        if ignored:
            names = ", ".join(ignored)
            told = f"Settings under 'configurable' are ignored: give them as context=ReaderContext({names})."
            warn_caller(told, IgnoredSetting)

    def _check_updates(self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]) -> None:
        if not config.get("configurable", {}).get("checkpoint_ns"):  # else it may be of a graph inside
            for update in chain.from_iterable(supersteps):
                check_names("The update has", update.values, self.builder.channels)
                check_values("The update has", update.values, self.builder.state_schema)

    def _with_own_store(self, config: RunnableConfig | None) -> RunnableConfig | None:
        """The config of a call, with the runtime of the run around it, if any, but with the graph's own store."""
        given = around = (config or {}).get("configurable", {})
        if RUNTIME not in given and not any(given.get(coordinate) for coordinate in COORDINATES):
            around = (var_child_runnable_config.get() or {}).get("configurable", {})
        runtime = around.get(RUNTIME)
        if self.store is None or not isinstance(runtime, Runtime) or runtime.store is self.store:
            return config
        own = {RUNTIME: runtime.override(store=self.store), OWN_STORE: True}
        return {**(config or {}), "configurable": {**given, **own}}


def separate_run() -> Context:
    """The variables of a separate run: inside another graph's node, a graph would use that graph's store."""
    variables = copy_context()
    variables.run(var_child_runnable_config.set, None)
    return variables


MODES: tuple[StreamMode, ...] = ("custom", "tasks", "updates", "values")  # what of a run is streamed to whoever listens


async def run_and_listen(
    graph: CompiledStateGraph[Any, Any, Any, Any],
    given: Any,
    config: RunnableConfig | None = None,
    *,
    context: Any,
    listen: Listen | None = None,
    modes: Sequence[StreamMode] = MODES,
    **options: Any,
) -> dict[str, Any]:
    """Run a graph, with these options of `astream`, and return its output; `listen` takes each event of these modes."""
    output: Any = {}
    events: AsyncIterator[Any] = graph.astream(
        given, config, context=context, stream_mode=[*modes], output_keys=graph.output_channels, **options
    )
    async for mode, event in events:
        if listen:
            listen(mode, event)
        if mode == "values":
            output = event
    return dict(output)
