"""What tests of evaluations share."""

import pytest

from readgraph_evaluation import report as page
from readgraph_evaluation.report.plots import plots_of


@pytest.fixture(autouse=True)
def no_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages get no plots, which take half of the time of a small evaluation."""
    monkeypatch.setattr(page, "plots_of", lambda _: ())


@pytest.fixture
def plots(no_plots: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages get their plots, for the tests that are about them."""
    monkeypatch.setattr(page, "plots_of", plots_of)
