"""What nodes declare: keys that they read and write, settings, the recipes of the memories that they build.

The type of a node's first parameter gives the keys it reads, its return type those it writes. The settings are the
fields of a graph's context, and of the form that Studio shows.
"""

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, get_type_hints

from langgraph.graph import START
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel import Pregel
from typing_extensions import is_typeddict

from readgraph.graphs.wiring.method_graph import GraphStep
from readgraph.graphs.wiring.paths import Builder, find_nodes_after, path_avoiding
from readgraph.nodes.bounds import DECISIVE
from readgraph.nodes.step import MakeRecipe, StepNode
from readgraph.state.channels import Cleared, Empty
from readgraph.state.context import ReaderContext, context_with
from readgraph.state.declaring import Groups, settings_in
from readgraph.state.errors import BadInput
from readgraph.state.settings import GROUPS

_BASES: dict[type[Any], type[Any]] = {}


def with_channels(state: type[Any], base: type[Any]) -> type[Any]:
    """The state, if it has all channels of a graph's own, unchanged; raises `BadInput` if not."""
    own, needed = (get_type_hints(each, include_extras=True) for each in (state, base))
    for name, kind in needed.items():
        if own.get(name) != kind:
            raise BadInput(
                f"The state {state.__name__} has '{name}' not as {base.__name__} has it: derive it from that, "
                f"class {state.__name__}({base.__name__}), and add channels with other names."
            )
    if state is not base:
        _BASES[state] = base
    return state


def base_of(state: type[Any] | None) -> type[Any] | None:
    """The state from which one with further channels was derived; None where it is none of these."""
    return _BASES.get(state) if state else None


NOTHING: frozenset[str] = frozenset()

RECORDED = frozenset({"steps", "usage", "fallbacks", "corrected_notes"})
"""Keys that every step also writes: the record of its run."""

FOR_RECORD = frozenset({"step_summary"})
"""What a step returns for its record and is no key of the state; LangGraph drops it if a function is not a step."""


@dataclass(frozen=True, slots=True)
class NodeKeys:
    """The keys of the state that a node needs, those that it always writes, and those that it may write.

    `NotRequired` keys are optional: they may be missing, and may stay unwritten. A key that is only `Cleared` counts as
    unwritten. `writes` is None if nothing is declared: such a node may write anything. `empty`: those that it only
    begins (`Cleared` or `Empty`); `decisive`: those of `reads` by which an edge is chosen (`DECISIVE`).
    """

    reads: frozenset[str] = NOTHING
    writes: frozenset[str] | None = None
    may_write: frozenset[str] = NOTHING
    empty: frozenset[str] = NOTHING
    decisive: frozenset[str] = NOTHING

    def may_give(self, key: str) -> bool:
        """Whether the node may write the key."""
        return self.writes is None or key in self.may_write

    def fills(self, key: str) -> bool:
        """Whether the node may write more to the key than its beginning."""
        return self.may_give(key) and key not in self.empty


def find_node_keys(node: Any, whole_state: type[Any] | None = None) -> NodeKeys:
    """What a node of a graph declares.

    A step declares the keys that either of its coroutines needs, and those that both write. A type that is not a
    `TypedDict`, or is the graph's whole state, declares nothing; nor does a node that is neither step nor function. A
    compiled graph declares what it gives.
    """
    if isinstance(node, GraphStep) and isinstance(node.graph, CompiledStateGraph):
        return _keys_of_graph(node, node.graph)
    if not isinstance(node, StepNode):
        function = getattr(node, "func", None) or getattr(node, "afunc", None)
        return _keys_of_function(function, whole_state) if function else NodeKeys()
    works = [work for work in (node.work, node.without_model) if work]
    declared = [_keys_of_function(work, whole_state) for work in works]
    writes = [each.writes for each in declared if each.writes is not None]
    return NodeKeys(
        reads=frozenset().union(*(each.reads for each in declared)),
        writes=frozenset.intersection(*writes) | RECORDED if writes else None,
        may_write=frozenset().union(*(each.may_write for each in declared)),
        empty=frozenset().union(*(each.empty for each in declared)),
    )


