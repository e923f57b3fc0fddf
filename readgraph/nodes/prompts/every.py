"""All prompts whose words can be replaced."""

import pkgutil
from importlib import import_module

from readgraph.models.wording import Wording, declared_wordings
from readgraph.nodes import prompts


def every_wording() -> list[Wording]:
    """The words of all prompts, by their names."""
    for module in pkgutil.iter_modules(prompts.__path__):
        import_module(f"{prompts.__name__}.{module.name}")
    return [*declared_wordings()]
