"""What types and functions declare is looked up once: nearly every test builds and compiles graphs."""

from functools import cache
from types import FunctionType
from typing import Any
from typing import get_type_hints as evaluate_hints
from weakref import WeakKeyDictionary

import pytest
from langgraph._internal import _serde

from readgraph.graphs import wiring
from readgraph.graphs.wiring import checks, declared
from readgraph.nodes import step
from readgraph.state.declaring import settings_in

_hints: WeakKeyDictionary[Any, dict[bool, dict[str, Any]]] = WeakKeyDictionary()


def get_type_hints(of: Any, globalns: Any = None, localns: Any = None, include_extras: bool = False) -> dict[str, Any]:
    """As `typing.get_type_hints`, where the names are always those of the type's own module."""
    if not isinstance(of, type | FunctionType):
        return evaluate_hints(of, globalns, localns, include_extras)
    kept = _hints.setdefault(of, {})
    if include_extras not in kept:
        kept[include_extras] = evaluate_hints(of, globalns, localns, include_extras)
    return dict(kept[include_extras])


def look_up_once(patched: pytest.MonkeyPatch) -> None:
    """Look up once what steps and the state of graphs declare."""
    for module in (wiring, declared, step, _serde):
        patched.setattr(module, "get_type_hints", get_type_hints)
    for module in (declared, checks):
        patched.setattr(module, "settings_in", cache(settings_in))
