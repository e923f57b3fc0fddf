"""Wiring of the nodes of a graph, and the check that they fit together."""

from readgraph.graphs.wiring.checks import check_wiring
from readgraph.graphs.wiring.declared import fit_context, with_channels
from readgraph.graphs.wiring.method_graph import MethodGraph
from readgraph.graphs.wiring.nodes import Node, add_nodes, choosing

__all__ = ["MethodGraph", "Node", "add_nodes", "check_wiring", "choosing", "fit_context", "with_channels"]
