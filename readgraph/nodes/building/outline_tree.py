"""The tree above a document's segments that follows its outline: a node for each section that has several segments.

A section's own segments stand before its subsections. Where a node would have more children than the context allows,
neighbours are grouped; a section with nothing but one subsection is one node with it.
"""

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


class Branches(NamedTuple):
    """The children of each node in the text's order, and the headings of the nodes: see `Memory`."""

    branches: tuple[int, ...]
    headings: tuple[str, ...]


@dataclass(frozen=True)
class _Node:
    """A node; that of a group is called after its first and its last section."""

    first: str
    last: str
    below: "tuple[_Node, ...]" = ()

    @property
    def heading(self) -> str:
        return self.first if self.first == self.last else f"{self.first} – {self.last}"

    def all(self) -> "Iterator[_Node]":
        """The node, and all nodes below it."""
        yield self
        for node in self.below:
            yield from node.all()


def branches_over(pages: Sequence[Page], outline: Outline, most: int) -> Branches:
    """The tree of these pages, with at most `most` children for each node."""
    starts, numbers = [section.start for section in outline.sections], list[int]()
    for page in pages:
        at = numbers[-1] if numbers else 0
        while at + 1 < len(starts) and starts[at + 1] <= page.start:
            at += 1
        numbers.append(at)
    paths = [outline.sections[number].path for number in numbers]
    root = _section(paths, 0, outline.titles, most)
    nodes = [*root.all()]
    return Branches(tuple(len(node.below) for node in nodes), tuple(node.heading for node in nodes))


def _section(paths: Sequence[tuple[int, ...]], depth: int, titles: Sequence[str], most: int) -> _Node:
    """The node of the section that holds pages with these paths: the last of the first `depth` numbers of each."""
    title = f"§ {titles[paths[0][depth - 1]]}" if depth else WHOLE
    if len(paths) == 1:
        below = BELOW.join(titles[number] for number in paths[0][max(depth - 1, 0) :])
        return _named(f"§ {below}" if below else WHOLE)
    children = list[_Node]()
    for path, run in groupby(paths, key=lambda path: path[: depth + 1]):
        inside = [*run]
        if len(path) > depth:
            children.append(_section(inside, depth + 1, titles, most))
        else:
            own = title if depth else BEGINNING
            children += [_named(f"{own} ({number})") for number, _ in enumerate(inside, 1)]
    if len(children) == 1:
        only = children[0].first
        return _named(f"{title}{BELOW}{only.removeprefix('§ ')}" if depth else only, children[0].below)
    return _named(title, _grouped(children, most))


def _named(name: str, below: Sequence[_Node] = ()) -> _Node:
    return _Node(name, name, tuple(below))


def _grouped(nodes: list[_Node], most: int) -> list[_Node]:
    """The nodes, or, of more than `most`, groups of neighbours."""
    while len(nodes) > most:
        shape = TreeShape.over(len(nodes), most)
        nodes = [_group([nodes[child] for child in shape.group(1, number)]) for number in range(shape.counts[1])]
    return nodes


def _group(nodes: list[_Node]) -> _Node:
    """The node above neighbours; one that stands alone stays as it is."""
    return nodes[0] if len(nodes) == 1 else _Node(nodes[0].first, nodes[-1].last, tuple(nodes))
