"""What all graph files need to wire nodes, and the check that what each node reads was written before."""

from collections.abc import Iterator
from difflib import get_close_matches

from readgraph.graphs.wiring.declared import Declared, declared_by
from readgraph.graphs.wiring.paths import Builder, path_avoiding
from readgraph.graphs.wiring.plain_functions import Node, as_node
from readgraph.graphs.wiring.settings import check_settings
from readgraph.state.errors import BadInput


def add_nodes(builder: Builder, **nodes: Node) -> None:
    """Add nodes by name, each reading only the channels that it declares; plain functions and coroutines too.

    Raises `BadInput` for what can't be a node.
    """
    for name, node in nodes.items():
        made = as_node(name, node)
        builder.add_node(name, made, input_schema=getattr(made, "input_schema", None))


def check_wiring(builder: Builder) -> None:
    """Refuse a graph in which a node may read what no node before it wrote, or writes what the state does not have.

    So is one with a node to which no way leads, or with a node that reads a setting which the graph's context lacks.
    What a node reads and writes is what it declares (see `readgraph.graphs.wiring.declared`); so do the functions that
    choose between edges. The input, and channels with a reducer, are there from the start. A node that declares nothing
    reads nothing that must be there, and may write anything: after it nothing can be found missing. Raises `BadInput`,
    which names the node, the key, and a way through the graph on which it is missing.
    """
    declared = {name: declared_by(spec.runnable, builder.state_schema) for name, spec in builder.nodes.items()}
    _check_writes(builder, declared)
    check_settings(builder)
    for name in builder.nodes:
        if not path_avoiding(builder, (), name):
            raise BadInput(f"No way leads to the node '{name}': add an edge to it.")
    there = {name for name, channel in builder.channels.items() if channel.is_available()}
    there |= {*builder.managed, *builder.schemas[builder.input_schema]}
    for name, says in declared.items():
        for key in sorted(says.reads - there):
            _check_read(builder, f"The node '{name}'", name, key, _writers(declared, key))
    for name, reads in _choices(builder):
        for key in sorted(reads - there):
            if name not in (writers := _writers(declared, key)):
                _check_read(builder, f"The choice behind '{name}'", name, key, writers)


def _check_writes(builder: Builder, declared: dict[str, Declared]) -> None:
    known = {*builder.channels, *builder.managed}
    for name, says in declared.items():
        for key in sorted(says.may_write - known):
            meant = "".join(f" (it has '{near}')" for near in get_close_matches(key, sorted(known), 1, cutoff=0.65))
            raise BadInput(f"The node '{name}' writes '{key}', which the graph's state does not have{meant}.")


def _check_read(builder: Builder, reader: str, at: str, key: str, writers: set[str]) -> None:
    if way := path_avoiding(builder, writers, at):
        raise BadInput(f"{reader} reads '{key}', which no node writes before on the way {' → '.join(way)}.")


def _writers(declared: dict[str, Declared], key: str) -> set[str]:
    return {name for name, says in declared.items() if says.writes is None or key in says.writes}


def _choices(builder: Builder) -> Iterator[tuple[str, frozenset[str]]]:
    """The nodes behind which an edge is chosen, with what the choosing function reads."""
    for name, branches in builder.branches.items():
        for branch in branches.values():
            yield name, declared_by(branch.path, builder.state_schema).reads
