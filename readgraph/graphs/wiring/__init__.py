"""Wiring of a graph's nodes, the check that they fit together, and what the `build` functions of all methods share.

A function, another runnable or a compiled graph becomes a step, too. In each `build`, every argument is a node: one of
readgraph's, or a function or coroutine `(state, runtime) -> update`; but `state`, which may be a class derived from the
graph's own, with further channels. Each raises `BadInput` where a node reads a key that no earlier node writes.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Mapping
from copy import copy
from functools import partial, wraps
from inspect import Parameter, signature
from itertools import pairwise
from types import NoneType, UnionType
from typing import Annotated, Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.config import get_config
from langgraph.graph import END, StateGraph
from langgraph.pregel.protocol import PregelProtocol
from langgraph.runtime import Runtime
from langgraph.types import TracePolicy
from langgraph.typing import InputT, OutputT, StateT
from typing_extensions import TypedDict

from readgraph.graphs.wiring.checks import check_output, check_wiring
from readgraph.graphs.wiring.declared import FOR_RECORD, fit_context, groups_of, with_channels
from readgraph.graphs.wiring.method_graph import (
    Builder,
    GraphStep,
    MethodGraph,
    check_names,
    check_values,
    tracers_seen,
)
from readgraph.nodes.bounds import SearchProgress, within_loop_limit
from readgraph.nodes.contracts import Node
from readgraph.nodes.step import INSTEAD, StepNode, as_update, what_instead
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.variables import set_variable

__all__ = ["add_nodes", "check_wiring", "fit_context"]

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
    refuse_unfit(name, node)

    @wraps(node)
    async def work(state: Any, runtime: Runtime[ReaderContext]) -> Mapping[str, Any]:
        arguments = {parameter: OFFERED[offered](runtime) for parameter, offered in parameters.items()}
        call = partial(node, state, **arguments)
        update = call() if _is_coroutine(node) else await asyncio.to_thread(call)
        return as_update(name, await update if inspect.isawaitable(update) else update)

    return StepNode(work, alone=True)


def refuse_unfit(name: str, function: Callable[..., Any]) -> None:
    """Refuse what is known to return no dictionary: a generator, or a function that says so; raises `BadInput`."""
    called = function if inspect.isroutine(function) else getattr(function, "func", type(function).__call__)
    if inspect.isgeneratorfunction(called) or inspect.isasyncgenfunction(called):
        raise BadInput(f"The node '{name}' is a generator: {INSTEAD['generator'].replace('the', 'give the', 1)}.")
    try:
        declared = get_type_hints(called).get("return", Any)
    except (NameError, TypeError):  # names that exist only for type checkers
        return
    _refuse_types(name, [*_types(declared)])


def _refuse_types(name: str, given: list[type[Any]], instead: str = "") -> None:
    if given and not any(kind is NoneType or issubclass(kind, Mapping) for kind in given):
        raise BadInput(
            f"The node '{name}' gives {given[0].__name__}, where a dictionary of what changed is needed."
            f"{instead or what_instead(given[0])}"
        )


def _is_coroutine(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


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


def as_node(name: str, node: Node[Any, Any], builder: Builder) -> StepNode[Any, Any]:
    """Make it a step with this name; raises `BadInput` for anything that can't be a node of this graph."""
    if isinstance(node, StepNode):
        for work in filter(None, (node.work, node.without_model)):
            refuse_unfit(name, work)
            if inspect.isfunction(work) and not inspect.iscoroutinefunction(work):
                raise BadInput(f"The node '{name}' is a plain function: make it `async def`, or give it without @node.")
        return node
    if isinstance(node, PregelProtocol):
        return GraphStep(name, node, builder, settings=groups_of(node))
    if isinstance(node, Runnable):
        return _step_of_runnable(name, node)
    return step_of_function(name, node)


