"""`methods` and `prompts export`: list the methods, show their graphs, write the words of all prompts."""

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from rich.table import Table

from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import PLAIN, Console, SafeText
from readgraph.graphs.method_facts import PAPERS, find_shared_nodes
from readgraph.graphs.methods import Method, OwnMethod, every_method, method_typed, methods_named_like_ours
from readgraph.graphs.wiring.declared import find_node_keys
from readgraph.models.replaced_words import export_words
from readgraph.nodes.prompts import every_wording
from readgraph.state.errors import BadInput


def list_methods(*, as_json: bool) -> None:
    """Print a line for each method; of another package's, also why it can't be used, if it can't."""
    listed = [(method, _fault(method)) for method in every_method()]
    listed += [(method, "Not used: one of ours has this name.") for method in methods_named_like_ours()]
    if as_json:
        print_json([_method_value(method) | {"problem": problem} for method, problem in listed])
        return
    table = Table("method", "what it does", **PLAIN)
    for method, problem in listed:
        wrong = SafeText(f" ✗ {problem}" if problem else "", style="red")
        table.add_row(SafeText(method.name, style="bold"), SafeText.assemble(method.line, wrong))
    Console().print(table)


def _fault(method: Method) -> str:
    """Why a method of another package can't be used; "" where it can."""
    if not isinstance(method, OwnMethod):
        return ""
    try:
        with redirect_stdout(sys.stderr):  # what its code prints is no part of the list
            method.build()
    except BadInput as problem:
        return str(problem)
    except (Exception, SystemExit) as problem:  # its code may raise anything, or end the process
        return f"It can't be built: {type(problem).__name__}: {str(problem).partition(chr(10))[0]:.200}."
    return ""


def show_method(name: str, *, mermaid: bool, as_json: bool) -> None:
    """Print a method's nodes with what they read and write, or its graph as a Mermaid drawing."""
    if not name:
        raise BadInput("There is no method to draw: name one that 'readgraph methods' lists.")
    method = method_typed(name)
    builder = method.build()
    drawing = builder.compile().get_graph().draw_mermaid()
    declared = {name: find_node_keys(spec.runnable, builder.state_schema) for name, spec in builder.nodes.items()}
    nodes: list[dict[str, Any]] = [  # without the keys that every step records
        {"name": name, "reads": sorted(keys.reads), "writes": sorted(keys.may_write)} for name, keys in declared.items()
    ]
    if as_json:
        print_json(_method_value(method) | {"nodes": nodes, "mermaid": drawing})
        return
    if mermaid:
        sys.stdout.write(drawing)
        return
    console = Console()
    console.print(SafeText(f"{method.name}: {method.line}", style="bold"))
    table = Table("node", "reads", "writes", **PLAIN)
    for node in nodes:
        table.add_row(SafeText(node["name"]), SafeText(", ".join(node["reads"])), SafeText(", ".join(node["writes"])))
    console.print(table)


def show_shared_nodes(name: str, *, as_json: bool) -> None:
    """Print which work several methods share, with the nodes of the papers' methods that do it."""
    if name:
        raise BadInput(f"--shared shows the nodes of all methods: leave {name} out.")
    shared = find_shared_nodes()
    if as_json:
        print_json([{"name": node.name, "module": node.module, "nodes": node.nodes} for node in shared])
        return
    table = Table("work", *PAPERS, "others", **PLAIN)
    for node in shared:
        named = [", ".join(node.nodes.get(paper, [])) for paper in PAPERS]
        table.add_row(SafeText(node.name, style="bold"), *map(SafeText, named), str(len(node.others)))
    console = Console()
    console.print(table)
    several = sum(len(node.papers) > 1 for node in shared)
    console.print(f"{several} of them serve two or more of the papers' methods.")


def _method_value(method: Method) -> dict[str, Any]:
    return {"name": method.name, "line": method.line, "graph": method.graph}


def export_prompts(folder: Path) -> None:
    """Write a file for each prompt; none that exists is overwritten."""
    words = every_wording()
    files = {each.name: folder.expanduser() / f"{each.name}.toml" for each in words}
    if there := next((file for file in files.values() if file.exists()), None):
        raise BadInput(f"{there} exists already: name another folder.")
    try:
        folder.expanduser().mkdir(parents=True, exist_ok=True)
        for each in words:
            export_words(each, files[each.name])
    except OSError as problem:
        raise BadInput(f"{folder} can't be written: {problem.strerror}.") from None
    Console().print(f"Exported {len(words)} prompts to {folder}.")
