"""Names of a package that are imported when they are first used."""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's `__getattr__` and `__dir__`, for the `else` of `if TYPE_CHECKING`.

    `homes` has the names by their modules: those of the package, or whole names of others of ours.
    """
    home_of = {
        name: home if home.startswith("readgraph.") else f"{package}.{home}"
        for home, names in homes.items()
        for name in names
    }

    def get(name: str) -> Any:
        if name in home_of:
            return getattr(import_module(home_of[name]), name)
        raise AttributeError(f"module '{package}' has no attribute '{name}'", name=name, obj=sys.modules.get(package))

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home_of})

    return get, names
