"""The reading methods by their names: ours, and those that other packages plug in (`readgraph.plugins`)."""

from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from inspect import getdoc
from typing import TYPE_CHECKING

from readgraph.graphs.method import Kind, Method
from readgraph.plugins import leave_out, plugged_in
from readgraph.state.errors import BadInput, Way
from readgraph.state.installed import object_typed

if TYPE_CHECKING:
    from readgraph.state.records import Document

__all__ = ["METHODS"]

ANOTHER = "choose another method"


def find_methods() -> tuple[Method, ...]:
    """All methods that are ours, in order; no graph is imported."""
    return tuple(sorted((method for method in _declared() if not method.package), key=lambda method: method.order))


@cache
def _declared() -> tuple[Method, ...]:
    return tuple(replace(method, package=package) for package, method in plugged_in("methods", Method))


def _methods_of(kind: Kind) -> dict[str, Method]:
    return {method.name: method for method in find_methods() if method.kind == kind}


METHODS = _methods_of("question")
"""Our own methods, by their names."""

FIRST_CHOICES = tuple(METHODS)[:4]
"""The methods that fit most texts: by their order, every list begins with them."""

WEB_METHODS = _methods_of("web")  # the methods that name the next action on a web page, instead of an answer

ROWS = _methods_of("row")
"""Rows of evaluations, beside the methods: each answers one kind of question."""

PARTS = _methods_of("part")
"""Graphs that make something else than answers, or are a part of a method."""


@cache
def _methods_of_others() -> tuple[list[Method], dict[Method, str]]:
    """The methods of other packages, and why others of theirs are not used."""
    named, unused = {method.name: method for method in find_methods()}, dict[Method, str]()
    for method in (method for method in _declared() if method.package):
        if namesake := named.get(method.name):
            unused[method] = f"Not used: {'another' if namesake.package else 'one of ours'} has this name."
            leave_out(method.package, f"there is another method '{method.name}'")
        elif method.kind != "question":
            leave_out(method.package, f"the method '{method.name}' is a {method.kind}, which only ours can be")
        else:
            named[method.name] = method
    return [method for method in named.values() if method.package], unused


def every_method() -> list[Method]:
    """All methods, the first choices and ours first; the graphs of other packages are not imported."""
    return [*METHODS.values(), *_methods_of_others()[0]]


def unused_methods() -> dict[Method, str]:
    """What other packages offer under names that are taken, with what to say of that."""
    return _methods_of_others()[1]


def method_named(name: str) -> Method:
    """The method of this name, ours or of another package; raises `BadInput` where there is none.

    Ours can't be replaced. A name may come from a library or from a model, so nothing is imported by its place.
    """
    methods = {method.name: method for method in every_method()}
    if method := methods.get(name):
        return method
    if other := (WEB_METHODS | ROWS).get(name):
        raise BadInput(f"'{name}' answers no question: ", Way(other.instead or ANOTHER, ANOTHER, ANOTHER), ".")
    if near := get_close_matches(name.lower(), methods, 1):
        raise BadInput(f"There is no method '{name}'. Do you mean '{near[0]}'?")
    others = ", ".join(method for method in methods if method not in FIRST_CHOICES)
    first = ", ".join(FIRST_CHOICES)
    raise BadInput(f"There is no method '{name}': choose one of {first}; or, for special tasks, of {others}.")


def method_typed(name: str) -> Method:
    """The method that a user typed: of this name, or built by the function at `package.module:build`.

    The function is imported at once, from the current folder too.
    """
    if ":" not in name and not name.endswith(".py"):
        return method_named(name)
    build = object_typed(name, f"The method '{name}'")
    line = (getdoc(getattr(build, "func", build)) or "").partition("\n")[0]
    return Method(name=name, graph=name, line=line, package=name.partition(":")[0])


def method_kept(name: str) -> Method:
    """The method of this name with which a question was answered, also a row; raises `BadInput` as `method_named`."""
    return ROWS.get(name) or method_named(name)


def web_method_named(name: str) -> Method:
    """The method for web pages of this name; raises `BadInput` where there is none."""
    if name not in WEB_METHODS:
        raise BadInput(f"There is no method '{name}' for web pages: choose one of {', '.join(WEB_METHODS)}.")
    return WEB_METHODS[name]


def method_for(document: "Document | None", *, asks: bool = False) -> Method:
    """The default method for a document: GAM for a history, ReadAgent for a text; to ask, the one that plugs in so."""
    asked = next((method for method in METHODS.values() if method.asked and asks), None)
    return asked or METHODS["gam" if document and document.sessions else "read-agent"]


NAMED_OTHERWISE = {"segments": "bm25"}  # names in recipes that are not the names of methods


def builder_of(method: Method) -> str:
    """The name of the method whose memory this method uses: another's, or its own."""
    if method.name in METHODS:
        return METHODS[method.name].memory_of or method.name
    from readgraph.state.context import ReaderContext

    recipes = [recipe for node in method.build().nodes.values() if (recipe := getattr(node.runnable, "recipe", None))]
    built = str(recipes[0](ReaderContext(model="")).method) if recipes else method.name
    return NAMED_OTHERWISE.get(built, built)
