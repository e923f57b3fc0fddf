"""Which nodes the methods share: two nodes are the same where the same code runs in them, whatever their names."""

from dataclasses import dataclass
from types import CodeType

from readgraph.graphs.methods import METHODS
from readgraph.nodes.step import StepNode

PAPERS = ("read-agent", "mem-walker", "gam", "mem-gpt")
"""The methods of the four papers; all others are made of their nodes."""


@dataclass(frozen=True)
class SharedNode:
    """A node, or what makes nodes: `name`, its `module`, and by methods the names of these nodes in their graphs."""

    name: str
    module: str
    nodes: dict[str, list[str]]

    @property
    def papers(self) -> list[str]:
        """The papers' methods that it serves."""
        return [method for method in PAPERS if method in self.nodes]

    @property
    def others(self) -> list[str]:
        """The other methods that it serves."""
        return [method for method in self.nodes if method not in PAPERS]


def shared_nodes() -> list[SharedNode]:
    """The nodes that serve several methods; first those that serve most of the papers' methods.

    Nodes that one function makes, such as `answering`, run the same code: what a method has of its own is handed to it.
    """
    found: dict[CodeType, SharedNode] = {}
    for method in METHODS.values():
        for name, spec in method.build().nodes.items():
            if isinstance(spec.runnable, StepNode):
                work = spec.runnable.work
                maker = work.__qualname__.partition(".<locals>")[0]
                node = found.setdefault(work.__code__, SharedNode(maker, work.__globals__["__name__"], {}))
                node.nodes.setdefault(method.name, []).append(name)
    several = [node for node in found.values() if len(node.nodes) > 1]
    return sorted(several, key=lambda node: (-len(node.papers), -len(node.nodes)))
