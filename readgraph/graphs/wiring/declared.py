"""What a node declares: the type of its first parameter says what it reads, its return type what it writes."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_type_hints

from typing_extensions import is_typeddict

from readgraph.nodes.step import StepNode
from readgraph.state.reading import Cleared

NOTHING: frozenset[str] = frozenset()

RECORDED = frozenset({"steps", "usage", "fallbacks"})
"""What every step writes besides: the record of its run."""

TOLD = frozenset({"step_summary"})
"""What a step returns for its record, and is no key of the state; LangGraph drops it where a function is no step."""


@dataclass(frozen=True, slots=True)
class Declared:
    """The keys of the state that a node must find there, those that it writes always, and those that it may write.

    Keys that are `NotRequired` need not be there, and may stay unwritten; those that are only `Cleared` do. `writes` is
    none where nothing is declared: such a node may write anything.
    """

    reads: frozenset[str] = NOTHING
    writes: frozenset[str] | None = None
    may_write: frozenset[str] = NOTHING


def declared_by(node: Any, whole_state: type[Any] | None = None) -> Declared:
    """What a node of a graph declares.

    A step declares what both of its coroutines need, and what both of them write. A type that is no `TypedDict`, and
    that of the graph's whole state, declare nothing; nor does a node that is neither a step nor a function.
    """
    if not isinstance(node, StepNode):
        function = getattr(node, "func", None) or getattr(node, "afunc", None)
        return _annotated(function, whole_state) if function else Declared()
    works = [work for work in (node.work, node.without_model) if work]
    each = [_annotated(work, whole_state) for work in works]
    known = [one.writes for one in each if one.writes is not None]
    return Declared(
        reads=frozenset().union(*(one.reads for one in each)),
        writes=frozenset.intersection(*known) | RECORDED if known else None,
        may_write=frozenset().union(*(one.may_write for one in each)),
    )


def _annotated(function: Callable[..., Any], whole_state: type[Any] | None) -> Declared:
    function = function if inspect.isroutine(function) else function.__call__  # type: ignore[operator]
    try:
        hints = get_type_hints(function)
        first = next(iter(inspect.signature(function).parameters), "")
    except (NameError, TypeError, ValueError):  # names that only a type checker sees; callables without a signature
        return Declared()
    read, written = (_declaring(hints.get(name), whole_state) for name in (first, "return"))
    reads = read.__required_keys__ if read else NOTHING
    if hints.get("return") is type(None):
        return Declared(reads, writes=NOTHING)
    if not written:
        return Declared(reads)
    hints = get_type_hints(written, include_extras=True)
    cleared = {key for key, hint in hints.items() if Cleared in getattr(hint, "__metadata__", ())}
    return Declared(reads, written.__required_keys__ - cleared - TOLD, frozenset(hints) - TOLD)


def _declaring(annotation: Any, whole_state: type[Any] | None) -> Any:
    return annotation if is_typeddict(annotation) and annotation is not whole_state else None
