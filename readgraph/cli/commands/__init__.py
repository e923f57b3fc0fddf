"""The commands: their arguments and options; what they do is imported only when they run."""

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from readgraph.cli.declaring import Command as Declared
from readgraph.cli.options.output import check_estimate, check_open
from readgraph.cli.options.settings import Command
from readgraph.cli.process import end_start
from readgraph.plugins import hookimpl


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


@hookimpl
def commands() -> list[Declared]:
    """The commands of the core, with their panels in the help."""
    from readgraph.cli.commands import library, methods, reading, serving

    return [
        Declared(run=reading.ask, panel="Start", order=1),
        Declared(run=reading.read, panel="Start", order=2),
        Declared(run=library.show, panel="Start", order=4),
        Declared(run=library.search, panel="More with texts", order=1),
        Declared(run=methods.compare, panel="More with texts", order=7),
        Declared(run=reading.remember, panel="More with texts", order=8),
        Declared(run=library.collection, name="collection", panel="More with texts", order=9),
        Declared(run=library.correct, panel="More with texts", order=10),
        Declared(run=library.forget, panel="More with texts", order=11),
        Declared(run=methods.doctor, panel="Looking after", order=1),
        Declared(run=library.library, name="library", panel="Looking after", order=2),
        Declared(run=methods.models, panel="Looking after", order=3),
        Declared(run=methods.list_methods, name="methods", panel="Looking after", order=4),
        Declared(run=methods.prompts, name="prompts", panel="Looking after", order=6),
        Declared(run=library.replies, name="replies", panel="Looking after", order=7),
        Declared(run=serving.skill, panel="For programs", order=2),
        Declared(run=methods.studio, panel="For programs", order=3),
        Declared(run=methods.evaluate, panel="Research", order=1),
        Declared(run=methods.reproduce, panel="Research", order=2),
        Declared(run=methods.board, panel="Research", order=3),
        Declared(run=methods.trajectories, panel="Research", order=4),
    ]
