"""Runs on the drawn graph, step by step: in LangGraph Studio, or on a page of this machine's own (`--local`)."""
