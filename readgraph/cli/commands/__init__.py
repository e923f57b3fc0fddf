"""The commands: their arguments and options; what they do is imported only when they run."""

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from readgraph.cli.options.output import check_estimate, check_open
from readgraph.cli.options.settings import Command
from readgraph.cli.process import end_start


def run_lazily(target: str) -> Callable[[Command], Command]:
    """Make a command call a function, `package.module:name`, with its own arguments.

    The command holds the options and the help; both have the same names of parameters.
    """
    module, _, name = target.partition(":")

    def hand_on(command: Command) -> Command:
        @wraps(command)
        def run(**values: Any) -> Any:
            work = getattr(import_module(module), name)
            end_start()
            return work(**values)

        return run

    return hand_on


def run_or_estimate(run: str, estimate: str, is_made: str, *of_result: str) -> Callable[[Command], Command]:
    """The same for a command that runs, or with `--estimate` only says what that will use.

    An estimate makes nothing that could be shown or written, as `is_made` says: options `of_result` are refused then.
    """

    def hand_on(command: Command) -> Command:
        @wraps(command)
        def run_either(options: Any, **values: Any) -> Any:
            if "report" in of_result:
                check_open(options.report, opened=options.opened)
            if options.estimate:
                check_estimate(is_made, **{name: getattr(options, name) for name in of_result})
            return run_lazily(estimate if options.estimate else run)(command)(options=options, **values)

        return run_either

    return hand_on
