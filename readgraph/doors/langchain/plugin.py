"""What plugs in: see `readgraph.plugins`."""

from readgraph.plugins import hookimpl


@hookimpl
def functions() -> dict[str, str]:
    """Its functions of `readgraph.api`."""
    return {
        "add_documents": "readgraph.doors.langchain.adding:add_documents",
        "as_retriever": "readgraph.doors.langchain.retrieving:as_retriever",
        "as_tool": "readgraph.doors.langchain.tools:as_tool",
        "research_tool": "readgraph.doors.langchain.tools:research_tool",
        "searched_by": "readgraph.doors.langchain.searching:searched_by",
    }
