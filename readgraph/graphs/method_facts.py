"""What a method's graph says about itself: its settings, the memories that it builds, the nodes that it shares."""

import asyncio
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace
from dis import get_instructions
from functools import cache
from importlib import import_module
from inspect import iscoroutinefunction
from types import CodeType, FunctionType
from typing import Any, TypeAlias

from readgraph.graphs.method import Method
from readgraph.graphs.methods import METHODS
from readgraph.graphs.wiring.declared import settings_before_question
from readgraph.graphs.wiring.method_graph import Builder
from readgraph.library.page_store import PageStore
from readgraph.nodes.building.build import has_whole_memory
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import settings_in
from readgraph.state.records import Document


def settings_of(method: Method, *, asks: bool) -> frozenset[str]:
    """The settings that a method's nodes use to build its memory and, with `asks`, to answer."""
    builder = _builder_of(method)
    return frozenset(
        settings_in(builder.context_schema or ReaderContext) if asks else settings_before_question(builder)
    )


def recipes_of(method: Method, context: ReaderContext) -> tuple[str, ...]:
    """The fingerprints of the recipes of the memories that a method builds or finds with this context."""
    reader = replace(context, model=context.reading_model or context.model)
    nodes = _builder_of(method).nodes.values()
    recipes = [recipe for node in nodes if (recipe := getattr(node.runnable, "recipe", None))]
    return tuple(sorted({recipe(reader).fingerprint for recipe in recipes}))


async def has_read(builder: Builder, pages: PageStore, document: Document, context: ReaderContext) -> bool:
    """Whether a graph would find its memory of a document whole; False where its nodes don't say which memory that is.

    Nodes after that may still have something to do, such as merging pages for another window.
    """
    nodes = [node.runnable for node in builder.nodes.values()]
    building = [(node.recipe, node.own_context(context)) for node in nodes if isinstance(node, StepNode)]
    coroutines = [has_whole_memory(pages, document, recipe, own) for recipe, own in building if recipe]
    return bool(coroutines) and all(await asyncio.gather(*coroutines))


def _builder_of(method: Method) -> Any:
    if method.package:
        return method.build()
    module, _, name = method.graph.partition(":")
    return getattr(import_module(module), name).builder


PAPERS = ("read-agent", "mem-walker", "gam", "mem-gpt")
"""The methods of the four papers; all others are made of their nodes."""


@dataclass(frozen=True)
class SharedNode:
    """Work that methods share: its function's `name` and `module`; the names of the `nodes` that use it, by methods."""

    name: str
    module: str
    nodes: dict[str, list[str]]

    @property
    def papers(self) -> list[str]:
        """The papers' methods that it serves."""
        return [method for method in PAPERS if method in self.nodes]

    @property
    def others(self) -> list[str]:
        """The other methods that it serves."""
        return [method for method in self.nodes if method not in PAPERS]


FunctionName: TypeAlias = tuple[str, str]
"""A function's module and name; those inside of a function, which it makes, have its name."""


def find_shared_nodes() -> list[SharedNode]:
    """The work that several methods share; first what serves most of the papers' methods.

    Nodes, and coroutines that nodes of two or more papers' methods call, but not what is only called inside of another.
    """
    steps = [
        (method.name, name, spec.runnable)
        for method in METHODS.values()
        for name, spec in method.build().nodes.items()
        if isinstance(spec.runnable, StepNode)
    ]
    shared_nodes: dict[FunctionName, SharedNode] = {}
    for method, name, step in steps:
        for module, function in _work_of(step):
            shared = shared_nodes.setdefault((module, function), SharedNode(function, module, {}))
            shared.nodes.setdefault(method, []).append(name)
    of_papers = {name for name, shared in shared_nodes.items() if len(shared.papers) > 1}
    listed = {_name_function(step.work) for *_, step in steps}
    listed |= of_papers & {name for *_, step in steps for name in _work_of(step, inside=of_papers)}
    several = [shared_nodes[name] for name in shared_nodes if name in listed and len(shared_nodes[name].nodes) > 1]
    return sorted(several, key=lambda shared: (-len(shared.papers), -len(shared.nodes)))


def _work_of(step: StepNode[Any, Any], inside: Container[FunctionName] = ()) -> Iterable[FunctionName]:
    """The public coroutines of `nodes`, and those that ask a model, that a step calls, but not what `inside` calls."""
    work, function_types, waiting = dict[FunctionName, None](), set[FunctionType](), list[Any]([step])
    while waiting:
        thing = waiting.pop(0)
        if isinstance(thing, StepNode):
            waiting += [thing.work, thing.without_model]
        elif isinstance(thing, FunctionType) and thing not in function_types and thing.__module__.startswith(WORKING):
            function_types.add(thing)
            name = _name_function(thing)
            if iscoroutinefunction(thing) and not name[1].startswith("_"):
                work[name] = None
            if name not in inside:
                waiting += [thing.__globals__.get(called) for called in sorted(_names_in(thing.__code__))]
                waiting += [cell.cell_contents for cell in thing.__closure__ or ()]
    return work


WORKING = ("readgraph.nodes.", "readgraph.features.", "readgraph.models.asking")  # where the work of methods stands


def _name_function(function: Callable[..., Any]) -> FunctionName:
    return function.__globals__["__name__"], function.__qualname__.partition(".<locals>")[0]


@cache
def _names_in(code: CodeType) -> frozenset[str]:
    """The global names that code and the code inside of it take; names of attributes are none of them."""
    own = {instruction.argval for instruction in get_instructions(code) if instruction.opname == "LOAD_GLOBAL"}
    return frozenset(own).union(*(_names_in(inner) for inner in code.co_consts if isinstance(inner, CodeType)))
