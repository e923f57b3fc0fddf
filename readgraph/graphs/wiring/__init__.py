"""Wiring of the nodes of a graph, and the check that they fit together."""

from readgraph.graphs.wiring.check import add_nodes, check_wiring
from readgraph.graphs.wiring.plain_functions import Node
from readgraph.graphs.wiring.settings import fit_context

__all__ = ["Node", "add_nodes", "check_wiring", "fit_context"]
