"""`methods`: which methods there are, and what their graphs look like."""

import sys
from typing import Any

from rich.table import Table

from readgraph.cli.terminal.rendering import PLAIN, print_json
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.graphs.methods import METHODS, Method, method_named
from readgraph.graphs.wiring.declared import declared_by
from readgraph.state.errors import BadInput


def list_methods(*, as_json: bool) -> None:
    """A line for each method."""
    if as_json:
        print_json([_described(method) for method in METHODS.values()])
        return
    table = Table("method", "what it does", **PLAIN)
    for method in METHODS.values():
        table.add_row(Text(method.name, style="bold"), method.line)
    Console().print(table)


def show_method(name: str, *, mermaid: bool, as_json: bool) -> None:
    """A method's nodes with what they read and write, or its drawing in Mermaid's words."""
    if not name:
        raise BadInput("Which method is to be drawn? Name one: 'readgraph methods' lists them.")
    method = method_named(name)
    drawing = method.build().compile().get_graph().draw_mermaid()
    nodes = _nodes(method)
    if as_json:
        print_json(_described(method) | {"nodes": nodes, "mermaid": drawing})
        return
    if mermaid:
        sys.stdout.write(drawing)
        return
    console = Console()
    console.print(Text(f"{method.name}: {method.line}", style="bold"))
    table = Table("node", "reads", "writes", **PLAIN)
    for node in nodes:
        table.add_row(Text(node["name"]), Text(", ".join(node["reads"])), Text(", ".join(node["writes"])))
    console.print(table)


def _described(method: Method) -> dict[str, Any]:
    return {"name": method.name, "line": method.line, "graph": method.graph}


def _nodes(method: Method) -> list[dict[str, Any]]:
    """What each node needs to find in the state and what it writes, without the record that every step keeps."""
    builder = method.build()
    each = {name: declared_by(spec.runnable, builder.state_schema) for name, spec in builder.nodes.items()}
    return [
        {"name": name, "reads": sorted(says.reads), "writes": sorted(says.may_write)} for name, says in each.items()
    ]
