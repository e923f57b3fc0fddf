"""The reading methods by their names: ours, and those that other packages offer.

A package offers one as an entry point of the group `readgraph.methods`, whose name is the method's name:

    [project.entry-points."readgraph.methods"]
    my-method = "my_package.my_method:build"
"""

import sys
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import EntryPoint
from inspect import getdoc
from typing import TYPE_CHECKING, Any

from readgraph.state.errors import BadInput, Way
from readgraph.state.installed import entry_point_names, entry_points_like_ours, find_entry_point, object_typed

if TYPE_CHECKING:  # the names of methods are completed in a shell, which must not wait for LangGraph
    from langgraph.graph import StateGraph

    from readgraph.state.context import ReaderContext
    from readgraph.state.records import Document

__all__ = ["METHODS", "Method"]


@dataclass(frozen=True)
class Method:
    """A reading method: the module of its graph, a line that describes it, and its word for the note of a page.

    `compiled` and `builder` are the names of the compiled graph and of the function that builds it in that module.
    """

    name: str
    module: str
    line: str
    note: str
    compiled: str = "graph"
    builder: str = "build"

    @property
    def graph(self) -> str:
        """The compiled graph's location, `module:name`."""
        return f"readgraph.graphs.{self.module}:{self.compiled}"

    def build(self) -> "StateGraph[Any, ReaderContext, Any, Any]":
        """The method's graph, not compiled."""
        build = getattr(import_module(f"readgraph.graphs.{self.module}"), self.builder)
        builder: StateGraph[Any, ReaderContext, Any, Any] = build()
        return builder


@dataclass(frozen=True)
class OwnMethod(Method):
    """A method that is not ours: a function at `place`, `package.module:name`, builds its graph.

    An `estimate` beside that function, with the parameters of `readgraph.graphs.estimates.methods.Estimator`, tells
    what a reading will use.
    """

    place: str = field(kw_only=True)

    @classmethod
    def from_entry_point(cls, point: EntryPoint) -> "OwnMethod":
        """The method of an entry point; nothing is imported yet."""
        package = f"Of the package {point.dist.name}." if point.dist else ""
        return cls(point.name, point.module, package, "note", place=point.value)

    @classmethod
    def from_place(cls, place: str) -> "OwnMethod":
        """The method at a place that the user typed, which is imported at once, from the current folder too."""
        build = object_typed(place, f"The method '{place}'")
        line = (getdoc(getattr(build, "func", build)) or "").partition("\n")[0]
        return cls(place, place.partition(":")[0], line, "note", place=place)

    @property
    def graph(self) -> str:
        """Where the graph is built, `module:name`."""
        return self.place

    @property
    def estimate(self) -> Any:
        """The method's own estimate, or None."""
        return getattr(sys.modules.get(self.module), "estimate", None)

    def build(self) -> "StateGraph[Any, ReaderContext, Any, Any]":
        """The method's graph, not compiled; raises `BadInput` for what is no graph of a reading method."""
        from readgraph.graphs.plugins import load_graph_at

        return load_graph_at(self.place)


GROUP = "readgraph.methods"


def _baseline(name: str, line: str, note: str) -> Method:
    compiled = name.replace("-", "_")
    return Method(name, "baselines", line, note, compiled, f"build_{compiled}")


METHODS = {
    method.name: method
    for method in (
        Method("read-agent", "read_agent", "Gists of parts; looks parts up again for each question.", "gist"),
        Method(
            "mem-walker", "mem_walker", "A tree of summaries; walks it down and back up for each question.", "summary"
        ),
        Method("gam", "gam", "Memos of parts; researches the parts for each question, round by round.", "memo"),
        Method("mem-gpt", "mem_gpt", "An agent searches the parts and opens them until it can answer.", "beginning"),
        Method("reader-agent", "reader_agent", "A plain agent: searches, opens parts, answers.", "beginning"),
        Method("survey", "survey", "Goes through all parts for records; counts, lists, compares them.", "note"),
        Method(
            "overwrite-memory",
            "overwrite_memory",
            "Notes on the question, written anew at each part.",
            "note",
        ),
        _baseline("retrieved-pages", "ReadAgent, but BM25 looks the parts up.", "gist"),
        _baseline("gists-only", "ReadAgent without look-up: the gists answer alone.", "gist"),
        _baseline("recurrent", "A summary carried through the text answers alone.", "summary"),
        _baseline("bm25", "The segments that BM25 ranks first for the question.", "note"),
        _baseline("dense", "The segments that are nearest by their embeddings.", "note"),
        _baseline("fused", "The segments that rank first by words and embeddings.", "note"),
        _baseline("full-text", "All of the text, in chunks of the window's size.", "note"),
        _baseline("first-words", "The beginning of the text, as much as fits.", "note"),
        _baseline("last-words", "The end of the text, as much as fits.", "note"),
        Method("gist-research", "hybrids.gist_research", "GAM's rounds of research over ReadAgent's gists.", "gist"),
        Method("guided-walk", "hybrids.guided_walk", "MemWalker's walk, begun where search points.", "summary"),
        Method("outline-walk", "hybrids.outline_walk", "MemWalker's walk along the text's own outline.", "summary"),
        Method("walk-and-read", "hybrids.walk_and_read", "MemWalker's walk; answers from all summaries.", "summary"),
        Method(
            "walk-and-research",
            "hybrids.walk_and_research",
            "MemWalker's walk; GAM researches what it lacks.",
            "summary",
        ),
        Method("reflective-walk", "hybrids.reflective_walk", "MemWalker walks again while GAM finds gaps.", "summary"),
        Method("escalate", "hybrids.escalate", "Gists, then a look-up, then research, while needed.", "gist"),
    )
}
"""Our own methods, by their names."""

