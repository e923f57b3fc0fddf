"""The figures on pages are those that were measured (`docs/making/figures.toml`)."""

import re

import pytest

from docs.making.figures import FIGURES, ON_BOARD, board_table, without_model_table
from tests.project.test_docs import ROOT

MEASURED = FIGURES["without_model"]

INLINE = [(page, sentence, each["figures"]) for each in FIGURES["said"] for page, sentence in each["on"]]
"""Sentences and rows of pages with their figures, by their names."""


@pytest.mark.parametrize(("page", "sentence", "figures"), INLINE)
def test_sentences_have_the_figures_that_were_measured(page: str, sentence: str, figures: dict[str, object]) -> None:
    said = re.sub(r"\{([\w-]+)\}", lambda name: str(figures[name[1]]), sentence)
    assert said in " ".join((ROOT / page).read_text(encoding="utf-8").split())


def test_tables_are_made_of_the_figures() -> None:
    rows = board_table().splitlines()[2:]
    assert len(rows) == len({(row["tokens"], row["method"]) for row in FIGURES["board"]["rows"]})
    assert all(0 <= row[name] <= 100 for row in FIGURES["board"]["rows"] for name in ON_BOARD if name in row)
    assert f"| `ranked` | 6,936 | {MEASURED['qmsum']['ranked']['rouge_1']} |" in without_model_table()
    for page in ("evaluation/docs/board.md", "docs/methods/read-agent.md"):
        assert "<!-- made: " in (ROOT / page).read_text(encoding="utf-8")
