"""The papers' rows stand by the methods and lengths with which they are repeated."""

import re
from pathlib import Path

import pytest

from readgraph.graphs.methods import web_method_named
from readgraph.nodes.building.paging import words_kept
from readgraph.state.context import ReaderContext
from readgraph_evaluation.datasets.assembling import SCORING
from readgraph_evaluation.plan import with_papers_settings
from readgraph_evaluation.records import Dataset
from readgraph_evaluation.reproducing import EXPERIMENTS, Experiment, figures_of_papers, tables_of_papers
from readgraph_evaluation.rows import row_method, row_named
from tests.support.examples import EXAMPLES

BASELINES = EXAMPLES.parent / "docs" / "methods" / "baselines.md"


def rows_of(paper: str) -> set[str]:
    """The methods by which the rows of a paper stand."""
    figures = [figure for dataset in tables_of_papers() for figure in figures_of_papers(dataset)]
    return {str(figure["method"]) for figure in figures if str(figure["source"]).startswith(paper)}


def test_a_row_stands_by_one_method_in_the_report_and_on_the_page() -> None:
    page = Path(BASELINES).read_text(encoding="utf-8")
    on_page = {name for name, row in re.findall(r"^\| `([\w-]+)` \|(.*)$", page, re.MULTILINE) if "GAM's RAG" in row}
    assert rows_of("GAM") - {"gam", "gam@memory_words=1000000", "full-text"} == on_page == {"dense"}
    shown = {name for paper in ("GAM", "ReadAgent", "MemWalker", "MemGPT") for name in rows_of(paper)}
    web = {name for name in shown if name.startswith("web-")}
    runnable = {row_named(name, ReaderContext()).name for name in shown - web}
    runnable |= {row_named(name, ReaderContext(), web_method_named).name for name in web}
    assert shown == runnable, "each is a row that can be run"


@pytest.mark.parametrize(
    ("dataset", "kept"), [("quality", 3000), ("summscreenfd-who", 3000), ("govreport-who", 3000), ("qmsum", 6000)]
)
def test_truncated_baselines_keep_the_papers_lengths(dataset: str, kept: int) -> None:
    """MemWalker's 4,096 tokens hold the reply too (section 4.3); ReadAgent cuts QMSum to 6,000 words (section 4.2)."""
    asked = Dataset(dataset, (), (), SCORING[dataset].metrics, SCORING[dataset].profile)
    context = with_papers_settings(asked, ReaderContext())
    assert words_kept(context) == kept
    assert words_kept(with_papers_settings(asked, ReaderContext(baseline_words=500))) == 500


def test_every_published_metric_is_one_of_its_datasets() -> None:
    measured = {name: {str(figure["metric"]) for figure in figures_of_papers(name)} for name in tables_of_papers()}
    assert all(metrics <= {*SCORING[name].metrics} for name, metrics in measured.items())
    assert {"dmr_accuracy", "rouge_l", "rouge_l_precision", "rouge_l_recall"} == measured["msc-retrieval"], "table 2"


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_an_experiment_s_figures_are_those_of_its_rows(experiment: Experiment) -> None:
    named = web_method_named if experiment.source.size.steps else row_method
    rows = {row_named(row, ReaderContext(), named).name for row in experiment.rows}
    figures = {figure["method"] for figure in figures_of_papers(experiment.source.dataset, experiment.name)}
    assert figures <= rows
    if not experiment.name.startswith(("gam-figure", "mem-walker-figure-5", "mem-gpt-figure", "read-agent-appendix")):
        assert figures == rows, "only the papers' plots have no numbers"


def test_every_truncated_row_has_a_length() -> None:
    rows = {name: {figure["method"] for figure in figures_of_papers(name)} for name in tables_of_papers()}
    cut = {name for name, methods in rows.items() if "first-words" in methods}
    assert cut == {"quality", "qmsum", "summscreenfd-who", "govreport-who"}