def _keys_of_graph(step: GraphStep, graph: CompiledStateGraph[Any, Any, Any, Any]) -> NodeKeys:
    """What a compiled graph gives. One that begins a question gets none inside of another, and builds a memory only."""
    nodes = [node.runnable for node in graph.builder.nodes.values()]
    inside = [find_node_keys(node, graph.builder.state_schema) for node in nodes]
    given = step.gives & {*graph.builder.schemas[graph.builder.output_schema]}
    empty = given & frozenset().union(*(keys.empty for keys in inside))
    if not any(isinstance(node, StepNode) and node.starts_question for node in nodes):
        empty = frozenset(key for key in empty if not any(keys.fills(key) for keys in inside))
    return NodeKeys(writes=given | RECORDED, may_write=given, empty=empty)


def _keys_of_function(function: Callable[..., Any], whole_state: type[Any] | None) -> NodeKeys:
    function = function if inspect.isroutine(function) else function.__call__  # type: ignore[operator]
    try:
        hints = get_type_hints(function)
        first = next(iter(inspect.signature(function).parameters), "")
    except (NameError, TypeError, ValueError):  # names that exist only for type checkers; callables without a signature
        return NodeKeys()
    read, written = (_type_of_channels(hints.get(name), whole_state) for name in (first, "return"))
    reads = read.__required_keys__ if read else NOTHING
    decisive = _keys_with_mark(read, DECISIVE) if read else NOTHING
    if hints.get("return") is type(None):
        return NodeKeys(reads, writes=NOTHING, decisive=decisive)
    if not written:
        return NodeKeys(reads, decisive=decisive)
    cleared, keys = _keys_with_mark(written, Cleared), frozenset(get_type_hints(written)) - FOR_RECORD
    writes = written.__required_keys__ - cleared - FOR_RECORD
    return NodeKeys(reads, writes, keys, cleared | _keys_with_mark(written, Empty), decisive)


def _keys_with_mark(declaring: Any, mark: object) -> frozenset[str]:
    """The keys that a type marks so."""
    hints = get_type_hints(declaring, include_extras=True)
    return frozenset(key for key, hint in hints.items() if mark in getattr(hint, "__metadata__", ()))


def _type_of_channels(annotation: Any, whole_state: type[Any] | None) -> Any:
    """The type, if it declares anything: the whole state doesn't, nor the one from which it was derived."""
    whole = (whole_state, base_of(whole_state))
    return annotation if is_typeddict(annotation) and annotation not in whole else None


MODELS = ("", "provider:name")
"""A recipe may hold other parameters with a model than without."""


class _SettingsRecorder:
    """A context that notes which settings are read of it."""

    def __init__(self, model: str) -> None:
        self._context, self.settings = ReaderContext(model=model), set[str]()

    def __getattr__(self, name: str) -> Any:
        self.settings.add(name)
        return getattr(self._context, name)


def settings_of_recipe(recipe: MakeRecipe) -> frozenset[str]:
    """The names of the settings that a recipe is made of."""
    watched = [_SettingsRecorder(model) for model in MODELS]
    for context in watched:
        recipe(context)  # type: ignore[arg-type]
    return frozenset().union(*(context.settings for context in watched))


def check_recipes(builder: Builder, declared: Mapping[str, NodeKeys]) -> None:
    """Refuse a node to which a memory comes without what the node needs of its recipe.

    A memory from a node that says no recipe may hold anything. Notes that a model writes and nothing uses are refused
    too. Raises `BadInput`, which names both nodes.
    """
    writers = {name for name, keys in declared.items() if keys.writes is None or "memory" in keys.may_write}
    _check_notes(builder, writers)
    for name, needs in _nodes_with_needs(builder):
        for writer in sorted(writers - {name}):
            lacking = needs - _parameters(builder.nodes[writer].runnable, needs)
            # Without any writer the graph is refused anyway: the memory comes from this one where no other ran.
            if lacking and path_avoiding(builder, writers - {writer, name}, name):
                raise BadInput(
                    f"The node '{name}' needs a memory whose recipe has '{min(lacking)}', and the node '{writer}' "
                    "builds one without: take a node that builds with it."
                )


