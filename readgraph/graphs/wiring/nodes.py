"""Add nodes to a graph, and check that every key that a node reads was written before.

Whatever may stand at a node's place becomes a step: a function, another runnable, a compiled graph. The trajectory
shows it like any other. What a loop, an edge or a reader lives on must be written by a node: else a run goes round and
pays for nothing. Functions that choose the next edge run where they are called instead of in a thread.
"""

import asyncio
import inspect
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import partial, wraps
from types import NoneType, UnionType
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.config import get_config
from langgraph.pregel.protocol import PregelProtocol
from langgraph.runtime import Runtime

from readgraph.graphs.wiring.declared import (
    FOR_RECORD,
    NodeKeys,
    check_recipes,
    check_settings,
    find_node_keys,
    groups_of,
)
from readgraph.graphs.wiring.method_graph import GraphStep, check_names
from readgraph.graphs.wiring.paths import Builder, find_nodes_after, path_avoiding
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput

OFFERED: dict[str, Callable[[Runtime[ReaderContext]], Any]] = {
    "runtime": lambda runtime: runtime,
    "config": lambda runtime: get_config(),
    "store": lambda runtime: runtime.store,
    "writer": lambda runtime: runtime.stream_writer,
}
"""What a function gets, besides the state, for parameters with these names, as in LangGraph's own nodes."""


def step_of_function(name: str, node: Callable[..., Any]) -> StepNode[Any, Any]:
    """Make a function or coroutine a step with this name.

    The function takes the state, then optionally the runtime, or by name what LangGraph offers. A function that is not
    a coroutine runs in a thread, so it may block. Raises `BadInput` for anything that can't be a node.
    """
    if not callable(node) or isinstance(node, type):
        what = "None" if node is None else f"'{getattr(node, '__name__', type(node).__name__)}'"
        raise BadInput(f"The node '{name}' can't be {what}: give a step, a function or a coroutine.")
    parameters = _parameters(name, node)

    @wraps(node)
    async def work(state: Any, runtime: Runtime[ReaderContext]) -> Mapping[str, Any]:
        arguments = {parameter: OFFERED[offered](runtime) for parameter, offered in parameters.items()}
        call = partial(node, state, **arguments)
        update = await call() if inspect.iscoroutinefunction(node) else await asyncio.to_thread(call)
        if not isinstance(update, Mapping | None):
            raise BadInput(f"The node '{name}' must return a dictionary of what changed: it returned {update!r:.60}.")
        return update or {}

    return StepNode(work)


def _parameters(name: str, function: Callable[..., Any]) -> dict[str, str]:
    """A function's parameters after the state, with what each gets; the second is the runtime, whatever its name."""
    signature = inspect.signature(function)
    arguments = {}
    for place, parameter in enumerate([*signature.parameters.values()][1:]):
        if parameter.name in OFFERED:
            arguments[parameter.name] = parameter.name
        elif place == 0 and parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter.default is parameter.empty:
            arguments[parameter.name] = "runtime"
    try:
        signature.bind({}, **arguments)
    except TypeError:
        names = ", ".join(signature.parameters)
        raise BadInput(
            f"The node '{name}' takes ({names}): it may take (state), (state, runtime), or by name "
            f"{', '.join(OFFERED)}."
        ) from None
    return arguments


Node: TypeAlias = Runnable[Any, Any] | Callable[..., Any]
"""A node: one of readgraph's, a function or coroutine `(state, runtime) -> update`, a compiled graph, or another
runnable from the state to what changed."""


def as_node(name: str, node: Node, builder: Builder) -> StepNode[Any, Any]:
    """Make it a step with this name; raises `BadInput` for anything that can't be a node of this graph."""
    if isinstance(node, StepNode):
        return node
    if isinstance(node, PregelProtocol):
        return GraphStep(name, node, builder, settings=groups_of(node))
    if isinstance(node, Runnable):
        return _step_of_runnable(name, node)
    return step_of_function(name, node)


