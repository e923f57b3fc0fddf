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

Shorter, `methods = give(Method(...))`; of what `give_from` names, the module is imported when the hook is asked.

The module is imported when readgraph starts, so it should import nothing heavy; what a hook needs, it imports itself.
A package that fails is left out, and named by `readgraph doctor`; no name of ours can be replaced.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from inspect import iscoroutinefunction
from pkgutil import iter_modules, resolve_name
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin

from pluggy import HookimplMarker, HookspecMarker, PluginManager, PluginValidationError

from readgraph import doors, features

if TYPE_CHECKING:
    from readgraph.api.tools import Tool
    from readgraph.cli.declaring import Command, ReportForm
    from readgraph.doors.serve.making import Page
    from readgraph.graphs.method import Method
    from readgraph.library.address import StoreKind
    from readgraph.library.upkeep.own_records import OwnRecords
    from readgraph.nodes.beside import Beside
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


def give(*things: ThingT) -> Callable[[], tuple[ThingT, ...]]:
    """The hook of the name that it gets, such as `commands`, which gives these things."""
    return hookimpl(lambda: things)


def give_from(*places: str) -> Callable[[], tuple[Any, ...]]:
    """The hook that gives what stands at these places, `package.module:name`; they are imported when it is asked."""
    return hookimpl(lambda: tuple(map(resolve_name, places)))


def give_names(*places: str) -> Callable[[], dict[str, str]]:
    """The hook that gives these places, `package.module:name`, by the names of what stands there."""
    return hookimpl(lambda: {place.partition(":")[2]: place for place in places})


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
    def beside(self) -> "Iterable[Beside]":  # type: ignore[empty-body]
        """What models are shown beside the texts of parts that were looked up, such as pictures of their pages."""

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


@cache
def _own_modules() -> tuple[str, ...]:
    rooms = ((room.__name__, folder.name) for room in (features, doors) for folder in iter_modules(room.__path__))
    return (*CORE, *filter(find_spec, (f"{room}.{folder}.plugin" for room, folder in rooms)))


@cache
def _plugins() -> tuple[PluginManager, dict[str, str]]:
    """All plug-ins, and why packages that can't be used are left out, by their names."""
    manager, faults = PluginManager(PROJECT), dict[str, str]()
    manager.add_hookspecs(Hooks)
    for name in _own_modules():
        manager.register(import_module(name), name)
    for point in entry_points(group=PROJECT):
        name = point.name
        if manager.has_plugin(name):
            faults[name] = f"'{name}' is the name of another package that plugs in"
            continue
        try:
            manager.register(point.load(), name)
        except PluginValidationError as problem:  # it has one hook by then, or some
            manager.unregister(name=name)
            faults[name] = str(problem).rpartition("\n")[2]
        except (Exception, SystemExit) as problem:  # another package's import may raise anything, or end the process
            faults[name] = _describe(problem)
        else:
            if fault := _describe_unused(manager, name):
                faults[name] = fault
    return manager, faults


def _describe_unused(manager: PluginManager, package: str) -> str:
    """Why nothing can come of hooks that a package seems to have; "" where all is well."""
    callers = manager.get_hookcallers(manager.get_plugin(package)) or ()
    if not callers:
        return "no function of its module is marked with hookimpl"
    from difflib import get_close_matches

    hooks = [name for name in vars(Hooks) if not name.startswith("_")]
    unknown = [caller.name for caller in callers if not caller.has_spec()]
    return "; ".join(
        f"there is no hook '{name}'" + "".join(f": do you mean '{near}'?" for near in get_close_matches(name, hooks, 1))
        for name in unknown
    )


Places = tuple[str, str]
"""A name, and where the thing stands that it names: `package.module:name`."""


def plugged_in(hook: str, of: Any = object) -> Iterator[tuple[str, Any]]:
    """What the plug-ins give for a hook, each with its package's name: "" for what is ours, which comes first.

    Of a mapping, each is a pair of key and value. A package that gives something else than things `of` this type is
    left out: objects of a class, classes derived from one (`type[…]`), or pairs (`Places`).
    """
    manager, _ = _plugins()
    for hookimpl in getattr(manager.hook, hook).get_hookimpls():
        package = "" if hookimpl.plugin_name in _own_modules() else hookimpl.plugin_name
        try:
            things = _call(hookimpl.function)
            wrong = [fault for thing in things if (fault := _describe_wrong(thing, of))] if package else []
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


def _call(hook: Callable[[], Any]) -> list[Any]:
    if iscoroutinefunction(hook):
        raise TypeError("it is a coroutine function: write 'def', not 'async def'")
    things = hook()
    if isinstance(things, str) or not isinstance(things, Iterable):
        raise TypeError(f"it gives {things!r:.80}, and not a list")
    return [*(things.items() if isinstance(things, Mapping) else things)]


def _describe_wrong(thing: object, of: Any) -> str:
    """What is wrong with a thing, or with a field of it, of which no use was made yet; "" for nothing."""
    if not _is_of(thing, of):
        return f"{thing!r:.80}, which is {_describe_type(of)}"
    for field in fields(thing) if is_dataclass(thing) and not isinstance(thing, type) else ():
        if not _fits(value := getattr(thing, field.name), field.type):
            return f"a {type(thing).__name__} whose '{field.name}' can't be {value!r:.80}"
    return ""


def _fits(value: object, annotation: Any) -> bool:
    """Whether a field may have this value; functions' types are imported for type checkers only, and are texts."""
    if isinstance(annotation, str):
        return "Callable" not in annotation or callable(value) or (value is None and annotation.endswith("None"))
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(each, inner[0]) for each in value)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_is_of(pair, inner) for pair in value.items())
    return isinstance(value, (int, float) if annotation is float else origin or annotation)


def _is_of(thing: object, of: Any) -> bool:
    if get_origin(of) is type:
        return isinstance(thing, type) and issubclass(thing, get_args(of)[0])
    if inner := of if isinstance(of, tuple) else get_args(of):
        return isinstance(thing, tuple) and [*map(type, thing)] == [*inner]
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


def package_of(module: str) -> str:
    """Another's package that plugs in with a module, or with one of the same package; "" where none does."""
    top, (manager, _) = module.partition(".")[0], _plugins()
    if top == PROJECT or top.startswith(f"{PROJECT}_"):  # our own distributions begin so
        return ""
    plugged = ((name, getattr(plugin, "__name__", "")) for name, plugin in manager.list_name_plugin())
    return next((name for name, module in plugged if top == module.partition(".")[0]), "")


def _describe(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {str(problem).partition(chr(10))[0]:.200}"
