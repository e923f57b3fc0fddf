"""The settings that a graph's nodes use: the fields of its context, and of the form that Studio shows."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from langgraph.graph import START
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel import Pregel

from readgraph.graphs.wiring.paths import Builder
from readgraph.graphs.wiring.recipes import settings_of_recipe
from readgraph.nodes.step import StepNode
from readgraph.state.context import context_with
from readgraph.state.declaring import Groups, settings_in
from readgraph.state.errors import BadInput
from readgraph.state.settings import GROUPS


def fit_context(builder: Builder) -> None:
    """Limit a graph's context to the settings that its nodes use.

    A node that was swapped in adds its own settings, and those of the recipe with which it builds. Nodes that declare
    none, such as plain functions, add none: they see the defaults, or the values of a complete `ReaderContext`.
    """
    builder.context_schema = context_with(
        group for node in builder.nodes.values() for group in groups_of(node.runnable)
    )


def check_settings(builder: Builder) -> None:
    """Refuse a node that uses a setting which the graph's context lacks; raises `BadInput`, which names both.

    A graph without a context schema takes any setting, and is not checked.
    """
    if builder.context_schema is None:
        return
    known = settings_in(builder.context_schema)
    for name, node in builder.nodes.items():
        for setting in _settings(node.runnable):
            if setting not in known:
                raise BadInput(
                    f"The node '{name}' reads the setting '{setting}', which the graph's context does not have: give "
                    "the graph context_schema=ReaderContext, or call fit_context before the check."
                )


def settings_before_question(builder: Builder) -> set[str]:
    """The settings that are used without a question: those of the nodes up to the first choice of an edge."""
    waiting, passed = [START], set[str]()
    while waiting:
        passed.add(node := waiting.pop())
        if node not in builder.branches:
            waiting += [end for start, end in builder.edges if start == node and end in builder.nodes]
    return {setting for name in passed - {START} for setting in _settings(builder.nodes[name].runnable)}


def _settings(node: Any) -> Iterator[str]:
    return chain((setting for group in groups_of(node) for setting in settings_in(group)), _of_recipe(node))


def _of_recipe(node: Any) -> frozenset[str]:
    recipe = node.recipe if isinstance(node, StepNode) else None
    return settings_of_recipe(recipe) if recipe else frozenset()


def groups_of(node: Any) -> Groups:
    """The groups of settings that a node declares: a step's own, and those in a graph's context, or of its nodes."""
    if isinstance(node, StepNode):
        read = _of_recipe(node)
        of_recipe = (group for group in GROUPS if read & {*settings_in(group)} and group not in node.settings)
        return (*node.settings, *of_recipe)
    if not isinstance(node, Pregel):
        return ()
    if isinstance(node, CompiledStateGraph) and not node.context_schema:
        used = {group for inner in node.builder.nodes.values() for group in groups_of(inner.runnable)}
        return tuple(group for group in GROUPS if group in used)
    known = settings_in(node.context_schema) if node.context_schema else ()
    return tuple(group for group in GROUPS if {*settings_in(group)} <= {*known})
