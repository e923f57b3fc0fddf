"""What nodes do without a model: where it stands, and what it is called."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import pytest

from readgraph import nodes
from readgraph.nodes.step import StepNode

MODULES = [import_module(found.name) for found in walk_packages(nodes.__path__, f"{nodes.__name__}.")]


def with_substitute(module: ModuleType) -> Iterator[tuple[str, StepNode[Any, Any]]]:
    """The nodes that a module makes, by their names there, where they have a substitute."""
    for name, node in vars(module).items():
        if isinstance(node, StepNode) and node.work.__module__ == module.__name__ and node.without_model:
            yield name, node


@pytest.mark.parametrize(
    ("module", "name", "node"),
    [pytest.param(module, *made, id=made[0]) for module in MODULES for made in with_substitute(module)],
)
def test_a_substitute_stands_beside_its_node_under_its_name(
    module: ModuleType, name: str, node: StepNode[Any, Any]
) -> None:
    substitute = node.without_model
    assert substitute
    if isinstance(substitute, StepNode):  # a node that is used by itself, too
        assert vars(import_module(substitute.work.__module__))[str(substitute.name)] is substitute
        return
    home = import_module(substitute.__module__)
    named = {called for called, thing in vars(home).items() if thing is substitute} | {substitute.__name__}
    of = {called.removesuffix("_without_model") for called in named if called.endswith("_without_model")}
    if home is module:
        assert name in of
    else:  # one that several nodes share stands beside the first of them
        assert [other for other in of if isinstance(getattr(home, other, None), StepNode)]
