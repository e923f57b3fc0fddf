"""The libraries of the extra `evaluation`, imported only when they are needed."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from readgraph.state.errors import BadInput

MISSING = "Evaluating needs more packages: pip install 'readgraph[evaluation]'."


def library(name: str) -> Any:
    """A module of the extra's libraries; raises `BadInput`, which says what to install, if it is missing."""
    try:
        return import_module(name)
    except ImportError:
        raise BadInput(MISSING) from None


def check_libraries() -> None:
    """Raise `BadInput` if a library for scoring is missing, before anything is paid for."""
    if not all(map(find_spec, ("nltk", "rouge_score", "scipy"))):
        raise BadInput(MISSING)
