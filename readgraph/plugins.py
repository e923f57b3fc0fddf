"""Every place where a package can plug in. readgraph's own methods, features and commands use the same hooks.

A package names one of its modules in its `pyproject.toml`:

    [project.entry-points.readgraph]
    my-package = "my_package.plugin"

The module has functions with the names of the hooks below, each marked with `hookimpl`:

    from readgraph.graphs.method import Method
    from readgraph.plugins import hookimpl

    @hookimpl
    def methods():
        return [Method(name="my-method", graph="my_package.my_method:graph", line="What it does.")]

The module is imported when readgraph starts, so it should import nothing heavy; what a hook needs, it imports itself.
A package that fails is left out, and named by `readgraph doctor`; no name of ours can be replaced.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

from pluggy import HookimplMarker, HookspecMarker, PluginManager

from readgraph import doors, features

if TYPE_CHECKING:
    from readgraph.api.tools import Tool
    from readgraph.cli.declaring import Command, ReportForm
    from readgraph.doors.serve.making import Page
    from readgraph.graphs.method import Method
    from readgraph.library.address import StoreKind
    from readgraph.library.upkeep.own_records import OwnRecords
    from readgraph.sources.kinds import FileKind
    from readgraph.state.declaring import Settings
    from readgraph.state.providers import ModelProvider
    from readgraph.state.transports import Transport

__all__ = ["Hooks", "hookimpl"]

ThingT = TypeVar("ThingT")

PROJECT = "readgraph"  # the name of the hooks, and of the group of entry points
hookspec = HookspecMarker(PROJECT)
hookimpl = HookimplMarker(PROJECT)
"""Marks a function as what its module gives for the hook of the same name."""


class Hooks:
    """What a package can add. A hook takes no arguments and gives any number of things; all are optional."""

    @hookspec
    def methods(self) -> "Iterable[Method]":  # type: ignore[empty-body]
        """Methods of reading: graphs that answer questions, or are rows of evaluations."""

    @hookspec
    def models(self) -> "Iterable[ModelProvider]":  # type: ignore[empty-body]
        """Models that run on this machine: what their names begin with, and how their servers are started."""

    @hookspec
    def transports(self) -> "Iterable[Transport]":  # type: ignore[empty-body]
        """Ways of calls to their model servers other than a request for each at once, as a setting chooses."""

    @hookspec
    def commands(self) -> "Iterable[Command]":  # type: ignore[empty-body]
        """Commands of `readgraph`, and groups of commands."""

    @hookspec
    def kinds(self) -> "Iterable[FileKind]":  # type: ignore[empty-body]
        """Kinds of files that can be read, with the functions that convert them to text."""

    @hookspec
    def reports(self) -> "Iterable[ReportForm]":  # type: ignore[empty-body]
        """Forms of reports, which `--report FILE` writes: the ending of the file chooses one."""

    @hookspec
    def settings(self) -> "Iterable[type[Settings]]":  # type: ignore[empty-body]
        """Groups of settings: options of the commands, fields of `ReaderContext`, keys of the settings file."""

    @hookspec
    def functions(self) -> "Mapping[str, str]":  # type: ignore[empty-body]
        """Functions of `readgraph.api`: where each stands, `package.module:name`, by its name."""

    @hookspec
    def tools(self) -> "Iterable[Tool]":  # type: ignore[empty-body]
        """Tools of agents, which they call over MCP."""

    @hookspec
    def pages(self) -> "Iterable[Page]":  # type: ignore[empty-body]
        """What the page in the browser (`readgraph serve`) makes besides answers, and further routes."""

    @hookspec
    def records(self) -> "Iterable[OwnRecords]":  # type: ignore[empty-body]
        """What the package keeps in a library for itself: how it is deleted when a document is forgotten."""

    @hookspec
    def stores(self) -> "Iterable[StoreKind]":  # type: ignore[empty-body]
        """Places besides folders where libraries can be kept: which addresses, and what opens the store there."""

    @hookspec
    def prompts(self) -> "Iterable[str]":  # type: ignore[empty-body]
        """Modules that declare prompts, so that these can be exported and replaced: `package.module`."""

    @hookspec
    def engines(self) -> "Mapping[str, str]":  # type: ignore[empty-body]
        """Compression engines: where each class stands, `package.module:Name`, by the engine's id."""