def _check_notes(builder: Builder, writers: Collection[str]) -> None:
    """Refuse to pay for notes where only the pages are taken."""
    for name in [name for name, node in builder.nodes.items() if getattr(node.runnable, "pages_alone", False)]:
        for writer in sorted(writers):
            if _pays_for_notes(builder.nodes[writer].runnable) and name in find_nodes_after(builder, writer):
                raise BadInput(
                    f"The node '{writer}' has a model write notes, and '{name}' takes the pages alone: take a node "
                    "that only cuts the text into pages, such as readgraph.graphs.mem_gpt.read."
                )


def _pays_for_notes(node: Any) -> bool:
    if isinstance(node, GraphStep) and isinstance(node.graph, CompiledStateGraph):
        return any(_pays_for_notes(inner.runnable) for inner in node.graph.builder.nodes.values())
    return isinstance(node, StepNode) and node.builds


def _nodes_with_needs(builder: Builder) -> Iterator[tuple[str, frozenset[str]]]:
    for name, node in builder.nodes.items():
        if isinstance(node.runnable, StepNode) and node.runnable.needs:
            yield name, node.runnable.needs


def _parameters(node: Any, unknown: frozenset[str]) -> frozenset[str]:
    """The parameters of the recipe with which a node builds; `unknown` where it says none.

    A compiled graph's are those of its nodes that give a memory.
    """
    if isinstance(node, GraphStep) and isinstance(node.graph, CompiledStateGraph):
        inside = node.graph.builder
        declared = {each.runnable: find_node_keys(each.runnable, inside.state_schema) for each in inside.nodes.values()}
        giving = [each for each, keys in declared.items() if keys.writes is None or "memory" in keys.may_write]
        return frozenset().union(*(_parameters(each, unknown) for each in giving)) if giving else unknown
    if not (isinstance(node, StepNode) and node.recipe):
        return unknown
    first, *others = (frozenset(node.recipe(ReaderContext(model=model)).parameters) for model in MODELS)
    return first.intersection(*others)


def fit_context(builder: Builder) -> None:
    """Limit a graph's context to the settings that its nodes use.

    A node that was swapped in adds its own settings, and those of the recipe with which it builds. Nodes that declare
    none, such as plain functions, add none: they see the defaults, or the values of a complete `ReaderContext`.
    """
    builder.context_schema = context_with(
        group for node in builder.nodes.values() for group in groups_of(node.runnable)
    )


def check_settings(builder: Builder) -> None:
    """Refuse a node that uses a setting which the graph's context lacks; raises `BadInput`, which names both.

    A graph without a context schema takes any setting, and is not checked.
    """
    if builder.context_schema is None:
        return
    known = settings_in(builder.context_schema)
    for name, node in builder.nodes.items():
        for setting in _settings(node.runnable):
            if setting not in known:
                raise BadInput(
                    f"The node '{name}' reads the setting '{setting}', which the graph's context does not have: give "
                    "the graph context_schema=ReaderContext, or call fit_context before the check."
                )


def settings_before_question(builder: Builder) -> set[str]:
    """The settings that are used without a question: those of the nodes up to the first choice of an edge."""
    waiting, passed = [START], set[str]()
    while waiting:
        passed.add(node := waiting.pop())
        if node not in builder.branches:
            waiting += [end for start, end in builder.edges if start == node and end in builder.nodes]
    return {setting for name in passed - {START} for setting in _settings(builder.nodes[name].runnable)}


def _settings(node: Any) -> Iterator[str]:
    return chain((setting for group in groups_of(node) for setting in settings_in(group)), _of_recipe(node))


def _of_recipe(node: Any) -> frozenset[str]:
    recipe = node.recipe if isinstance(node, StepNode) else None
    return settings_of_recipe(recipe) if recipe else frozenset()


def groups_of(node: Any) -> Groups:
    """The groups of settings that a node declares: a step's own, and those in a graph's context, or of its nodes."""
    if isinstance(node, StepNode):
        read = _of_recipe(node)
        of_recipe = (group for group in GROUPS if read & {*settings_in(group)} and group not in node.settings)
        return (*node.settings, *of_recipe)
    if not isinstance(node, Pregel):
        return ()
    if isinstance(node, CompiledStateGraph) and not node.context_schema:
        used = {group for inner in node.builder.nodes.values() for group in groups_of(inner.runnable)}
        return tuple(group for group in GROUPS if group in used)
    known = settings_in(node.context_schema) if node.context_schema else ()
    return tuple(group for group in GROUPS if {*settings_in(group)} <= {*known})