def _step_of_runnable(name: str, runnable: Runnable[Any, Any]) -> StepNode[Any, Any]:
    """A step that gives a runnable, such as a chain, the state; refused if it is known to give no dictionary."""
    given = [*_types(_output_type(runnable))]
    if given and not any(kind is NoneType or issubclass(kind, Mapping) for kind in given):
        raise BadInput(
            f"The node '{name}' gives {given[0].__name__}, where a dictionary of what changed is needed: end it with a "
            "function that makes one."
        )

    async def work(state: Any, runtime: Runtime[ReaderContext]) -> Mapping[str, Any]:
        update = await runnable.ainvoke(state)
        if not isinstance(update, Mapping | None):
            raise BadInput(f"The node '{name}' must give a dictionary of what changed: it gave {update!r:.60}.")
        return update or {}

    function = getattr(runnable, "func", None) or getattr(runnable, "afunc", None)
    if isinstance(runnable, RunnableLambda) and function:
        declared = getattr(function, "__annotations__", {})
        first = next(iter(declared), "return")  # only a function's state and return say what it reads and writes
        work.__annotations__ = {"state": declared[first] if first != "return" else Any}
        work.__annotations__ |= {"return": declared["return"]} if "return" in declared else {}
    work.__name__, work.__doc__ = name, getattr(function, "__doc__", None)
    return StepNode(work)


def _output_type(runnable: Runnable[Any, Any]) -> Any:
    try:
        return runnable.OutputType
    except TypeError:  # it says none
        return Any


def _types(annotation: Any) -> Iterator[type[Any]]:
    """The classes that a type stands for; none if it may be anything."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from _types(arguments[0])
    elif origin in (Union, UnionType):
        members = [[*_types(argument)] for argument in arguments]
        if all(members):
            yield from (kind for member in members for kind in member)
    elif isinstance(origin or annotation, type) and annotation not in (object, Any):
        yield origin or annotation


def check_changes(builder: Builder, declared: Mapping[str, NodeKeys], choices: Mapping[str, NodeKeys]) -> None:
    """Refuse a graph whose nodes leave as it was what its edges or other nodes wait for.

    `choices`: what is declared by the functions that choose the edge after a node. Raises `BadInput`, which names the
    node and the key.
    """
    _check_beginnings(builder)
    _check_choices(builder, declared, choices)
    _check_filled(builder, declared)
    _check_loops(builder, declared, choices)


def _check_beginnings(builder: Builder) -> None:
    """A question begins once."""
    for name in builder.nodes:
        for later in find_nodes_after(builder, name):
            node = builder.nodes[later].runnable
            if isinstance(node, StepNode) and node.starts_question:
                raise BadInput(f"The node '{later}' begins a question anew: it can only be the first node.")


def _check_choices(builder: Builder, declared: Mapping[str, NodeKeys], choices: Mapping[str, NodeKeys]) -> None:
    """No edge is chosen by what was decided before, or only begun. A key that no node fills decides nothing: it may."""
    for name, choice in choices.items():
        for key in sorted(choice.decisive):
            writers = {each for each, keys in declared.items() if keys.may_give(key)}
            fillers = {each for each, keys in declared.items() if keys.fills(key)}
            if not fillers or name in writers:
                continue
            decided = [each for each, other in choices.items() if key in other.decisive]
            again = any(name in find_nodes_after(builder, each, writers) for each in decided)
            if again or not any(name in find_nodes_after(builder, each) for each in fillers):
                raise BadInput(
                    f"The choice after '{name}' goes by '{key}', which the node '{name}' must write each time and does "
                    "not: take a node that does."
                )


def _check_loops(builder: Builder, declared: Mapping[str, NodeKeys], choices: Mapping[str, NodeKeys]) -> None:
    """What a loop's nodes read of a question is written in the loop, or each round would be as the one before."""
    empty = frozenset().union(*(keys.empty for keys in declared.values()))
    for start in (name for name, choice in choices.items() if choice.decisive):
        loop = [name for name in find_nodes_after(builder, start) if start in find_nodes_after(builder, name)]
        renewed = {key for key in empty if any(declared[name].fills(key) for name in loop)}
        for name in sorted(loop):
            if lacking := declared[name].reads & empty - renewed:
                raise BadInput(
                    f"The node '{name}' reads '{min(lacking)}' in each round, and no node of the loop writes it: "
                    f"{', '.join(sorted(loop))}."
                )


def _check_filled(builder: Builder, declared: Mapping[str, NodeKeys]) -> None:
    """What begins empty and is read is filled by some node."""
    filled = {key for key in builder.channels if any(keys.fills(key) for keys in declared.values())}
    for name, keys in declared.items():
        for key in sorted(keys.reads - filled):
            if any(key in others.empty for others in declared.values()):
                raise BadInput(f"The node '{name}' reads '{key}', which begins empty, and no node fills it.")


def add_nodes(builder: Builder, **nodes: Node) -> None:
    """Add nodes by name; each reads only the channels that it declares.

    A step whose update has a key that the graph's state lacks is refused when it runs.

    Args:
        builder: The graph.
        **nodes: Nodes by their names. Plain functions, coroutines, other runnables and compiled graphs become steps.

    Raises:
        BadInput: For what can't be a node.
    """
    for name, node in nodes.items():
        step = copy(as_node(name, node, builder))
        step.check_update = partial(_check_update, builder, name)
        builder.add_node(name, step, input_schema=getattr(step, "input_schema", None))


