"""What a method's graph says about itself: the settings that it uses, and the memories that it builds."""

import asyncio
from dataclasses import replace
from importlib import import_module
from typing import Any

from readgraph.graphs.methods import Method, OwnMethod
from readgraph.graphs.wiring.paths import Builder
from readgraph.graphs.wiring.settings import settings_before_question
from readgraph.nodes.building.build import has_whole_memory
from readgraph.nodes.step import StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.declaring import settings_in
from readgraph.state.page_store import PageStore
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