def _step_of_runnable(name: str, runnable: Runnable[Any, Any]) -> StepNode[Any, Any]:
    """A step that gives a runnable, such as a chain, the state; refused if it is known to give no dictionary."""
    if function := getattr(runnable, "func", None) or getattr(runnable, "afunc", None):
        refuse_unfit(name, function)
    try:
        given = [*_types(runnable.OutputType)]
    except TypeError:  # it says none
        given = []
    _refuse_types(name, given, " End it with a function that makes one.")

    async def work(state: Any, runtime: Runtime[ReaderContext]) -> Mapping[str, Any]:
        return as_update(name, await runnable.ainvoke(state))

    if isinstance(runnable, RunnableLambda) and function:
        declared = getattr(function, "__annotations__", {})
        first = next(iter(declared), "return")  # only a function's state and return say what it reads and writes
        work.__annotations__ = {"state": declared[first] if first != "return" else Any}
        work.__annotations__ |= {"return": declared["return"]} if "return" in declared else {}
    work.__name__, work.__doc__, work.__module__ = name, getattr(function, "__doc__", None), type(runnable).__module__
    return StepNode(work, alone=True)


def _types(annotation: Any) -> Iterator[type[Any]]:
    """The classes that a type stands for; none if it may be anything."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from _types(arguments[0])
    elif origin in (Union, UnionType):
        members = [[*_types(argument)] for argument in arguments]
        if all(members):
            yield from (kind for member in members for kind in member)
    elif origin in (Awaitable, Coroutine):
        yield from _types(arguments[-1])
    elif isinstance(origin or annotation, type) and annotation not in (object, Any):
        yield origin or annotation


OWN = "readgraph."  # the steps of our own modules keep to their types

LONGEST_TRACED, MOST_TRACED = 80, 20  # characters of a text, and numbers of a list, that traces of a step show


def hide_texts(value: Any) -> Any:
    """What a step reads or writes as traces record it: of longer texts, and of what may hold some, only the size.

    LangGraph asks for it also where nothing is traced: then it stays as it is, which takes a tenth less of a question.
    """
    if not tracers_seen():
        return value
    return {key: _hide(part) for key, part in value.items()} if isinstance(value, Mapping) else _hide(value)


def _hide(part: Any) -> Any:
    if isinstance(part, str):
        return part if len(part) <= LONGEST_TRACED else f"({len(part):,} characters)"
    if isinstance(part, list) and len(part) <= MOST_TRACED and all(isinstance(each, int) for each in part):
        return part
    return f"({len(part):,} items)" if isinstance(part, list | tuple | Mapping) else part


WITHOUT_TEXTS = TracePolicy(process_inputs=hide_texts, process_outputs=hide_texts)


def add_nodes(builder: Builder, **nodes: Node[Any, Any]) -> None:
    """Add nodes by name; each reads only the channels that it declares.

    A step whose update has a key that the graph's state lacks is refused when it runs, and a value of another type
    than its channel's in one that is not readgraph's.

    Args:
        builder: The graph.
        **nodes: Nodes by their names. Plain functions, coroutines, other runnables and compiled graphs become steps.

    Raises:
        BadInput: For what can't be a node.
    """

    def check_update(what: str, own: bool, update: object) -> None:  # later nodes may have brought channels
        check_names(what, update, {*builder.channels, *builder.managed, *FOR_RECORD})
        if not own:
            check_values(what, update, builder.state_schema)

    for name, node in nodes.items():
        step = copy(as_node(name, node, builder))
        step.name = name
        step.check_update = partial(check_update, f"The node '{name}' writes", step.work.__module__.startswith(OWN))
        builder.add_node(name, step, input_schema=getattr(step, "input_schema", None), trace_policy=WITHOUT_TEXTS)


class choosing(RunnableLambda[Any, str]):
    """A function `state -> name of the next node` for a conditional edge.

    It must not block: LangGraph's thread for each choice takes longer. Where a run is traced, it is a run of its own.
    """

    def __init__(self, choose: Callable[[Any], str]) -> None:
        super().__init__(choose)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> str:
        """The name of the next node."""
        if _is_traced(config):
            return super().invoke(input, config, **kwargs)
        with set_variable(var_child_runnable_config, config):
            return str(self.func(input))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> str:
        """The name of the next node."""
        return await super().ainvoke(input, config, **kwargs) if _is_traced(config) else self.invoke(input, config)


def _is_traced(config: RunnableConfig | None) -> bool:
    """Whether anything listens to the runs inside of a run."""
    callbacks = (config or {}).get("callbacks")
    return bool(getattr(callbacks, "handlers", callbacks))


BuilderT = TypeVar("BuilderT", bound=StateGraph[Any, Any, Any, Any])
BuildP = ParamSpec("BuildP")


def complete_graph(build: Callable[BuildP, BuilderT]) -> Callable[BuildP, BuilderT]:
    """Give the graph of a `build` the settings that its nodes use, and check its wiring.

    Refused are also what is no step of the graph, and a step that leaves the graph's output unwritten.
    """

    @wraps(build)
    def build_complete(*args: BuildP.args, **steps: BuildP.kwargs) -> BuilderT:
        parameters, known = signature(build).parameters, [*_steps_of(build)]
        if args:
            raise BadInput(f"Steps are given by name, such as {build.__name__}({(known or ['step'])[0]}=…).")
        where = f"this graph, of the steps {', '.join(known)}," if known else "this graph"
        check_names(f"{build.__name__}() was given", steps, known, where)
        builder = build(*args, **steps)
        fit_context(builder)
        check_wiring(builder)
        needed: Any = {name: step for name, step in steps.items() if _is_required(parameters.get(name))}
        if steps.keys() - needed:
            check_output(builder, build(**needed))  # type: ignore[call-arg]
        return builder

    return build_complete


def _is_required(parameter: Parameter | None) -> bool:
    return parameter is not None and parameter.default is parameter.empty


def _steps_of(build: Callable[..., Any]) -> Iterator[str]:
    """The names of what a `build` takes."""
    for name, parameter in signature(build).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            yield from get_type_hints(get_args(get_type_hints(build)[name])[0])
        else:
            yield name


def begin_graph(
    state: type[Any], own: type[StateT], given: type[InputT], output: type[OutputT]
) -> MethodGraph[StateT, ReaderContext, InputT, OutputT]:
    """A graph without nodes, whose `state` has all channels of the graph's `own`."""
    return MethodGraph(
        with_channels(state, own), context_schema=ReaderContext, input_schema=given, output_schema=output
    )


def add_path(builder: Builder, *names: str) -> None:
    """Lead from each of these nodes to the next."""
    for before, after in pairwise(names):
        builder.add_edge(before, after)


class Begun(TypedDict):
    """What decides whether anything follows the reading."""

    question_text: str


def add_question(builder: Builder, read: str, asked: str) -> None:
    """After the node `read`, go on to the question with the node `asked`, if there is one."""

    def choose_question_or_end(state: Begun) -> str:
        return asked if state["question_text"] else END

    builder.add_conditional_edges(read, choosing(choose_question_or_end), [asked, END])


def add_search(
    builder: Builder,
    decides: str,
    on: str,
    otherwise: str = "answer",
    *,
    loop: Collection[str] = (),
    most: Callable[[ReaderContext], int] | None = None,
) -> None:
    """After the node `decides`, go on with the node `on` where there is more to look for, else with `otherwise`.

    `loop` names the nodes of a loop that this closes, which goes round at most `most` times (`within_loop_limit`).
    """

    def choose_search_or_answer(state: SearchProgress) -> str:
        looking = state["continue_search"] and (most is None or within_loop_limit(state, loop, most))
        return on if looking else otherwise

    builder.add_conditional_edges(decides, choosing(choose_search_or_answer), [on, otherwise])
