"""Which settings a method uses, so that an option without effect is refused instead of ignored."""

from collections.abc import Collection, Iterable, Sequence
from contextvars import ContextVar
from importlib import import_module

from readgraph.graphs.methods import Method
from readgraph.graphs.wiring.settings import settings_before_question
from readgraph.state.declaring import settings_in
from readgraph.state.errors import BadInput

_typed: ContextVar[Collection[str]] = ContextVar("typed", default=())


def remember_typed(names: Iterable[str]) -> None:
    """Remember which settings were given as options of the running command."""
    _typed.set(frozenset(names))


def settings_of(method: Method, *, asks: bool) -> frozenset[str]:
    """The settings that a method's nodes use to build its memory and, with `asks`, to answer."""
    graph = import_module(f"readgraph.graphs.{method.module}").graph
    return frozenset(settings_in(graph.context_schema) if asks else settings_before_question(graph.builder))


def check_used(methods: Sequence[Method], *, asks: bool, also: Collection[str] = ()) -> None:
    """Raise `BadInput` where an option was typed that none of the methods uses; options in `also` are accepted.

    Settings from a file or a profile are shared by all methods and never refused.
    """
    used = frozenset(also).union(*(settings_of(method, asks=asks) for method in methods))
    idle = [f"--{name.replace('_', '-')}" for name in sorted(set(_typed.get()) - used)]
    if idle:
        has, them = ("has", "it") if len(idle) == 1 else ("have", "them")
        doing = "" if asks else " when it reads"
        names = ", ".join(method.name for method in methods)
        raise BadInput(f"{', '.join(idle)} {has} no effect with {names}{doing}: leave {them} out.")
