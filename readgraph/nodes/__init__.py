"""Nodes of graphs, a file or folder for each capability, each prompt beside the step that asks it."""
