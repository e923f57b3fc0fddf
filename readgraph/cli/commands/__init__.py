"""The commands: their arguments and options; what they do is imported only when they run."""

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from readgraph.cli.options.settings import Command


def run_lazily(target: str) -> Callable[[Command], Command]:
    """Make a command call a function of `readgraph.cli.run`, such as "agents.show_agents", with its own arguments.

    The command holds the options and the help; both have the same names of parameters.
    """
    module, _, name = target.partition(".")

    def hand_on(command: Command) -> Command:
        @wraps(command)
        def run(**values: Any) -> Any:
            return getattr(import_module(f"readgraph.cli.run.{module}"), name)(**values)

        return run

    return hand_on
