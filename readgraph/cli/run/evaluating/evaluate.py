"""`evaluate`: run methods over a dataset, rate their answers, and show the results."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from langgraph.store.memory import InMemoryStore

from readgraph.cli.method_settings import check_used
from readgraph.cli.run.estimate import show_estimate
from readgraph.cli.run.evaluating.calibrate import calibrate as calibrate_alone
from readgraph.cli.run.evaluating.calibrate import calibrate_once, calibration_foreseen, estimate_calibration
from readgraph.cli.run.evaluating.publish import publish
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.terminal.evaluation.result_tables import print_results
from readgraph.cli.terminal.notices import notices
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.progress.evaluation import EvaluationProgress
from readgraph.cli.terminal.rendering import print_json, print_reminder
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.estimates.arithmetic import Estimate
from readgraph.evaluation.datasets import load_dataset
from readgraph.evaluation.folder.evaluation_folder import WHAT, EvaluationFolder
from readgraph.evaluation.folder.usage import Cost
from readgraph.evaluation.inspect_logs import write_logs
from readgraph.evaluation.judges.judging import judge_missing, unjudged
from readgraph.evaluation.judges.raters import Raters, check_raters, given_by
from readgraph.evaluation.optional_imports import check_libraries
from readgraph.evaluation.plan.chosen_metrics import with_metrics
from readgraph.evaluation.plan.estimating import foreseen, rating_foreseen
from readgraph.evaluation.plan.run_record import what_is_run, with_papers_settings
from readgraph.evaluation.plan.sampling import sampled
from readgraph.evaluation.publishing.comparing import keep_published_judgements
from readgraph.evaluation.publishing.published_run import check_new
from readgraph.evaluation.records import Dataset
from readgraph.evaluation.report.result_files import write_results
from readgraph.evaluation.results.scored_evaluation import scored_evaluation
from readgraph.evaluation.rows.row import Row, on_web_pages, rows_to_run
from readgraph.evaluation.rows.sweeps import sweep_named
from readgraph.evaluation.running.evaluation import Evaluation, Group, missing
from readgraph.graphs.methods import SUMMARY
from readgraph.models.clients.model_client import model_client
from readgraph.models.names.prices import exchange_cost
from readgraph.sources.loading import shown
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.library import holds_library, open_library
from readgraph.state.page_store import PageStore
from readgraph.state.reply_archive import copied
from readgraph.state.words import counted

USUAL = "read-agent,mem-walker,gam,bm25"
"""The methods that are evaluated where none is named."""

USUAL_ON_WEB_PAGES = "web-agent,web-gists-only,web-page,web-bm25"
"""The same, for steps on web pages."""

NO_FOLDER = "The answers need a folder: name one with --out."


@dataclass(frozen=True)
class EvaluationRequest:
    """The command's arguments: what to evaluate, and where to keep it."""

    file: Path | None
    form: str | None
    methods: str | None
    rows: Sequence[str]
    sweep: str | None
    full_text: bool
    limit: int | None
    sample: int | None
    seed: int
    runs: int
    judge: str | None
    out: Path | None
    replies: Path | None = None
    inspect: Path | None = None
    metrics: str | None = None
    calibrate: bool = False
    publish: Path | None = None
    replayed: Path | None = None

    @property
    def only_logs(self) -> bool:
        """Whether nothing is to be run: a finished evaluation becomes logs."""
        return bool(self.inspect and self.out) and self.file is None and self.form is None

    def dataset(self) -> Dataset:
        """The questions, up to the limit, or a random sample of them."""
        if self.file is None and self.form is None:
            raise BadInput("There is nothing to evaluate: name a file of questions.")
        if self.sample is None and self.seed:
            raise BadInput("--seed draws a sample: say how many questions with --sample, or leave it out.")
        dataset = load_dataset(self.file, self.form, self.limit)
        if self.sample is not None:
            dataset = sampled(dataset, self.sample, self.seed)
        self.check_calibrated()
        if self.metrics is not None:
            dataset = with_metrics(dataset, self.metrics)
            self._check_judged(dataset)
        if self.judge and not given_by("judge", dataset.metrics):
            raise BadInput(
                f"No metric of {dataset.name} needs a judge ({', '.join(dataset.metrics)}): leave --judge out."
            )
        return dataset

    def check_calibrated(self) -> None:
        """Raise `BadInput` where a judge is to be calibrated and none is named."""
        if self.calibrate and not self.judge:
            raise BadInput("--calibrate needs a judge: name one with --judge.")

    def _check_judged(self, dataset: Dataset) -> None:
        """Raise `BadInput` where a metric that was chosen needs a judge, and neither command nor folder names one."""
        judges = self.judge or (self.out and (self.out / WHAT).exists() and EvaluationFolder(self.out).what()["judge"])
        check_raters(given_by("judge", dataset.metrics), ReaderContext(model=judges or ""))

    def rows_of(self, dataset: Dataset, context: ReaderContext) -> list[Row]:
        """The rows of methods, of single rows and of the sweep; without any of these, of the usual methods."""
        usual = USUAL_ON_WEB_PAGES if on_web_pages(dataset.items) else USUAL
        methods = self.methods if self.methods is not None or self.rows or self.sweep else usual
        names = [name for name in map(str.strip, (methods or "").split(",")) if name]
        swept = sweep_named(self.sweep).rows if self.sweep else ()
        rows = rows_to_run([*names, *self.rows, *swept], dataset, context, full_text=self.full_text)
        embeddings = given_by("embeddings", dataset.metrics) and ["embeddings"]
        sums_up = ["answer_length"] if any(row.method is SUMMARY for row in rows) else []  # says what it takes
        check_used([row.method for row in rows], asks=True, also=[*(embeddings or []), *sums_up])
        return rows


