"""Which settings a method uses, so that an option without effect is refused instead of ignored."""

from collections.abc import Collection, Iterable, Sequence
from contextvars import ContextVar

from readgraph.graphs.method_facts import settings_of
from readgraph.graphs.methods import Method
from readgraph.state.errors import BadInput

_typed: ContextVar[Collection[str]] = ContextVar("typed", default=())


def remember_typed(names: Iterable[str]) -> None:
    """Remember which settings were given as options of the running command."""
    _typed.set(frozenset(names))


def check_used(methods: Sequence[Method], *, asks: bool, also: Collection[str] = ()) -> None:
    """Raise `BadInput` where an option was typed that none of the methods uses; options in `also` are accepted.

    Settings from a file or a profile are shared by all methods and never refused.
    """
    used = frozenset(also).union(*(settings_of(method, asks=asks) for method in methods))
    doing = "" if asks else " when it reads"
    check_typed(used, ", ".join(dict.fromkeys(method.name for method in methods)) + doing)


def check_typed(used: Collection[str], names: str) -> None:
    """Raise `BadInput` where an option was typed that is not among these settings; `names` say what ignores it."""
    idle = [f"--{name.replace('_', '-')}" for name in sorted({*_typed.get()} - {*used})]
    if idle:
        has, them = ("has", "it") if len(idle) == 1 else ("have", "them")
        raise BadInput(f"{', '.join(idle)} {has} no effect with {names}: leave {them} out.")
