"""What an evaluation asks, and of which rows, by the command's options."""

from readgraph.cli.method_settings import check_used
from readgraph.cli.options.evaluating import EvaluateOptions
from readgraph.evaluation.datasets import load_dataset
from readgraph.evaluation.folder.evaluation_folder import WHAT, EvaluationFolder
from readgraph.evaluation.judges.raters import check_raters, given_by
from readgraph.evaluation.plan.chosen_metrics import with_metrics
from readgraph.evaluation.plan.sampling import sampled
from readgraph.evaluation.records import Dataset
from readgraph.evaluation.rows.row import Row, on_web_pages, rows_to_run
from readgraph.evaluation.rows.sweeps import sweep_named
from readgraph.graphs.methods import SUMMARY
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput

USUAL = "read-agent,mem-walker,gam,bm25"
"""The methods that are evaluated where none is named."""

USUAL_ON_WEB_PAGES = "web-agent,web-gists-only,web-page,web-bm25"
"""The same, for steps on web pages."""


def dataset_of(options: EvaluateOptions) -> Dataset:
    """The questions, up to the limit, or a random sample of them."""
    if options.names_no_questions:
        raise BadInput("There is nothing to evaluate: name a file of questions.")
    if options.sample is None and options.seed:
        raise BadInput("--seed draws a sample: say how many questions with --sample, or leave it out.")
    dataset = load_dataset(options.file, options.form, options.limit)
    if options.sample is not None:
        dataset = sampled(dataset, options.sample, options.seed)
    check_calibrated(options)
    if options.metrics is not None:
        dataset = with_metrics(dataset, options.metrics)
        _check_judged(options, dataset)
    if options.judge and not given_by("judge", dataset.metrics):
        raise BadInput(f"No metric of {dataset.name} needs a judge ({', '.join(dataset.metrics)}): leave --judge out.")
    return dataset


def check_calibrated(options: EvaluateOptions) -> None:
    """Raise `BadInput` where a judge is to be calibrated and none is named."""
    if options.calibrate and not options.judge:
        raise BadInput("--calibrate needs a judge: name one with --judge.")


def _check_judged(options: EvaluateOptions, dataset: Dataset) -> None:
    """Raise `BadInput` where a metric that was chosen needs a judge, and neither command nor folder names one."""
    out = options.out
    judges = options.judge or (out and (out / WHAT).exists() and EvaluationFolder(out).what()["judge"])
    check_raters(given_by("judge", dataset.metrics), ReaderContext(model=judges or ""))


def rows_of(options: EvaluateOptions, dataset: Dataset, context: ReaderContext) -> list[Row]:
    """The rows of methods, of single rows and of the sweep; without any of these, of the usual methods."""
    usual = USUAL_ON_WEB_PAGES if on_web_pages(dataset.items) else USUAL
    methods = options.methods if options.methods is not None or options.rows or options.sweep else usual
    names = [name for name in map(str.strip, (methods or "").split(",")) if name]
    swept = sweep_named(options.sweep).rows if options.sweep else ()
    rows = rows_to_run([*names, *options.rows, *swept], dataset, context, full_text=options.full_text)
    embeddings = given_by("embeddings", dataset.metrics) and ["embeddings"]
    sums_up = ["answer_length"] if any(row.method is SUMMARY for row in rows) else []  # says what it takes
    check_used([row.method for row in rows], asks=True, also=[*(embeddings or []), *sums_up])
    return rows