def evaluate(request: EvaluationRequest, context: ReaderContext, screen: Screen) -> None:
    """Run what is missing and print the results, which are also written to the folder."""
    if request.publish:
        check_new(request.publish)
    results, settings = answered(request, context, screen)
    assert request.out
    if screen.as_json:
        print_json(results)
    else:
        print_results(results, request.out, screen)
    if request.inspect:
        write_inspect_logs(request, screen)
    if request.publish:
        asked = {name: getattr(request, name) for name in ("limit", "sample", "seed", "metrics")}
        publish(request.publish, EvaluationFolder(request.out), results, asked, settings, screen)
    print_reminder(settings, screen)


def answered(
    request: EvaluationRequest, context: ReaderContext, screen: Screen
) -> tuple[dict[str, Any], ReaderContext]:
    """Run what is missing and write the results; gives them, and the settings with the papers' for the dataset."""
    dataset = request.dataset()
    if request.out is None:
        raise BadInput(NO_FOLDER)
    check_libraries()
    settings = with_papers_settings(dataset, context)
    # A judge may be named later; the embedding model is one of the settings, which must stay the same.
    check_raters(given_by("embeddings", dataset.metrics), settings)
    rows = request.rows_of(dataset, settings)
    folder, theirs = EvaluationFolder(request.out), request.replies and _library_with_replies(request.replies)
    with folder.opened(what_is_run(request.file, dataset, rows, request.runs, request.judge, settings)):
        folder.keep_questions(dataset)
        try:
            if theirs:
                run_until_stopped(_take_replies(theirs, folder))
            with notices(Console(stderr=True, quiet=screen.quiet).print, screen):
                run_until_stopped(_run(folder, dataset, rows, settings, request, screen))
        finally:  # also for a run that was stopped
            results = write_results(dataset, folder)
    return results, settings


def write_inspect_logs(request: EvaluationRequest, screen: Screen) -> None:
    """Write the logs for inspect-ai of what the folder holds."""
    assert request.out and request.inspect
    check_libraries()
    folder = EvaluationFolder(request.out)
    logs = write_logs(scored_evaluation(folder.dataset(), folder), folder, request.inspect)
    if not screen.quiet:
        said = f"{counted(len(logs), 'log')} written: inspect view --log-dir {shown(request.inspect)}"
        Console(stderr=True).print(Text(said, style="dim"), soft_wrap=True)


def _library_with_replies(source: Path) -> Path:
    """The library of another evaluation, or the library itself."""
    theirs = EvaluationFolder(source).library if (source / WHAT).exists() else source
    if not holds_library(theirs):
        raise BadInput(f"{shown(source)} holds no recorded replies: name the folder of an evaluation or of a library.")
    return theirs


async def _take_replies(theirs: Path, folder: EvaluationFolder) -> None:
    async with open_library(theirs, only_shows=True) as other, open_library(folder.library) as library:
        await copied(other.pages, library.pages)


