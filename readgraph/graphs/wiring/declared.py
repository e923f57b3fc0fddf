"""What nodes declare: keys that they read and write, settings, the recipes of the memories that they build.

The type of a node's first parameter gives the keys it reads, its return type those it writes.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, get_type_hints

from langgraph.graph import START
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel import Pregel
from typing_extensions import is_typeddict

from readgraph.graphs.wiring.method_graph import Builder, GraphStep, builder_inside
from readgraph.nodes.bounds import DECISIVE
from readgraph.nodes.contracts import PAGES_ALONE
from readgraph.nodes.step import StepNode
from readgraph.state.channels import Cleared, Empty
from readgraph.state.context import ReaderContext, context_with
from readgraph.state.declaring import Groups, settings_in
from readgraph.state.errors import BadInput
from readgraph.state.settings import GROUPS

_BASES: dict[type[Any] | None, type[Any]] = {}
"""The states from which others with further channels were derived, by these."""


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


NOTHING: frozenset[str] = frozenset()


def union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    """All that is in any of these sets."""
    return NOTHING.union(*sets)


RECORDED = frozenset({"steps", "usage", "fallbacks", "corrected_notes"})
"""Keys that every step also writes: the record of its run."""

FOR_RECORD = frozenset({"step_summary"})
"""What a step returns for its record and is no key of the state; LangGraph drops it if a function is not a step."""


@dataclass(frozen=True, slots=True)
class NodeKeys:
    """The keys of the state that a node needs, those that it always writes, and those that it may write.

    `NotRequired` keys are optional: they may be missing, and may stay unwritten. A key that is only `Cleared` counts as
    unwritten. `writes` is None if nothing is declared: such a node may write anything. `empty`: those that it only
    begins (`Cleared` or `Empty`); `decisive`: those of `reads` by which an edge is chosen (`DECISIVE`); `notes`: it may
    use the notes of the memory.
    """

    reads: frozenset[str] = NOTHING
    writes: frozenset[str] | None = None
    may_write: frozenset[str] = NOTHING
    empty: frozenset[str] = NOTHING
    decisive: frozenset[str] = NOTHING
    notes: bool = True

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
    compiled graph declares what it gives; one that begins a question gets none inside of another: it builds a memory.
    """
    if isinstance(node, GraphStep) and (inside := builder_inside(node)):
        nodes = [spec.runnable for spec in inside.nodes.values()]
        keys = [find_node_keys(each, inside.state_schema) for each in nodes]
        given = node.gives & {*inside.schemas[inside.output_schema]}
        empty = given & union(node_keys.empty for node_keys in keys)
        if not any(isinstance(each, StepNode) and each.starts_question for each in nodes):
            empty = frozenset(key for key in empty if not any(node_keys.fills(key) for node_keys in keys))
        return NodeKeys(writes=given | RECORDED, may_write=given, empty=empty, notes="memory" in inside.channels)
    if not isinstance(node, StepNode):
        function = getattr(node, "func", None) or getattr(node, "afunc", None)
        return _keys_of_function(function, whole_state) if function else NodeKeys()
    declared = [_keys_of_function(work, whole_state) for work in (node.work, node.without_model) if work]
    writes = [node_keys.writes for node_keys in declared if node_keys.writes is not None]
    return NodeKeys(
        reads=union(node_keys.reads for node_keys in declared),
        writes=frozenset.intersection(*writes) | RECORDED if writes else None,
        may_write=union(node_keys.may_write for node_keys in declared),
        empty=union(node_keys.empty for node_keys in declared),
        notes=any(node_keys.notes for node_keys in declared),
    )


def _keys_of_function(function: Callable[..., Any], whole_state: type[Any] | None) -> NodeKeys:
    function = function if inspect.isroutine(function) else function.__call__  # type: ignore[operator]
    try:
        hints = get_type_hints(function)
        first = next(iter(inspect.signature(function).parameters), "")
    except (NameError, TypeError, ValueError):  # names that exist only for type checkers; callables without a signature
        return NodeKeys()
    whole = (whole_state, _BASES.get(whole_state))  # these declare nothing
    read, written = (
        hint if is_typeddict(hint) and hint not in whole else None for hint in (hints.get(first), hints.get("return"))
    )
    reads = read.__required_keys__ if read else NOTHING
    decisive = _keys_with_mark(read, DECISIVE) if read else NOTHING
    notes = not read or "memory" in get_type_hints(read).keys() - _keys_with_mark(read, PAGES_ALONE)
    if hints.get("return") is type(None):
        return NodeKeys(reads, writes=NOTHING, decisive=decisive, notes=notes)
    if not written:
        return NodeKeys(reads, decisive=decisive, notes=notes)
    cleared, keys = _keys_with_mark(written, Cleared), frozenset(get_type_hints(written)) - FOR_RECORD
    writes = written.__required_keys__ - cleared - FOR_RECORD
    return NodeKeys(reads, writes, keys, cleared | _keys_with_mark(written, Empty), decisive, notes)


def _keys_with_mark(declaring: Any, mark: object) -> frozenset[str]:
    hints = get_type_hints(declaring, include_extras=True)
    return frozenset(key for key, hint in hints.items() if mark in getattr(hint, "__metadata__", ()))


MODELS = ("", "provider:name")  # A recipe may hold other parameters with a model than without


class _SettingsRecorder:
    """A context that notes which settings are read of it."""

    def __init__(self, model: str) -> None:
        self._context, self.settings = ReaderContext(model=model), set[str]()

    def __getattr__(self, name: str) -> Any:
        self.settings.add(name)
        return getattr(self._context, name)


def fit_context(builder: Builder) -> None:
    """Limit a graph's context to the settings that its nodes use.

    A node that was swapped in adds its own and its recipe's. Plain functions add none: they see defaults, or all.
    """
    builder.context_schema = context_with(
        group for node in builder.nodes.values() for group in groups_of(node.runnable)
    )


def settings_before_question(builder: Builder) -> set[str]:
    """The settings that are used without a question: those of the nodes up to the first choice of an edge."""
    waiting, passed = [START], set[str]()
    while waiting:
        passed.add(node := waiting.pop())
        if node not in builder.branches:
            waiting += [end for start, end in builder.edges if start == node and end in builder.nodes]
    return {setting for name in passed - {START} for setting in settings_of_node(builder.nodes[name].runnable)}


def settings_of_node(node: Any) -> Iterator[str]:
    """The names of the settings that a node reads, or its recipe."""
    return chain((setting for group in groups_of(node) for setting in settings_in(group)), _of_recipe(node))


def _of_recipe(node: Any) -> frozenset[str]:
    if not (isinstance(node, StepNode) and node.recipe):
        return NOTHING
    watched = [_SettingsRecorder(model) for model in MODELS]
    for context in watched:
        node.recipe(context)  # type: ignore[arg-type]
    return union(frozenset(context.settings) for context in watched)


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
