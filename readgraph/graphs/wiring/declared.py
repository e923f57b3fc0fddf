"""What a node declares: the type of its first parameter gives the keys it reads, its return type those it writes."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_type_hints

from langgraph.graph.state import CompiledStateGraph
from typing_extensions import is_typeddict

from readgraph.graphs.wiring.states import base_of
from readgraph.graphs.wiring.subgraphs import GraphStep
from readgraph.nodes.bounds import DECISIVE
from readgraph.nodes.step import StepNode
from readgraph.state.channels.fresh_reading import Cleared, Empty

NOTHING: frozenset[str] = frozenset()

RECORDED = frozenset({"steps", "usage", "fallbacks", "corrected_notes"})
"""Keys that every step also writes: the record of its run."""

FOR_RECORD = frozenset({"step_summary"})
"""What a step returns for its record and is no key of the state; LangGraph drops it if a function is not a step."""


@dataclass(frozen=True, slots=True)
class Declared:
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


def declared_by(node: Any, whole_state: type[Any] | None = None) -> Declared:
    """What a node of a graph declares.

    A step declares the keys that either of its coroutines needs, and those that both write. A type that is not a
    `TypedDict`, or is the graph's whole state, declares nothing; nor does a node that is neither step nor function. A
    compiled graph declares what it gives.
    """
    if isinstance(node, GraphStep) and isinstance(node.graph, CompiledStateGraph):
        return _declared_inside(node, node.graph)
    if not isinstance(node, StepNode):
        function = getattr(node, "func", None) or getattr(node, "afunc", None)
        return _annotated(function, whole_state) if function else Declared()
    works = [work for work in (node.work, node.without_model) if work]
    declared = [_annotated(work, whole_state) for work in works]
    writes = [each.writes for each in declared if each.writes is not None]
    return Declared(
        reads=frozenset().union(*(each.reads for each in declared)),
        writes=frozenset.intersection(*writes) | RECORDED if writes else None,
        may_write=frozenset().union(*(each.may_write for each in declared)),
        empty=frozenset().union(*(each.empty for each in declared)),
    )


def _declared_inside(step: GraphStep, graph: CompiledStateGraph[Any, Any, Any, Any]) -> Declared:
    """What a compiled graph gives. One that begins a question gets none inside of another, and builds a memory only."""
    nodes = [node.runnable for node in graph.builder.nodes.values()]
    inside = [declared_by(node, graph.builder.state_schema) for node in nodes]
    given = step.gives & {*graph.builder.schemas[graph.builder.output_schema]}
    empty = given & frozenset().union(*(keys.empty for keys in inside))
    if not any(isinstance(node, StepNode) and node.starts_question for node in nodes):
        empty = frozenset(key for key in empty if not any(keys.fills(key) for keys in inside))
    return Declared(writes=given | RECORDED, may_write=given, empty=empty)


def _annotated(function: Callable[..., Any], whole_state: type[Any] | None) -> Declared:
    function = function if inspect.isroutine(function) else function.__call__  # type: ignore[operator]
    try:
        hints = get_type_hints(function)
        first = next(iter(inspect.signature(function).parameters), "")
    except (NameError, TypeError, ValueError):  # names that exist only for type checkers; callables without a signature
        return Declared()
    read, written = (_declaring(hints.get(name), whole_state) for name in (first, "return"))
    reads = read.__required_keys__ if read else NOTHING
    decisive = _marked(read, DECISIVE) if read else NOTHING
    if hints.get("return") is type(None):
        return Declared(reads, writes=NOTHING, decisive=decisive)
    if not written:
        return Declared(reads, decisive=decisive)
    cleared, keys = _marked(written, Cleared), frozenset(get_type_hints(written)) - FOR_RECORD
    writes = written.__required_keys__ - cleared - FOR_RECORD
    return Declared(reads, writes, keys, cleared | _marked(written, Empty), decisive)


def _marked(declaring: Any, mark: object) -> frozenset[str]:
    """The keys that a type marks so."""
    hints = get_type_hints(declaring, include_extras=True)
    return frozenset(key for key, hint in hints.items() if mark in getattr(hint, "__metadata__", ()))


def _declaring(annotation: Any, whole_state: type[Any] | None) -> Any:
    """The type, if it declares anything: the whole state doesn't, nor the one from which it was derived."""
    whole = (whole_state, base_of(whole_state))
    return annotation if is_typeddict(annotation) and annotation not in whole else None
