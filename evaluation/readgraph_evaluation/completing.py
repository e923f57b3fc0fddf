"""The values that a shell completes: rows, sweeps, experiments and metrics by their names."""

from collections.abc import Iterable
from importlib import import_module

from typer import Context

from readgraph.cli.shell import Item, Values, methods


def rows(context: Context) -> Iterable[Item]:
    """The rows of evaluations that have names: those of methods, and those with settings of their own."""
    from readgraph.graphs.methods import ROWS
    from readgraph_evaluation.sweeps import NAMED_ROWS

    return [*methods(context), *((row.name, row.line) for row in ROWS.values()), *NAMED_ROWS.items()]


def _lines_of(module: str, table: str) -> Values:
    """The names in a table of this package, each with its line; the module is imported only then."""
    return lambda _: (
        (name, each.line) for name, each in getattr(import_module(f"readgraph_evaluation.{module}"), table).items()
    )


sweeps = _lines_of("sweeps", "SWEEPS")
experiments = _lines_of("reproducing", "EXPERIMENTS")
metrics = _lines_of("metrics", "METRICS")