async def _run(
    folder: EvaluationFolder,
    dataset: Dataset,
    rows: list[Row],
    context: ReaderContext,
    request: EvaluationRequest,
    screen: Screen,
) -> None:
    judge, dollars = request.judge, costs(context, screen)
    rater = replace(context, model=judge or "", sample=0)
    async with open_library(folder.library) as library:
        evaluation = Evaluation(dataset, rows, range(request.runs), folder, library, dollars)
        reading = [model for row in rows for model in (row.context.model, row.context.reading_model)]
        for model in filter(None, dict.fromkeys([judge, *(reading if evaluation.missing else [])])):
            await model_client(replace(context, model=model))  # report a wrong model before anything is paid for
        remaining = sum(len(items) for *_, items in evaluation.missing)
        with EvaluationProgress("Answering", remaining, screen) as progress:
            async for outcome in evaluation.run():
                words = outcome.input_words + outcome.output_words
                progress.one_more(outcome.calls, words, outcome.cost, outcome.problem)
        if request.calibrate:
            await calibrate_once(folder, library.store, rater, screen, dollars)
        if request.replayed:
            keep_published_judgements(request.replayed, folder)
        to_judge = len(unjudged(dataset, folder, rater))
        with EvaluationProgress("Judging", to_judge, screen) as progress:
            async for judged in judge_missing(dataset, folder, rater, library.store, dollars):
                words = judged.input_words + judged.output_words
                progress.one_more(judged.calls, words, judged.cost, judged.problem)


def estimated(request: EvaluationRequest, context: ReaderContext) -> Estimate:
    """What the readings of a new evaluation will use."""
    dataset = request.dataset()
    settings = with_papers_settings(dataset, context)
    rows = request.rows_of(dataset, settings)
    return run_until_stopped(_reading_estimate(None, missing(dataset, rows, range(request.runs), [])))


def costs(context: ReaderContext, screen: Screen) -> Cost:
    """What an exchange costs, at the user's price or the model's known one."""
    return lambda exchange: exchange_cost(exchange, screen.price, batch=context.batch)


def calibrate(request: EvaluationRequest, context: ReaderContext, screen: Screen, *, only_estimate: bool) -> None:
    """Calibrate the judge alone, or estimate that."""
    request.check_calibrated()
    rater = replace(context, model=request.judge or "", sample=0)
    if only_estimate:
        estimate_calibration(rater, screen)
    else:
        calibrate_alone(request.out, rater, screen, costs(context, screen))


def estimate(request: EvaluationRequest, context: ReaderContext, screen: Screen) -> None:
    """Print what the evaluation will use, without making a call."""
    dataset = request.dataset()
    settings = with_papers_settings(dataset, context)
    rows = request.rows_of(dataset, settings)
    folder = EvaluationFolder(request.out) if request.out and EvaluationFolder(request.out).library.exists() else None
    groups = missing(dataset, rows, range(request.runs), folder.outcomes() if folder else [])
    needed = run_until_stopped(_reading_estimate(folder, groups))
    words = sum(text.words for text in dataset.texts)
    rating = None
    if request.judge:
        foreseen_rating = _rating_estimate(folder, dataset, groups, settings, request.judge)
        rating = (foreseen_rating + calibration_foreseen() if request.calibrate else foreseen_rating, request.judge)
    show_estimate(needed, words, settings, screen, rating)


async def _reading_estimate(folder: EvaluationFolder | None, groups: list[Group]) -> Estimate:
    if folder is None:
        return await foreseen(PageStore(InMemoryStore()), groups)
    async with open_library(folder.library) as library:
        return await foreseen(library.pages, groups)


def _rating_estimate(
    folder: EvaluationFolder | None, dataset: Dataset, groups: list[Group], context: ReaderContext, judge: str
) -> Estimate:
    """The estimate for rating the missing answers, and the existing ones without a judgement."""
    by_id = {item.id: item for item in dataset.items}
    existing = unjudged(dataset, folder, replace(context, model=judge)) if folder else []
    missing_items = [item for *_, items in groups for item in items]
    metrics = Raters(judge, None).rated(dataset.metrics)
    return rating_foreseen([*missing_items, *(by_id[outcome.item] for outcome in existing)], metrics)
