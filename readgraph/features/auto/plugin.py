"""What plugs in: see `readgraph.plugins`."""

from readgraph.graphs.method import Method
from readgraph.plugins import give

methods = give(
    Method(
        name="auto",
        line="Chooses for each question the method that fits it and the text.",
        graph="readgraph.features.auto.graph:graph",
        router="readgraph.features.auto.route:router",
        asked=True,
        order=0,
    )
)
