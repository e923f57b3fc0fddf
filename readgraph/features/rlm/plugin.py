"""What plugs in: see `readgraph.plugins`."""

from readgraph.graphs.method import Method
from readgraph.plugins import give, give_from

methods = give(
    Method(
        name="rlm",
        line="Writes programs that search the text and ask about pieces.",
        memory_of="bm25",
        graph="readgraph.features.rlm.graph:graph",
        needs_extra="rlm",
        order=7,
    )
)
settings = give_from("readgraph.features.rlm.settings:Programs")
