"""What plugs in: see `readgraph.plugins`."""

from readgraph.plugins import give_names

functions = give_names(
    "readgraph.doors.langchain.adding:add_documents",
    "readgraph.doors.langchain.retrieving:as_retriever",
    "readgraph.doors.langchain.tools:as_tool",
    "readgraph.doors.langchain.tools:research_tool",
    "readgraph.doors.langchain.searching:searched_by",
)
