"""The folder of the examples, and the beginning of one of its texts, which is as much as most tests need."""

import importlib.util
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples"

WHOLE_STORY = EXAMPLES / "the-lamp-at-sarn-head.txt"

STORY = Path(__file__).parents[1] / "fixtures" / "the-lamp-at-sarn-head.txt"
"""The first third of the example story: each further page would cost calls of the model double in every test."""


def example_named(name: str) -> Any:
    """An example's module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec and spec.loader
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    return example
