"""What the recipe of a memory holds, as far as it is known before anything is read."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from readgraph.graphs.wiring.declared import Declared, declared_by
from readgraph.graphs.wiring.paths import Builder, path_avoiding, reached_from
from readgraph.graphs.wiring.subgraphs import GraphStep
from readgraph.nodes.step import MakeRecipe, StepNode
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput

MODELS = ("", "provider:name")
"""A recipe may hold other parameters with a model than without."""


class _Watched:
    """A context that notes which settings are read of it."""

    def __init__(self, model: str) -> None:
        self._context, self.settings = ReaderContext(model=model), set[str]()

    def __getattr__(self, name: str) -> Any:
        self.settings.add(name)
        return getattr(self._context, name)


def settings_of_recipe(recipe: MakeRecipe) -> frozenset[str]:
    """The names of the settings that a recipe is made of."""
    watched = [_Watched(model) for model in MODELS]
    for context in watched:
        recipe(context)  # type: ignore[arg-type]
    return frozenset().union(*(context.settings for context in watched))


def check_recipes(builder: Builder, declared: Mapping[str, Declared]) -> None:
    """Refuse a node to which a memory comes without what the node needs of its recipe.

    A memory from a node that says no recipe may hold anything. Notes that a model writes and nothing uses are refused
    too. Raises `BadInput`, which names both nodes.
    """
    writers = {name for name, keys in declared.items() if keys.writes is None or "memory" in keys.may_write}
    _check_notes(builder, writers)
    for name, needs in _needing(builder):
        for writer in sorted(writers - {name}):
            lacking = needs - _parameters(builder.nodes[writer].runnable, needs)
            # Without any writer the graph is refused anyway: the memory comes from this one where no other ran.
            if lacking and path_avoiding(builder, writers - {writer, name}, name):
                raise BadInput(
                    f"The node '{name}' needs a memory whose recipe has '{min(lacking)}', and the node '{writer}' "
                    "builds one without: take a node that builds with it."
                )


def _check_notes(builder: Builder, writers: Collection[str]) -> None:
    """Refuse to pay for notes where only the pages are taken."""
    for name in [name for name, node in builder.nodes.items() if getattr(node.runnable, "pages_alone", False)]:
        for writer in sorted(writers):
            if _pays_for_notes(builder.nodes[writer].runnable) and name in reached_from(builder, writer):
                raise BadInput(
                    f"The node '{writer}' has a model write notes, and '{name}' takes the pages alone: take a node "
                    "that only cuts the text into pages, such as readgraph.graphs.mem_gpt.read."
                )


def _pays_for_notes(node: Any) -> bool:
    if isinstance(node, GraphStep) and isinstance(node.graph, CompiledStateGraph):
        return any(_pays_for_notes(inner.runnable) for inner in node.graph.builder.nodes.values())
    return isinstance(node, StepNode) and node.builds


def _needing(builder: Builder) -> Iterator[tuple[str, frozenset[str]]]:
    for name, node in builder.nodes.items():
        if isinstance(node.runnable, StepNode) and node.runnable.needs:
            yield name, node.runnable.needs


def _parameters(node: Any, unknown: frozenset[str]) -> frozenset[str]:
    """The parameters of the recipe with which a node builds; `unknown` where it says none.

    A compiled graph's are those of its nodes that give a memory.
    """
    if isinstance(node, GraphStep) and isinstance(node.graph, CompiledStateGraph):
        inside = node.graph.builder
        declared = {each.runnable: declared_by(each.runnable, inside.state_schema) for each in inside.nodes.values()}
        giving = [each for each, keys in declared.items() if keys.writes is None or "memory" in keys.may_write]
        return frozenset().union(*(_parameters(each, unknown) for each in giving)) if giving else unknown
    if not (isinstance(node, StepNode) and node.recipe):
        return unknown
    first, *others = (frozenset(node.recipe(ReaderContext(model=model)).parameters) for model in MODELS)
    return first.intersection(*others)
