"""A walk as a drawing: the part of the tree that was visited."""

from collections.abc import Sequence

from rich.text import Text as RichText
from rich.tree import Tree

from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.state.channels.walk import Action, Hop

__all__ = ["print_walk"]

_STYLES: dict[Action, str] = {
    "child": "",
    "revert": "strike",
    "exhausted": "strike",
    "answer": "bold green",
    "keep": "green",
    "unusable": "red",
}
_MARKS: dict[Action, str] = {"answer": "✓ ", "keep": "+ ", "unusable": "? "}
_OUTCOMES: dict[Action, str] = {
    "revert": "back",
    "exhausted": "nothing left",
    "keep": "kept",
    "unusable": "no usable reply",
}


def print_walk(hops: Sequence[Hop]) -> None:
    """Print the drawing; nothing if there was no walk."""
    if hops:
        Console().print(draw_walk(hops))


def draw_walk(hops: Sequence[Hop]) -> Tree:
    """The nodes that were visited, each below the node it was reached from, with the decision made there.

    Nodes that the walk turned back from are struck through; the leaf that answered is marked. The last decision at a
    node sets its style; the reason for going down is shown with the child.
    """
    last = {hop["node"]: hop for hop in hops}
    root = hops[0]["node"]
    drawn = {root: Tree(_label(last[root], ""))}
    for hop in hops:
        if hop["node"] not in drawn:  # the state was edited, which moved the walk there
            drawn[hop["node"]] = drawn[root].add(_label(last[hop["node"]], ""))
        child = hop["next_node"]
        if hop["action"] == "child" and child and child not in drawn:
            name = hop.get("next_heading") or child
            drawn[child] = drawn[hop["node"]].add(_label(last.get(child), hop["reasoning"], name))
    return drawn[root]


def _label(hop: Hop | None, why: str, node: str = "") -> RichText:
    """A node with why it was chosen and the outcome; `hop` is the last decision there, None if the hops ran out."""
    if hop is None:
        return Text.assemble(node, (f"  {why}", "dim"), ("  → the walk ended here", "dim"))
    action = hop["action"]
    label = Text.assemble((_MARKS.get(action, "") + (hop.get("heading") or hop["node"]), _STYLES[action]))
    if why:
        label.append(f"  {why}", "dim")
    if action != "child":
        reason = f": {hop['reasoning']}" if hop["reasoning"] else ""
        label.append(f"  → {_OUTCOMES.get(action, action)}{reason}", _STYLES[action])
    return label
