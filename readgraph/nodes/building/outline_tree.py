"""The tree above a document's segments that follows its outline: a node for each section that has several segments.

A section's own segments stand before its subsections; a segment of several short sections is called after each of them.
Where a node would have more children than the context allows, neighbours are grouped; a section with nothing but one
subsection is one node with it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from readgraph.nodes.building.outline import Outline
from readgraph.sources.places import BELOW
from readgraph.state.records import Page
from readgraph.state.summary_tree import TreeShape

WHOLE, BEGINNING = "the whole text", "the beginning"
"""What the root is called, and what stands before the first heading."""

BESIDE = " + "
"""What stands between the titles of sections that are one leaf."""


class Branches(NamedTuple):
    """The children of each node in the text's order, and the headings of the nodes: see `Memory`."""

    branches: tuple[int, ...]
    headings: tuple[str, ...]


@dataclass(frozen=True)
class _Node:
    """A node; `first` and `last`: its first and its last section, after which a group of nodes is called."""

    heading: str
    first: str
    last: str
    below: "tuple[_Node, ...]" = ()

    def all(self) -> "Iterator[_Node]":
        """The node, and all nodes below it."""
        yield self
        for node in self.below:
            yield from node.all()


class _Held(NamedTuple):
    """What a segment holds: the section in which it begins, and those that begin inside of it."""

    path: tuple[int, ...]
    others: tuple[tuple[int, ...], ...]


def branches_over(pages: Sequence[Page], outline: Outline, most: int) -> Branches:
    """The tree of these pages, with at most `most` children for each node."""
    starts, paths = [section.start for section in outline.sections], [section.path for section in outline.sections]
    ats = [(max(bisect_right(starts, page.start), 1), bisect_left(starts, page.end)) for page in pages]
    root = _section([_Held(paths[at - 1], (*paths[at:end],)) for at, end in ats], 0, outline.titles, most)
    nodes = [*root.all()]
    return Branches(tuple(len(node.below) for node in nodes), tuple(node.heading for node in nodes))


def _section(held: Sequence[_Held], depth: int, titles: Sequence[str], most: int) -> _Node:
    """The node of the section with these segments: the last of the first `depth` numbers of their paths."""
    if len(held) == 1:
        return _leaf(held[0], depth, titles)
    title = f"§ {titles[held[0].path[depth - 1]]}" if depth else WHOLE
    children = list[_Node]()
    for path, run in groupby(held, key=lambda segment: segment.path[: depth + 1]):
        inside = [*run]
        if len(path) > depth:
            children.append(_section(inside, depth + 1, titles, most))
        else:
            own = title if depth else BEGINNING
            children += [_named(f"{own} ({number})") for number, _ in enumerate(inside, 1)]
    if len(children) == 1:
        only = children[0].heading
        return _named(f"{title}{BELOW}{only.removeprefix('§ ')}" if depth else only, children[0].below)
    return _named(title, _grouped(children, most))


def _leaf(held: _Held, depth: int, titles: Sequence[str]) -> _Node:
    """The node of a section, or of neighbours, in one segment: its titles from the last of the first `depth` on."""
    paths = [path[max(depth - 1, 0) :] for path in (held.path, *held.others)]
    names = [BELOW.join(titles[number] for number in path) for path in paths if path]
    if not names:
        return _named(WHOLE)
    return _Node(f"§ {BESIDE.join(names)}", f"§ {names[0]}", f"§ {names[-1]}")


def _named(name: str, below: Sequence[_Node] = ()) -> _Node:
    return _Node(name, name, name, tuple(below))


def _grouped(nodes: list[_Node], most: int) -> list[_Node]:
    """The nodes, or, of more than `most`, groups of neighbours."""
    while len(nodes) > most:
        shape = TreeShape.over(len(nodes), most)
        nodes = [_group([nodes[child] for child in shape.group(1, number)]) for number in range(shape.counts[1])]
    return nodes


def _group(nodes: list[_Node]) -> _Node:
    """The node above neighbours; one that stands alone stays as it is."""
    if len(nodes) == 1:
        return nodes[0]
    first, last = nodes[0].first, nodes[-1].last
    return _Node(f"{first} – {last}", first, last, tuple(nodes))
