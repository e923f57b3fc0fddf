"""The report of an evaluation as one HTML page, made as the reading report is (see `readgraph.report.page`).

Its plots are SVG in the page itself; everything else is data that the page's script puts in as text.
"""

from html import escape
from importlib.resources import files

from readgraph.evaluation.report.data import report_data
from readgraph.evaluation.report.drawing import can_draw
from readgraph.evaluation.report.plots import Plot, plots_of
from readgraph.evaluation.results.scored_evaluation import ScoredEvaluation
from readgraph.report.page import html_page

NO_PLOTS = "The plots need matplotlib: pip install 'readgraph[evaluation]'."

SHARED_STYLES, SHARED_SCRIPTS = ("base.css",), ("elements.js",)
"""Files of the reading report that this page uses too."""

STYLES, SCRIPTS = ("evaluation.css", "questions.css"), ("tables.js", "judge.js", "questions.js", "evaluation.js")


def evaluation_page(evaluation: ScoredEvaluation) -> str:
    """The page; without matplotlib it has a note instead of plots."""
    reading, own = (
        files(package).joinpath("assets") for package in ("readgraph.report", "readgraph.evaluation.report")
    )
    styles = [reading.joinpath(name) for name in SHARED_STYLES] + [own.joinpath(name) for name in STYLES]
    scripts = [reading.joinpath(name) for name in SHARED_SCRIPTS] + [own.joinpath(name) for name in SCRIPTS]
    drawable = can_draw()
    plots = plots_of(evaluation) if drawable else []
    data = report_data(evaluation, "" if drawable else NO_PLOTS)
    return html_page("Evaluation", styles, scripts, data, "".join(map(_figure, plots)))


def _figure(plot: Plot) -> str:
    caption = f"<h3>{escape(plot.heading)}</h3><p>{escape(plot.line)}</p>"
    panels = "".join(plot.panels)
    return f'\n<figure class="plot"><figcaption>{caption}</figcaption><div class="panels">{panels}</div></figure>'