WEB_METHODS = {
    method.name: method
    for method in (
        Method("web-agent", "web_agent", "Gists of a page's parts; looks parts up, and names the next action.", "gist"),
        _baseline("web-gists-only", "The web agent without look-up.", "gist"),
        _baseline("web-page", "The page from its beginning, as much as fits.", "note"),
        _baseline("web-bm25", "The parts of the page that BM25 ranks first.", "note"),
        _baseline("web-dense", "The parts that are nearest by their embeddings.", "note"),
    )
}
"""The methods that name the next action on a web page, instead of an answer."""

SUMMARY = Method("summary", "summary", "A summary, where a question asks for one; each sentence is checked.", "gist")
"""A row of evaluations, beside the methods: it sums a text up, and answers no other question."""

SHARED = {
    **dict.fromkeys(("retrieved-pages", "gists-only", "gist-research", "escalate"), "read-agent"),
    **dict.fromkeys(("guided-walk", "walk-and-read", "walk-and-research", "reflective-walk"), "mem-walker"),
    **dict.fromkeys(("dense", "fused"), "bm25"),
    "reader-agent": "mem-gpt",
}
"""Methods that use the memory of another method."""


def every_method() -> list[Method]:
    """All methods, ours first; those of other packages are not imported."""
    points = [find_entry_point(GROUP, name) for name in entry_point_names(GROUP, METHODS)]
    return [*METHODS.values(), *(OwnMethod.from_entry_point(point) for point in points if point)]


def methods_named_like_ours() -> list[Method]:
    """What other packages offer under the names of our methods, which can't be replaced."""
    return [OwnMethod.from_entry_point(point) for point in entry_points_like_ours(GROUP, METHODS)]


def method_named(name: str) -> Method:
    """The method of this name, ours or of another package; raises `BadInput` where there is none.

    Ours can't be replaced. A name may come from a library or from a model, so nothing is imported by its place.
    """
    if name in METHODS:
        return METHODS[name]
    if point := find_entry_point(GROUP, name):
        return OwnMethod.from_entry_point(point)
    if name in WEB_METHODS:
        raise BadInput(f"'{name}' acts on web pages and answers no question: ", Way.BROWSE, ".")
    if name == SUMMARY.name:
        raise BadInput("'summary' answers no question: ", Way.SUMMARISE, ".")
    known = ", ".join([*METHODS, *entry_point_names(GROUP, METHODS)])
    raise BadInput(f"There is no method '{name}': choose one of {known}.")


def method_typed(name: str) -> Method:
    """The method that a user typed: of this name, or built by the function at `package.module:build`."""
    return OwnMethod.from_place(name) if ":" in name or name.endswith(".py") else method_named(name)


def web_method_named(name: str) -> Method:
    """The method for web pages of this name; raises `BadInput` where there is none."""
    if name not in WEB_METHODS:
        raise BadInput(f"There is no method '{name}' for web pages: choose one of {', '.join(WEB_METHODS)}.")
    return WEB_METHODS[name]


def method_for(document: "Document | None") -> Method:
    """The default method for a document: GAM for a history, ReadAgent for a text."""
    return METHODS["gam" if document and document.sessions else "read-agent"]


NAMED_OTHERWISE = {"segments": "bm25"}
"""Names in recipes that are not the names of methods."""


def builder_of(method: Method) -> str:
    """The name of the method whose memory this method uses: another's, or its own."""
    if method.name in METHODS:
        return SHARED.get(method.name, method.name)
    from readgraph.graphs.plugins import memory_of

    built = memory_of(method.build()) or method.name
    return NAMED_OTHERWISE.get(built, built)
