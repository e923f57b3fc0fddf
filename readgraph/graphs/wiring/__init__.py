"""Wiring of the nodes of a graph, and the check that they fit together."""

from readgraph.graphs.wiring.check import add_nodes, check_wiring
from readgraph.graphs.wiring.choosing import choosing
from readgraph.graphs.wiring.method_graph import MethodGraph
from readgraph.graphs.wiring.nodes import Node
from readgraph.graphs.wiring.settings import fit_context
from readgraph.graphs.wiring.states import with_channels

__all__ = ["MethodGraph", "Node", "add_nodes", "check_wiring", "choosing", "fit_context", "with_channels"]
