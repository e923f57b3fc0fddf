"""Rows with names of their own, and sweeps: lists of rows that give a paper's table as one evaluation.

This module imports neither LangGraph nor pydantic, since the command's help lists the sweeps.
"""

from typing import NamedTuple

from readgraph import BadInput
from readgraph.state.files import read_package_toml

NAMED_ROWS = {"read-agent-s": "read-agent@strategy=sequential"}  # ReadAgent-S, beside ReadAgent-P in the paper


class Sweep(NamedTuple):
    """What is varied, where the paper shows it, and the rows as `row_named` takes them."""

    line: str
    source: str
    rows: tuple[str, ...]


_WRITTEN = read_package_toml(__package__, "sweeps.toml")
SWEEPS = {name: Sweep(each["line"], each["source"], tuple(each["rows"])) for name, each in _WRITTEN.items()}


def sweep_named(name: str) -> Sweep:
    """The sweep of this name; raises `BadInput` where there is none."""
    if name not in SWEEPS:
        raise BadInput(f"There is no sweep '{name}': choose one of {', '.join(SWEEPS)}.")
    return SWEEPS[name]
