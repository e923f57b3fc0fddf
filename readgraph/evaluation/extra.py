"""The libraries of the extra `evaluation`, imported where they are needed: nothing else pays for them."""

from importlib import import_module
from typing import Any

from readgraph.state.errors import BadInput


def library(name: str) -> Any:
    """A module of the extra's libraries; raises `BadInput`, which says what to install, where it is missing."""
    try:
        return import_module(name)
    except ImportError:
        raise BadInput("Evaluating needs more packages: pip install 'readgraph[evaluation]'.") from None
