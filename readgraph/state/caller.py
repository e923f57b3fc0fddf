"""Warnings at the line of the program that called readgraph: what warns runs in tasks and threads apart from it."""

import sys
import warnings
from contextvars import ContextVar
from types import FrameType
from typing import Any

from readgraph.state.variables import is_silent

Place = tuple[str, int, dict[str, Any]]  # a file, a line, and the variables of its module

WAY = {"readgraph", "langgraph", "langchain_core", "anyio"} | sys.stdlib_module_names
"""The packages between a program and a step that warns."""

LOOPS = {"tornado", "ipykernel", "uvicorn"}  # what runs tasks, of which no frame tells who began them

_caller: ContextVar[Place | None] = ContextVar("readgraph_caller", default=None)


def remember_caller() -> None:
    """Remember the line outside of readgraph that is being run; in a thread of ours, the one before stays."""
    if place := _find_caller():
        _caller.set(place)


def warn_caller(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called readgraph."""
    if is_silent():
        return
    file, line, variables = _caller.get() or _find_caller() or ("readgraph", 1, {})
    name, registry = str(variables.get("__name__", "readgraph")), variables.setdefault("__warningregistry__", {})
    warnings.warn_explicit(text, category, file, line, name, registry)


def _find_caller() -> Place | None:
    frame: FrameType | None = sys._getframe(1)
    while frame and (package := str(frame.f_globals.get("__name__")).partition(".")[0]) in WAY:
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno, frame.f_globals) if frame and package not in LOOPS else None
