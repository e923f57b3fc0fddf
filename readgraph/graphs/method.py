"""What a reading method is: its name, what it does, and where its graph stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from readgraph.state.errors import BadInput
from readgraph.state.installed import object_at

if TYPE_CHECKING:  # the names of methods are completed in a shell, which must not wait for LangGraph
    from langgraph.graph import StateGraph

    from readgraph.state.context import ReaderContext

__all__ = ["Method"]

Kind = Literal["question", "web", "row", "part"]
"""What a graph does: it answers questions, acts on web pages, is a row of evaluations only, or is a part of these."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """A reading method, as a package plugs it in (`readgraph.plugins`).

    Attributes:
        name: Its name in commands and rows; with underscores, that of its assistant on a server.
        graph: Where its compiled graph stands, `package.module:name`. A function beside it builds the graph, and takes
            steps by their names: `build` for `graph`, `build_NAME` for `NAME` and for `NAME_graph`. A function that
            builds the graph can stand there itself.
        line: What it does, in a sentence.
        note: Its word for the note of a page.
        notices: Where the function stands that tells from the graph's output, as lines, what a reader must know of it
            besides: `package.module:name`; "" where there is nothing.
        memory_of: The method whose memory it uses, where it builds none of its own.
        kind: What its graph does.
        needs_embeddings: Whether it can't run without an embedding model.
        needs_extra: The extra of readgraph without which it can't run with a model.
        router: Where the compiled graph stands that chooses for each question the method that answers it, which is
            then run in its place: its output has the name as `method`, and the choice in words as `way` and `why`.
        asked: Whether it is the method of a question for which none is named; only ours can be.
        instead: What to do instead of a question, where it answers none: "'my-package run' runs it".
        served: How clients of a server see it described, where it answers no questions; "" where it isn't served.
        order: Its place among the methods; without one, it stands after those that have one.
        package: The package that offers it; "" where it is ours. A declaration leaves it out.
    """

    name: str
    graph: str
    line: str = ""
    note: str = "note"
    notices: str = ""
    memory_of: str = ""
    kind: Kind = "question"
    needs_embeddings: bool = False
    needs_extra: str = ""
    router: str = ""
    asked: bool = False
    instead: str = ""
    served: str = ""
    order: int = 100
    package: str = ""

    def build(self, **steps: Any) -> "StateGraph[Any, ReaderContext, Any, Any]":
        """The method's graph, not compiled, with these steps in place of its own of the same names.

        Raises:
            BadInput: If another package's method gives no graph that reads.
        """
        from readgraph.graphs.loading import builder_at, load_graph_at

        if not self.package:
            return builder_at(self.graph)(**steps)
        if steps:
            raise BadInput(f"{self.name} is a method of your own, which builds its own steps.")
        return load_graph_at(self.graph)

    def notices_of(self, output: Mapping[str, Any]) -> list[str]:
        """What a reader must know of what the graph gave."""
        if not self.notices:
            return []
        try:
            return [*object_at(self.notices, f"What {self.name} tells of its answers")(output)]
        except Exception as problem:  # of another package: what it answered is not lost
            if not self.package:
                raise
            return [f"What {self.name} would tell of this answer is lost: {type(problem).__name__}: {problem}"]
