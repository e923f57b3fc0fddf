"""What a method's graph says about itself: its settings, the memories that it builds, the nodes that it shares."""

import asyncio
from dataclasses import dataclass, replace
from importlib import import_module
from types import CodeType
from typing import Any

from readgraph.graphs.methods import METHODS, Method, OwnMethod
from readgraph.graphs.wiring.declared import settings_before_question
from readgraph.graphs.wiring.paths import Builder
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
    asked = [has_whole_memory(pages, document, recipe, own) for recipe, own in building if recipe]
    return bool(asked) and all(await asyncio.gather(*asked))


def _builder_of(method: Method) -> Any:
    if isinstance(method, OwnMethod):
        return method.build()
    module, _, name = method.graph.partition(":")
    return getattr(import_module(module), name).builder


PAPERS = ("read-agent", "mem-walker", "gam", "mem-gpt")
"""The methods of the four papers; all others are made of their nodes."""


@dataclass(frozen=True)
class SharedNode:
    """A node, or what makes nodes: `name`, its `module`, and by methods the names of these nodes in their graphs."""

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


def find_shared_nodes() -> list[SharedNode]:
    """The nodes that serve several methods; first those that serve most of the papers' methods.

    Nodes that one function makes, such as `answering`, run the same code: what a method has of its own is handed to it.
    """
    found: dict[CodeType, SharedNode] = {}
    for method in METHODS.values():
        for name, spec in method.build().nodes.items():
            if isinstance(spec.runnable, StepNode):
                work = spec.runnable.work
                maker = work.__qualname__.partition(".<locals>")[0]
                node = found.setdefault(work.__code__, SharedNode(maker, work.__globals__["__name__"], {}))
                node.nodes.setdefault(method.name, []).append(name)
    several = [node for node in found.values() if len(node.nodes) > 1]
    return sorted(several, key=lambda node: (-len(node.papers), -len(node.nodes)))
