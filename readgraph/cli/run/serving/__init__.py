"""Serve a library: in a browser, to agents, to LangGraph Studio."""
