"""The rows of an evaluation: methods with settings, by their names, and lists of them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readgraph.evaluation.rows.row import Row, rows_to_run
else:
    from readgraph.state.by_name.lazy_names import lazy_names

    # Imported when first used: the command's help lists the sweeps, and must not wait for the others.
    __getattr__, __dir__ = lazy_names(__name__, {"row": ["Row", "rows_to_run"]})

__all__ = ["Row", "rows_to_run"]
