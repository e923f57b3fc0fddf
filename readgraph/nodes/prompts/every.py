"""All prompts: the modules that declare them, and those whose words can be replaced."""

import pkgutil
from importlib import import_module
from types import ModuleType

from readgraph.models.wording import Wording, declared_wordings
from readgraph.nodes import prompts


def prompt_modules() -> list[ModuleType]:
    """The modules that declare prompts."""
    return [import_module(found.name) for found in pkgutil.walk_packages(prompts.__path__, f"{prompts.__name__}.")]


def every_wording() -> list[Wording]:
    """The words of all prompts, by their names."""
    prompt_modules()
    return [*declared_wordings()]
