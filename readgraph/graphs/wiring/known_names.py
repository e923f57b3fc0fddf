"""Names that nobody knows are told at once, with the nearest that is known: LangGraph drops them in silence."""

import warnings
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any

from langgraph.types import StateUpdate

from readgraph.state.context import ReaderContext
from readgraph.state.declaring import RENAMED, settings_in
from readgraph.state.errors import BadInput

NEAR = 0.65
"""How much alike two names must be, so that one may be meant by the other."""


class IgnoredSetting(UserWarning):
    """A setting was given where no graph reads it."""


def check_names(what: str, given: object, known: Collection[str]) -> None:
    """Refuse names that are not known; `what` begins the sentence, such as "The input has".

    Only dictionaries have names. Raises `BadInput`, which tells the nearest known name.
    """
    if not isinstance(given, Mapping) or given.keys() <= (names := frozenset(known)):
        return
    name = min(map(str, given.keys() - names))
    similar = "".join(f" (it has '{near}')" for near in get_close_matches(name, sorted(names), 1, cutoff=NEAR))
    raise BadInput(f"{what} '{name}', which the graph's state does not have{similar}.")


def check_updates(supersteps: Sequence[Sequence[StateUpdate]], known: Collection[str]) -> None:
    """Refuse updates of a state from outside that have names which the state lacks."""
    for updates in supersteps:
        for update in updates:
            check_names("The update has", update.values, known)


def warn_of_configurable(configurable: Mapping[str, Any], context: object) -> None:
    """Warn of settings among a call's `configurable`, which no graph reads, unless the context says the same.

    LangGraph's server puts the context there too, and names of its own, which are no settings.
    """
    ignored = [name for name in configurable if name in _settings() and not _says(context, name, configurable[name])]
    if ignored:
        names = ", ".join(f"{name}={configurable[name]!r:.40}" for name in sorted(ignored))
        warnings.warn(
            f"Settings under 'configurable' are ignored: give them as context=ReaderContext({names}).",
            IgnoredSetting,
            stacklevel=5,
        )


@cache
def _settings() -> frozenset[str]:
    return frozenset((*settings_in(ReaderContext), *RENAMED))


def _says(context: object, name: str, value: object) -> bool:
    said = context.get(name) if isinstance(context, Mapping) else getattr(context, name, None)
    return bool(said == value)
