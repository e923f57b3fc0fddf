"""What tests of evaluations share."""

import pytest

from readgraph_evaluation import report as page
from readgraph_evaluation.report.plots import can_draw


@pytest.fixture(autouse=True)
def no_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages get no plots, which take half of the time of a small evaluation."""
    monkeypatch.setattr(page, "can_draw", lambda: False)


@pytest.fixture
def plots(no_plots: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages get their plots, for the tests that are about them."""
    monkeypatch.setattr(page, "can_draw", can_draw)
