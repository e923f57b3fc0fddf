"""The shape of what stands above pages: summary trees (MemWalker, section 3), gists of gists (ReadAgent, G.3).

It is arithmetic over counts. A node's id is "level.number": "0.13" is the leaf of page 13, and the root is alone on
the highest level. Groups are formed from the left, so text appended to a document changes only the right edge of its
tree. In a tree of sections, which is uneven, the level of a node is one above that of its highest child.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from readgraph.state.errors import BadInput
from readgraph.state.records import Memory

__all__ = ["TreeShape"]

_ID = re.compile(r"(\d{1,9})\.(\d{1,9})")


def node_id(level: int, number: int) -> str:
    """The id of a node."""
    return f"{level}.{number}"


def is_leaf(node: str) -> bool:
    """Whether a node is the leaf of a page."""
    return str(node).startswith("0.")  # a user may have edited the state


def page_of(leaf: str) -> int:
    """The number of a leaf's page."""
    return int(leaf.partition(".")[2])


def tree_ids(memory: Memory) -> list[str]:
    """The ids of all nodes that the finished tree above a memory's pages will have."""
    counts = TreeShape.final_tree(memory).counts if "children" in memory.recipe.parameters else ()
    return [node_id(level, number) for level, count in enumerate(counts) if level for number in range(count)]


