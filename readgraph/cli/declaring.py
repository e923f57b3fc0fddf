"""A command of `readgraph`, as a package plugs it in (`readgraph.plugins`)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Command"]

PANELS = ("Start", "More with texts", "Looking after", "For programs", "Research")
"""The groups of the commands in the help, in order: by what people do."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command, or a group of commands.

    Attributes:
        run: The function that typer makes a command of, or a `typer.Typer` with several.
        name: Its name, where that is not the function's.
        panel: Its group in the help: one of `PANELS`, or another, which stands after them.
        order: Its place in the group; without one, it stands after those that have one.
    """

    run: Callable[..., Any]
    name: str = ""
    panel: str = "More"
    order: int = 100

    @property
    def shown(self) -> str:
        """Its name, as it is typed."""
        return self.name or self.run.__name__.replace("_", "-")
