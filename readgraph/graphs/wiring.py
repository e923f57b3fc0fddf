"""What all graph files need to wire nodes."""

from typing import Any

from langgraph.graph import StateGraph

from readgraph.nodes.step import as_node


def add_nodes(builder: StateGraph[Any, Any, Any, Any], **nodes: Any) -> None:
    """Add nodes by name, each reading only the channels that it declares; plain functions and coroutines too."""
    for name, node in nodes.items():
        made = as_node(node)
        builder.add_node(name, made, input_schema=getattr(made, "input_schema", None))
