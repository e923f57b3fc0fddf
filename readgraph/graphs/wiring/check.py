"""Add nodes to a graph, and check that every key that a node reads was written before."""

from collections.abc import Iterator
from copy import copy
from functools import partial

from readgraph.graphs.wiring.changes import check_changes
from readgraph.graphs.wiring.declared import FOR_RECORD, Declared, declared_by
from readgraph.graphs.wiring.known_names import check_names
from readgraph.graphs.wiring.nodes import Node, as_node
from readgraph.graphs.wiring.paths import Builder, path_avoiding
from readgraph.graphs.wiring.recipes import check_recipes
from readgraph.graphs.wiring.settings import check_settings
from readgraph.state.errors import BadInput


def add_nodes(builder: Builder, **nodes: Node) -> None:
    """Add nodes by name; each reads only the channels that it declares.

    Plain functions, coroutines, other runnables and compiled graphs are accepted: they become steps. A step whose
    update has a key that the graph's state lacks is refused when it runs.

    Raises `BadInput` for what can't be a node.
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
    and what begins empty, must be written too (see `readgraph.graphs.wiring.changes`). Raises `BadInput`, which names
    the node, the key, and a path through the graph on which the key is missing.
    """
    declared = {name: declared_by(spec.runnable, builder.state_schema) for name, spec in builder.nodes.items()}
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


def _check_writes(builder: Builder, declared: dict[str, Declared]) -> None:
    known = {*builder.channels, *builder.managed}
    for name, keys in declared.items():
        check_names(f"The node '{name}' writes", dict.fromkeys(keys.may_write), known)


def _check_read(builder: Builder, reader: str, node: str, key: str, writers: set[str]) -> None:
    if path := path_avoiding(builder, writers, node):
        raise BadInput(f"{reader} reads '{key}', which no earlier node writes on the path {' → '.join(path)}.")


def _writers(declared: dict[str, Declared], key: str) -> set[str]:
    return {name for name, keys in declared.items() if keys.writes is None or key in keys.writes}


def _choices(builder: Builder) -> Iterator[tuple[str, Declared]]:
    """The nodes after which an edge is chosen, with what the choosing functions declare."""
    for name, branches in builder.branches.items():
        choices = [declared_by(branch.path, builder.state_schema) for branch in branches.values()]
        reads = frozenset().union(*(choice.reads for choice in choices))
        yield name, Declared(reads, decisive=frozenset().union(*(choice.decisive for choice in choices)))
