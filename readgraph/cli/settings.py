"""The settings file: settings for every run. Options override environment variables, and both override the file."""

from collections.abc import Collection, Sequence
from contextvars import ContextVar
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, Literal

from readgraph.graphs.method import Method
from readgraph.graphs.method_facts import settings_of
from readgraph.graphs.methods import method_for, method_typed
from readgraph.models.names import context_for
from readgraph.models.own.tables import model_tables
from readgraph.models.prices import parse_price
from readgraph.state.context import PROFILES, ReaderContext
from readgraph.state.declaring import RENAMED, settings_in, use_current_names
from readgraph.state.errors import BadInput
from readgraph.state.records import Document
from readgraph.state.settings import Tenant
from readgraph.state.settings.settings_file import file_settings, settings_file

_typed: ContextVar[Collection[str]] = ContextVar("typed", default=())
"""The settings that were given as options of the running command."""


def check_used(methods: Sequence[Method], *, asks: bool, also: Collection[str] = ()) -> None:
    """Raise `BadInput` where an option was typed that none of the methods uses; options in `also` are accepted.

    Settings from a file or a profile are shared by all methods and never refused.
    """
    if not _typed.get():  # a graph of many methods takes a second to import
        return
    used = frozenset(also).union(*(settings_of(method, asks=asks) for method in methods))
    doing = "" if asks else " when it reads"
    check_typed(used, ", ".join(dict.fromkeys(method.name for method in methods)) + doing)


def check_typed(used: Collection[str], names: str) -> None:
    """Raise `BadInput` where an option was typed that is not among these settings; `names` say what ignores it."""
    idle = [f"--{name.replace('_', '-')}" for name in sorted({*_typed.get()} - {*used})]
    if idle:
        has, them = ("has", "it") if len(idle) == 1 else ("have", "them")
        raise BadInput(f"{', '.join(idle)} {has} no effect with {names}: leave {them} out.")


OF_THE_COMMAND = ("method", "price", "models")  # settings of the command that are no fields of the context


def reader_context(profile: str | None = None, **given: Any) -> ReaderContext:
    """The context from the command's options; one left out comes from the profile, else the file, else the default.

    For a model that runs on this machine, the defaults fit its context length.
    """
    if profile is not None and profile not in PROFILES:
        raise BadInput(f"There is no profile '{profile}': choose one of {', '.join(PROFILES)}.")
    chosen = use_current_names({name: value for name, value in given.items() if value is not None})
    _typed.set(frozenset(chosen))
    from_file = {name: value for name, value in _settings_of_file().items() if name not in OF_THE_COMMAND}
    return context_for({**from_file, **PROFILES.get(profile or "", {}), **chosen})


def context_or_fault(**given: Any) -> ReaderContext | BadInput:
    """The context from the command's options; what is wrong with the settings file, if that is why there is none."""
    try:
        check_settings_file()
        return reader_context(**given)
    except BadInput:
        try:
            check_settings_file()
            reader_context()
        except BadInput as problem:
            return problem
        raise  # an option is wrong


def check_settings_file() -> None:
    """Raise `BadInput` where the settings file has a method or a price that can't be used."""
    if method := from_settings_file("method"):
        method_typed(method)
    if price := from_settings_file("price"):
        parse_price(price)


def choose_method(
    option: str | None, document: Document | None = None, *, asks: bool = True, by_person: bool = False
) -> Method:
    """The method from the option, else from the settings file, else for this kind of document; see `check_used`.

    `by_person`: a person decides at its steps, which must be known before.
    """
    name = option or from_settings_file("method")
    method = method_typed(name) if name else method_for(document, asks=asks and not by_person)
    check_used([method], asks=asks)
    return method


def find_typed_method(method: str | None) -> Method | None:
    """The method that the user typed, if one was typed."""
    return method_typed(method) if method else None


def from_settings_file(name: Literal["method", "price"]) -> str | None:
    """The method or the price from the settings file, if it has one."""
    value = _settings_of_file().get(name)
    return None if value is None else str(value)


def _settings_of_file() -> dict[str, Any]:
    settings, path = file_settings(), settings_file()
    model_tables()
    settable = (field.name for field in fields(ReaderContext) if field.name not in settings_in(Tenant))
    known = [*OF_THE_COMMAND, *settable, *RENAMED]
    for name in settings:
        if name not in known:
            near = get_close_matches(name.lower(), known, 1)
            hint = f": do you mean '{near[0]}'?" if near else ": a setting has the name of its option, with _ for -."
            raise BadInput(f"The settings file {path} has an unknown setting '{name}'{hint}")
    return use_current_names(settings)
