"""The reading methods by their names: ours, and those that other packages offer.

Each of ours says what it is in its own file, as `METHOD = Method(...)` or `METHODS = (Method(...), ...)`, and is found
by that. A package offers one as an entry point of the group `readgraph.methods`, whose name is the method's name:

    [project.entry-points."readgraph.methods"]
    my-method = "my_package.my_method:build"
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint
from inspect import getdoc, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from readgraph import graphs
from readgraph.state.errors import BadInput, Way
from readgraph.state.installed import entry_point_names, entry_points_like_ours, find_entry_point, object_typed

if TYPE_CHECKING:  # the names of methods are completed in a shell, which must not wait for LangGraph
    from langgraph.graph import StateGraph

    from readgraph.state.context import ReaderContext
    from readgraph.state.records import Document

__all__ = ["METHODS", "Method"]

Kind = Literal["question", "web", "row", "part"]
"""What a graph does: it answers questions, acts on web pages, is a row of evaluations only, or is a part of these."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """A reading method, as its own file declares it.

    That is read without an import of the file, so each value is a literal.

    Attributes:
        name: Its name in commands and rows; with underscores, that of its assistant on a server.
        line: What it does, in a sentence.
        note: Its word for the note of a page.
        estimate: The function in the same file that tells what a reading will use, from an `EstimateCase`
            (`readgraph.graphs.estimates.arithmetic`), where it isn't `estimate_NAME`.
        memory_of: The method whose memory it uses, where it builds none of its own.
        kind: What its graph does.
        compiled: The compiled graph's name in the file: `graph`, which `build` builds, or `NAME` or `NAME_graph`, which
            `build_NAME` builds.
        needs_embeddings: Whether it can't run without an embedding model.
        needs_extra: The extra of readgraph without which it can't run with a model.
        served: How clients of a server see it described, where it answers no questions; "" where it isn't served.
        order: Its place among the methods; without one, it stands after those that have one.
        module: The file's module in `readgraph.graphs`; a declaration leaves it out.
    """

    name: str
    line: str = ""
    note: str = "note"
    estimate: str = ""
    memory_of: str = ""
    kind: Kind = "question"
    compiled: str = "graph"
    needs_embeddings: bool = False
    needs_extra: str = ""
    served: str = ""
    order: int = 100
    module: str = ""

    @property
    def graph(self) -> str:
        """The compiled graph's location, `module:name`."""
        return f"readgraph.graphs.{self.module}:{self.compiled}"

    @property
    def builder(self) -> str:
        """The name of the function that builds the graph."""
        return "build" if self.compiled == "graph" else f"build_{self.compiled.removesuffix('_graph')}"

    def build(self, **steps: Any) -> "StateGraph[Any, ReaderContext, Any, Any]":
        """The method's graph, not compiled, with these steps in place of its own of the same names."""
        builder: StateGraph[Any, ReaderContext, Any, Any] = getattr(self._file, self.builder)(**steps)
        return builder

    def estimator(self) -> Any:
        """The function that tells what a reading will use; None where there is none."""
        return getattr(self._file, self.estimate or f"estimate_{self.name.replace('-', '_')}", None)

    @property
    def _file(self) -> Any:
        return import_module(f"readgraph.graphs.{self.module}")


@dataclass(frozen=True, kw_only=True)
class OwnMethod(Method):
    """A method that is not ours: a function at `place`, `package.module:name`, builds its graph.

    An `estimate(case)` beside it tells what a reading will use, as those of our methods do; one with the parameters
    `(store, document, context, question_words)` is taken too.
    """

    place: str

    @classmethod
    def from_entry_point(cls, point: EntryPoint) -> "OwnMethod":
        """The method of an entry point; nothing is imported yet."""
        package = f"Of the package {point.dist.name}." if point.dist else ""
        return cls(name=point.name, module=point.module, line=package, place=point.value)

    @classmethod
    def from_place(cls, place: str) -> "OwnMethod":
        """The method at a place that the user typed, which is imported at once, from the current folder too."""
        build = object_typed(place, f"The method '{place}'")
        line = (getdoc(getattr(build, "func", build)) or "").partition("\n")[0]
        return cls(name=place, module=place.partition(":")[0], line=line, place=place)

    @property
    def graph(self) -> str:
        """Where the graph is built, `module:name`."""
        return self.place

    def estimator(self) -> Any:
        """The method's own estimate, once its module is imported, or None."""
        estimate = getattr(sys.modules.get(self.module), "estimate", None)
        if not estimate or len(signature(estimate).parameters) == 1:
            return estimate
        return lambda case: estimate(case.store, case.document, case.context, case.given_words)

    def build(self, **steps: Any) -> "StateGraph[Any, ReaderContext, Any, Any]":
        """The method's graph, not compiled, with its own steps; raises `BadInput` for what is no reading method's."""
        from readgraph.graphs.plugins import load_graph_at

        if steps:
            raise BadInput(f"{self.name} is a method of your own, which builds its own steps.")
        return load_graph_at(self.place)


GROUP = "readgraph.methods"

DECLARATION = re.compile(r"^(?:METHOD = Method\(|METHODS = \().*(?:\n[ )].*)*", re.M)
"""The statement in which a file says what its methods are."""


@cache
def find_methods() -> tuple[Method, ...]:
    """What the files of `readgraph.graphs` declare, in order: parsed, not imported, since that would take LangGraph."""
    files = [(file, folder) for folder in map(Path, graphs.__path__) for file in sorted(folder.rglob("*.py"))]
    found = (method for file, folder in files for method in _methods_in(file, folder))
    return tuple(sorted(found, key=lambda method: method.order))


def _methods_in(file: Path, folder: Path) -> Iterator[Method]:
    if not (declared := DECLARATION.search(file.read_text(encoding="utf-8"))):
        return
    module = ".".join(file.relative_to(folder).with_suffix("").parts)
    for call in ast.walk(ast.parse(declared[0])):
        if isinstance(call, ast.Call):
            try:
                values = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
                yield Method(**values, module=module)
            except (TypeError, ValueError) as problem:
                raise TypeError(
                    f"{file} must declare its methods with literals, each for a field of Method."
                ) from problem


def _methods_of(kind: Kind) -> dict[str, Method]:
    return {method.name: method for method in find_methods() if method.kind == kind}


METHODS = _methods_of("question")
"""Our own methods, by their names."""

WEB_METHODS = _methods_of("web")  # the methods that name the next action on a web page, instead of an answer

SUMMARY = _methods_of("row")["summary"]
"""A row of evaluations, beside the methods: it sums a text up, and answers no other question."""

VERIFY, WIKI = (_methods_of("part")[name] for name in ("verify", "wiki"))  # what is made besides answers


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
    known = [*METHODS, *entry_point_names(GROUP, METHODS)]
    if near := get_close_matches(name.lower(), known, 1):
        raise BadInput(f"There is no method '{name}'. Do you mean '{near[0]}'?")
    raise BadInput(f"There is no method '{name}': choose one of {', '.join(known)}.")


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


NAMED_OTHERWISE = {"segments": "bm25"}  # names in recipes that are not the names of methods


def builder_of(method: Method) -> str:
    """The name of the method whose memory this method uses: another's, or its own."""
    if method.name in METHODS:
        return METHODS[method.name].memory_of or method.name
    from readgraph.state.context import ReaderContext

    recipes = [recipe for node in method.build().nodes.values() if (recipe := getattr(node.runnable, "recipe", None))]
    built = str(recipes[0](ReaderContext(model="")).method) if recipes else method.name
    return NAMED_OTHERWISE.get(built, built)
