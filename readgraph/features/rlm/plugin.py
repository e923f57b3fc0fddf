"""What plugs in: see `readgraph.plugins`."""

from typing import TYPE_CHECKING

from readgraph.graphs.method import Method
from readgraph.plugins import hookimpl

if TYPE_CHECKING:
    from readgraph.state.declaring import Settings


@hookimpl
def methods() -> list[Method]:
    return [
        Method(
            name="rlm",
            line="Writes programs that search the text and ask about pieces.",
            memory_of="bm25",
            graph="readgraph.features.rlm.graph:graph",
            needs_extra="rlm",
            order=7,
        )
    ]


@hookimpl
def settings() -> "list[type[Settings]]":
    from readgraph.features.rlm.settings import Programs

    return [Programs]
