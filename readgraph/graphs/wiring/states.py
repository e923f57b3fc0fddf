"""The state of a graph with channels of the caller's own."""

from typing import Any, get_type_hints

from readgraph.state.errors import BadInput

_BASES: dict[type[Any], type[Any]] = {}


def with_channels(state: type[Any], base: type[Any]) -> type[Any]:
    """The state, if it has all channels of a graph's own, unchanged; raises `BadInput` if not."""
    own, needed = (get_type_hints(each, include_extras=True) for each in (state, base))
    for name, kind in needed.items():
        if own.get(name) != kind:
            raise BadInput(
                f"The state {state.__name__} has '{name}' not as {base.__name__} has it: derive it from that, "
                f"class {state.__name__}({base.__name__}), and add channels with other names."
            )
    if state is not base:
        _BASES[state] = base
    return state


def base_of(state: type[Any] | None) -> type[Any] | None:
    """The state from which one with further channels was derived; None where it is none of these."""
    return _BASES.get(state) if state else None