def check_wiring(builder: Builder) -> None:
    """Refuse a graph in which a node may read a key that no earlier node wrote, or writes a key that the state lacks.

    A graph is also refused if no path leads to one of its nodes, if a node or its recipe reads a setting that the
    graph's context lacks, or if a memory comes to a node without what the node needs of its recipe. Reads and writes
    are those that nodes declare (see `readgraph.graphs.wiring.declared`), and those of the functions that choose
    between edges. The input, and channels with a reducer, exist from the start. A node that declares nothing is taken
    to need nothing and to write anything, so after it no key counts as missing. What loops and edges need to change,
    and what begins empty, must be written too (see `readgraph.graphs.wiring.nodes`). Raises `BadInput`, which names
    the node, the key, and a path through the graph on which the key is missing.
    """
    declared = {name: find_node_keys(spec.runnable, builder.state_schema) for name, spec in builder.nodes.items()}
    _check_writes(builder, declared)
    check_settings(builder)
    check_recipes(builder, declared)
    for name in builder.nodes:
        if not path_avoiding(builder, (), name):
            raise BadInput(f"No path leads to the node '{name}': add an edge to it.")
    available = {name for name, channel in builder.channels.items() if channel.is_available()}
    available |= {*builder.managed, *builder.schemas[builder.input_schema]}
    for name, keys in declared.items():
        for key in sorted(keys.reads - available):
            _check_read(builder, f"The node '{name}'", name, key, _writers(declared, key))
    choices = dict(_choices(builder))
    for name, choice in choices.items():
        for key in sorted(choice.reads - available):
            if name not in (writers := _writers(declared, key)):
                _check_read(builder, f"The choice after '{name}'", name, key, writers)
    check_changes(builder, declared, choices)


def _check_update(builder: Builder, name: str, update: object) -> None:
    """Refuse what a node gives that no channel takes; nodes that were added later may have brought channels."""
    check_names(f"The node '{name}' writes", update, {*builder.channels, *builder.managed, *FOR_RECORD})


def _check_writes(builder: Builder, declared: dict[str, NodeKeys]) -> None:
    known = {*builder.channels, *builder.managed}
    for name, keys in declared.items():
        check_names(f"The node '{name}' writes", dict.fromkeys(keys.may_write), known)


def _check_read(builder: Builder, reader: str, node: str, key: str, writers: set[str]) -> None:
    if path := path_avoiding(builder, writers, node):
        raise BadInput(f"{reader} reads '{key}', which no earlier node writes on the path {' → '.join(path)}.")


def _writers(declared: dict[str, NodeKeys], key: str) -> set[str]:
    return {name for name, keys in declared.items() if keys.writes is None or key in keys.writes}


def _choices(builder: Builder) -> Iterator[tuple[str, NodeKeys]]:
    """The nodes after which an edge is chosen, with what the choosing functions declare."""
    for name, branches in builder.branches.items():
        choices = [find_node_keys(branch.path, builder.state_schema) for branch in branches.values()]
        reads = frozenset().union(*(choice.reads for choice in choices))
        yield name, NodeKeys(reads, decisive=frozenset().union(*(choice.decisive for choice in choices)))


class choosing(RunnableLambda[Any, str]):
    """A function `state -> name of the next node` for a conditional edge.

    LangGraph would give each choice to a thread, which takes longer than choosing. So this is for functions that don't
    block. Where somebody traces the run, the choice is a run of its own, as ever.
    """

    def __init__(self, choose: Callable[[Any], str]) -> None:
        super().__init__(choose)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> str:
        """The name of the next node."""
        return super().invoke(input, config, **kwargs) if _is_traced(config) else self._choose_next(input, config)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> str:
        """The name of the next node."""
        return (
            await super().ainvoke(input, config, **kwargs) if _is_traced(config) else self._choose_next(input, config)
        )

    def _choose_next(self, state: Any, config: RunnableConfig | None) -> str:
        before = var_child_runnable_config.set(config)
        try:
            return str(self.func(state))
        finally:
            var_child_runnable_config.reset(before)


def _is_traced(config: RunnableConfig | None) -> bool:
    """Whether anything listens to the runs inside of a run."""
    callbacks = (config or {}).get("callbacks")
    return bool(getattr(callbacks, "handlers", callbacks))