CORE = ("readgraph.graphs.declared", "readgraph.cli.plugin", "readgraph.sources.kinds")
"""The modules of the core that plug in; of a folder of `readgraph.features` or `readgraph.doors` it is `plugin.py`."""


def _own_modules() -> Iterator[str]:
    yield from CORE
    for room in (features, doors):
        named = (f"{room.__name__}.{folder.name}.plugin" for folder in iter_modules(room.__path__))
        yield from filter(find_spec, named)


@cache
def _plugins() -> tuple[PluginManager, dict[str, str]]:
    """All plug-ins, and why packages that can't be used are left out, by their names."""
    manager, faults = PluginManager(PROJECT), dict[str, str]()
    manager.add_hookspecs(Hooks)
    for name in _own_modules():
        manager.register(import_module(name), name)
    for point in entry_points(group=PROJECT):
        try:
            manager.register(point.load(), point.name)
        except (Exception, SystemExit) as problem:  # another package's import may raise anything, or end the process
            faults[point.name] = _describe(problem)
    return manager, faults


Places = tuple[str, str]
"""A name, and where the thing stands that it names: `package.module:name`."""


def plugged_in(hook: str, of: Any = object) -> Iterator[tuple[str, Any]]:
    """What the plug-ins give for a hook, each with its package's name: "" for what is ours, which comes first.

    Of a mapping, each is a pair of key and value. A package that gives something else than things `of` this type is
    left out: objects of a class, classes derived from one (`type[…]`), or pairs (`Places`).
    """
    manager, _ = _plugins()
    for hookimpl in getattr(manager.hook, hook).get_hookimpls():
        package = "" if hookimpl.plugin_name.startswith(f"{PROJECT}.") else hookimpl.plugin_name
        try:
            things = hookimpl.function()
            things = [*(things.items() if isinstance(things, Mapping) else things)]
            wrong = [f"{thing!r:.80}, which is {_describe_type(of)}" for thing in things if not _is_of(thing, of)]
        except (Exception, SystemExit) as problem:
            if not package:
                raise
            leave_out(package, f"the hook '{hook}' fails: {_describe(problem)}")
            continue
        if wrong:
            leave_out(package, f"the hook '{hook}' gives {wrong[0]}")
            continue
        yield from ((package, each) for each in things)


def plugged_in_by_name(hook: str, of: type[ThingT], name: Callable[[ThingT], str], fault: str) -> dict[str, ThingT]:
    """What the plug-ins give for a hook, by name; none replaces another: `fault` says that the name `{}` is taken."""
    named = dict[str, ThingT]()
    for package, thing in plugged_in(hook, of):
        if name(thing) in named:
            leave_out(package, fault.format(name(thing)))
        else:
            named[name(thing)] = thing
    return named


def _is_of(thing: object, of: Any) -> bool:
    if get_origin(of) is type:
        return isinstance(thing, type) and issubclass(thing, get_args(of)[0])
    if get_origin(of) is tuple:
        return isinstance(thing, tuple) and [*map(type, thing)] == [*get_args(of)]
    return isinstance(thing, of)


def _describe_type(of: Any) -> str:
    if get_origin(of) is type:
        return f"no class derived from {get_args(of)[0].__name__}"
    return "no name with its 'package.module:name'" if of == Places else f"no {of.__name__}"


def leave_out(package: str, fault: str) -> None:
    """Note why something of a package is not used; raises `ValueError` where it is ours."""
    if not package:
        raise ValueError(fault)
    faults = _plugins()[1]
    if fault not in faults.get(package, ""):
        faults[package] = "; ".join(filter(None, [faults.get(package), fault]))


def plugin_faults() -> dict[str, str]:
    """Why packages that would plug in can't be used, or not in all that they give, by their names."""
    return dict(_plugins()[1])


def _describe(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {str(problem).partition(chr(10))[0]:.200}"
