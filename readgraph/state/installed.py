"""What is installed: our version, extras, and what others offer by entry points or at `package.module:name`."""

import os
import sys
from functools import cache, reduce
from importlib import import_module
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from readgraph.state.errors import BadInput

if TYPE_CHECKING:
    from packaging.requirements import Requirement

T = TypeVar("T")

__version__ = version("readgraph")
"""The version of readgraph that is installed."""


def object_at(place: str, what: str) -> Any:
    """The object at `package.module:name`; raises `BadInput`, with `what` it is, for whatever its import raises."""
    module, _, name = place.partition(":")
    try:
        return reduce(getattr, name.split("."), import_module(module))
    except (Exception, SystemExit) as problem:  # another package's import may raise anything, or end the process
        reason = str(problem).partition("\n")[0]
        raise BadInput(f"{what} can't be imported from {place}: {type(problem).__name__}: {reason:.200}.") from problem


def of_kind(kind: type[T], value: object, what: str) -> T:
    """What a package gives, if it is of this kind; raises `BadInput`, with `what` gives it, if not."""
    if not isinstance(value, kind):
        raise BadInput(f"{what} gives {value!r:.80}, which is no {kind.__name__}.")
    return value


def object_typed(place: str, what: str) -> Any:
    """The object at a place that the user typed, which may stand in the current folder, as for `python -m`."""
    file, _, name = place.rpartition(":") if not place.endswith(".py") else (place, ":", "")
    if file.endswith(".py"):
        name = name or "build"
        path, folder = Path(file).resolve(), Path.cwd().resolve()
        if path.is_relative_to(folder):
            written = f"{'.'.join(path.relative_to(folder).with_suffix('').parts)}:{name}"
        else:
            written = f"{path.stem}:{name} in the folder {path.parent}"
        raise BadInput(f"{what} is the name of a file: write {written}.")
    if (here := os.getcwd()) not in sys.path:
        sys.path.append(here)
    return object_at(place, what)


OF_DEVELOPERS = ("dev", "docs", "notebooks")


@cache
def list_extras() -> dict[str, bool]:
    """The extras but those of developers: whether the packages of each are installed, in versions that it allows."""
    from packaging.requirements import Requirement

    needed = [Requirement(line) for line in requires("readgraph") or ()]
    names = [name for name in metadata("readgraph").get_all("Provides-Extra") or () if name not in OF_DEVELOPERS]
    return {
        name: all(
            _is_installed(package) for package in needed if package.marker and package.marker.evaluate({"extra": name})
        )
        for name in names
    }


def _is_installed(package: "Requirement") -> bool:
    try:
        return package.specifier.contains(version(package.name), prereleases=True)
    except PackageNotFoundError:
        return False