@dataclass(frozen=True, slots=True)
class TreeShape:
    """A tree with `counts[level]` nodes on each level, leaves first; a node has at most `most` children."""

    counts: tuple[int, ...]
    most: int

    @classmethod
    def over(cls, pages: int, most: int) -> "TreeShape":
        """The finished tree over this many pages."""
        counts = [pages]
        while counts[-1] > 1:
            counts.append(-(-counts[-1] // most))
        return cls(tuple(counts), most)

    @classmethod
    def final_tree(cls, memory: Memory) -> "TreeShape":
        """The finished tree of a memory; raises `BadInput` if its recipe has no 'children'."""
        if not (most := memory.recipe.parameters.get("children")):
            raise BadInput(f"A memory of {memory.recipe.method} has no tree: its recipe needs 'children'.")
        return section_tree(memory.branches, memory.headings) if memory.has_sections else cls.over(memory.pages, most)

    @classmethod
    def of(cls, memory: Memory) -> "TreeShape":
        """The tree over a memory; one root above all pages if the tree is not finished."""
        counts = (memory.pages, *memory.levels)
        if memory.has_sections:
            sections = cls.final_tree(memory)
            if memory.complete and counts == sections.counts:
                return sections
        elif memory.complete and counts[-1] == 1:
            return cls(counts, memory.recipe.parameters.get("children", 1))
        return cls((memory.pages, 1), max(memory.pages, 1))

    @property
    def root(self) -> str:
        """The id of the root; in a tree of one page, that page's leaf."""
        return node_id(len(self.counts) - 1, 0)

    def children(self, node: str) -> list[str]:
        """The children of a node, from left to right; a leaf has none."""
        level, number = self._parse_node_id(node)
        if not level:
            return []
        return [node_id(level - 1, child) for child in self.group(level, number)]

    def heading(self, node: str) -> str:
        """What a node is called beside its id: a section by its heading; "" in a tree that has no sections."""
        return ""

    def name(self, node: str) -> str:
        """What people see of a node: its heading, or else its id."""
        return self.heading(node) or node

    def text_with_heading(self, node: str, text: str) -> str:
        """A node's text under its heading, where it has one."""
        heading = self.heading(node)
        return f"{heading}\n{text.strip()}" if heading else text

    def group(self, level: int, number: int) -> range:
        """The numbers of a node's children on the level below."""
        return range(self._begin(level, number), self._begin(level, number + 1))

    def parent(self, node: str) -> str | None:
        """The parent of a node; the root has none."""
        level, number = self._parse_node_id(node)
        if node == self.root:
            return None
        last = self.counts[level + 1] - 1
        return node_id(level + 1, last if number >= self._begin(level + 1, last) else number // self.most)

    def path(self, node: str) -> list[str]:
        """The ancestors of a node, the root first."""
        above = self.parent(node)
        return [*self.path(above), above] if above else []

    def pages(self, node: str) -> range:
        """The pages below a node, or the leaf's own."""
        level, first = self._parse_node_id(node)
        last = first
        for below in range(level, 0, -1):
            first, last = self._begin(below, first), self._begin(below, last + 1) - 1
        return range(first, last + 1)

    def _begin(self, level: int, number: int) -> int:
        """The number of a node's first child. A last node that would have only one gets half of its neighbour's."""
        below = self.counts[level - 1]
        if number == self.counts[level]:
            return below
        alone = below % self.most == 1 and number and number == self.counts[level] - 1
        return number * self.most - ((self.most - 1) // 2 if alone else 0)

    def _parse_node_id(self, node: str) -> tuple[int, int]:
        if named := _ID.fullmatch(str(node)):
            level, number = int(named[1]), int(named[2])
            if level < len(self.counts) and number < self.counts[level]:
                return level, number
        raise BadInput(f"The tree has no node '{node}': its root is '{self.root}', its leaves are '0.0' and so on.")


@dataclass(frozen=True, slots=True)
class SectionTree(TreeShape):
    """An uneven tree: its nodes are the sections of a document, and its leaves their segments."""

    below: Mapping[str, tuple[str, ...]]  # the children of each node above the leaves
    above: Mapping[str, str]  # the parent of each node but the root
    spans: Mapping[str, range]  # the pages below each node above the leaves
    headings: Mapping[str, str]

    def children(self, node: str) -> list[str]:
        """The children of a node, in the text's order; a leaf has none."""
        self._parse_node_id(node)
        return [*self.below.get(node, ())]

    def parent(self, node: str) -> str | None:
        """The parent of a node; the root has none."""
        self._parse_node_id(node)
        return self.above.get(node)

    def pages(self, node: str) -> range:
        """The pages below a node, or the leaf's own."""
        level, number = self._parse_node_id(node)
        return self.spans[node] if level else range(number, number + 1)

    def heading(self, node: str) -> str:
        """The heading of a node: "§ 3 Discharge"."""
        return self.headings.get(node, "")


@lru_cache(maxsize=16)  # every step of a walk needs it
def section_tree(branches: tuple[int, ...], headings: tuple[str, ...]) -> SectionTree:
    """The tree that a memory's `branches` and `headings` describe."""
    sizes: list[tuple[int, int]] = []  # of each node, the last first: its level, and how many nodes it takes
    for branch in reversed(branches):
        level, taken = 0, 1
        for _ in range(branch):
            child_level, child_nodes = sizes[-taken]
            level, taken = max(level, child_level + 1), taken + child_nodes
        sizes.append((level, taken))
    sizes.reverse()
    counts = [0] * (sizes[0][0] + 1)
    names, spans = list[str](), dict[str, range]()
    for level, taken in sizes:
        names.append(node_id(level, counts[level]))
        if level:
            leaves = sum(not below for below in branches[len(names) - 1 : len(names) - 1 + taken])
            spans[names[-1]] = range(counts[0], counts[0] + leaves)
        counts[level] += 1
    below = dict[str, tuple[str, ...]]()
    for number, name in enumerate(names):
        children, child = list[str](), number + 1
        for _ in range(branches[number]):
            children.append(names[child])
            child += sizes[child][1]
        if children:
            below[name] = tuple(children)
    above = {child: name for name, under in below.items() for child in under}
    return SectionTree(tuple(counts), 0, below, above, spans, dict(zip(names, headings, strict=True)))


FAN = 4  # gists of one level that a gist of the next level stands for
_GIST_ID = re.compile(r"gists-\d+-(?P<level>\d+)-(?P<number>\d+)")


def older_id(most_words: int, level: int, number: int) -> str:
    """The id under which the page store keeps a gist of gists of at most this many words."""
    return f"gists-{most_words}-{level}-{number}"


def is_gist_over_page(identity: str, page: int) -> bool:
    """Whether this is the id of a gist of gists that stands for the page."""
    parts = _GIST_ID.fullmatch(identity)
    return parts is not None and page // FAN ** int(parts["level"]) == int(parts["number"])
