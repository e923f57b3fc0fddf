"""The results of an evaluation as tables on the terminal."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.table import Table

from readgraph.cli.terminal.evaluation.category_tables import category_table
from readgraph.cli.terminal.evaluation.figures import NONE, UNPROVEN, metric_names, rounded, row_name, table_of
from readgraph.cli.terminal.evaluation.judge_tables import calibration_line, length_line, length_table
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.rendering import ASK_AGAIN
from readgraph.cli.terminal.safe_text import Console, Text, one_line
from readgraph.evaluation.folder.evaluation_folder import REPORT, RESULTS, SCORES, TABLE
from readgraph.evaluation.judges.raters import given_by
from readgraph.evaluation.metrics.choices import GUESSED
from readgraph.evaluation.report.drawing import can_draw
from readgraph.evaluation.report.page import NO_PLOTS
from readgraph.evaluation.results.figures import named_categories
from readgraph.evaluation.statistics import FEWEST_TEXTS
from readgraph.models.names.prices import in_dollars
from readgraph.sources.loading import shown
from readgraph.state.words import counted

NO_BETTER = "it may agree with the verdicts known for these rules by chance alone: don't rely on these scores"

MOST_FAILURES = 10
"""At most this many failures are listed."""


def print_results(results: dict[str, Any], folder: Path, screen: Screen) -> None:
    """Print each method's scores and usage; unless quiet, also the failures and where the files are."""
    console = Console()
    what, methods = results["what"], results["methods"]
    if not methods:
        console.print("Nothing was answered.")
        return
    about = f"{counted(what['questions'], 'question')} about {counted(what['texts'], 'text')}"
    console.print(Text(f"{what['dataset']}: {about}, {what['settings']['model'] or 'no model'}", style="bold"))
    lengths = results["judging"] and results["judging"]["lengths"]
    of_judge = length_table(lengths) if lengths else None
    for table in (
        _scores(results),
        _reading(methods),
        _use(methods),
        category_table(results),
        of_judge,
        _walks(methods),
    ):
        if table is not None:
            console.print()
            console.print(table)
    if not screen.quiet:
        console.print()
        for line in [*_notes(results), *_files(folder)]:
            console.print(Text(line, style="dim"), soft_wrap=True)


def score(metric: Mapping[str, Any]) -> str:
    """A mean with its 95 % interval and its standard deviation over runs: "24.0 [15–33] ± 1.2"."""
    interval, deviation = metric["interval"], metric["deviation"]
    between = f" [{interval[0]:.0f}–{interval[1]:.0f}]" if interval else ""
    return f"{metric['mean']:.1f}{between}" + (f" ± {deviation:.1f}" if deviation is not None else "")


def _scores(results: dict[str, Any]) -> Table:
    """The leading metric with its interval, the other metrics, and the papers' published scores."""
    methods = results["methods"]
    leading, *others = metric_names(methods) or results["metrics"][:1]
    categories = {name for method in methods for name in named_categories(method["metrics"].get(leading))}
    shown_categories = {"", *(categories if len(categories) == 1 else [])}
    published = [
        figure
        for figure in results["published"]
        if figure["metric"] == leading and figure["category"] in shown_categories
    ]
    judged = given_by("judge", (leading, *others))  # read beside the answers' length, which a judge may favour
    columns = [_column_name(name, results) for name in (leading, *others)]
    table = table_of(*columns, *(["answer words"] if judged else []))
    if published:
        table.add_column("published, other model", justify="left")
    for method in methods:
        metrics = method["metrics"]
        figures = [score(metrics[leading]) if leading in metrics else NONE]
        figures += [rounded(metrics.get(name, {}).get("mean")) for name in others]
        figures += [rounded(method["figures"]["answer_words"])] if judged else []
        papers = [
            f"{figure['value']:.1f} ({figure['model']})" for figure in published if figure["method"] == method["method"]
        ]
        table.add_row(row_name(method["method"]), *figures, *([", ".join(papers) or NONE] if published else []))
    return table


def _column_name(name: str, results: dict[str, Any]) -> str:
    """A metric's name, a mark of an unproven judge, and the number of questions it applies to unless that is all."""
    counts = [method["metrics"][name]["questions"] for method in results["methods"] if name in method["metrics"]]
    partly = counts and max(counts) < results["what"]["questions"]
    marked = f"{name}{UNPROVEN}" if results["judging"] and name in results["judging"]["unproven"] else name
    return f"{marked} ({max(counts):,})" if partly else marked


def _reading(methods: list[dict[str, Any]]) -> Table:
    """What was in view at the answers, how many parts were read again, and how long the answers are.

    The length of answers that were judged stands beside their scores.
    """
    judged = given_by("judge", metric_names(methods))
    table = table_of("compression", "words in view", "look-ups", *([] if judged else ["answer words"]))
    for method in methods:
        figures = method["figures"]
        counts = (figures["look_ups"], *([] if judged else [figures["answer_words"]]))
        view = (_percent(figures["compression_rate"]), _whole(figures["words_in_view"]))
        table.add_row(row_name(method["method"]), *view, *map(rounded, counts))
    return table


def _use(methods: list[dict[str, Any]]) -> Table:
    unanswered = any(method["not_answered"] for method in methods)
    columns = ("calls", "words in", "to build", "build time", "time", "cost", "failed")
    table = table_of(*columns, *(["not answered"] if unanswered else []))
    for method in methods:
        figures, building = method["figures"], method["building"]
        cost = (method["cost"] or 0) + (building["cost"] or 0)
        table.add_row(
            row_name(method["method"]),
            rounded(figures["calls"]),
            _whole(figures["input_words"]),
            f"{building['input_words']:,}",
            f"{building['seconds']:.1f} s",
            NONE if method["seconds"] is None else f"{method['seconds']:.1f} s",
            in_dollars(cost) if cost else NONE,
            f"{len(method['failures']):,}",
            *([f"{method['not_answered']:,}"] if unanswered else []),
        )
    return table


def _walks(methods: list[dict[str, Any]]) -> Table | None:
    walked = [method for method in methods if method["walks"]]
    if not walked:
        return None
    table = table_of("stray", "recovered", "read", "valid", "hops")
    for method in walked:
        walks, figures = method["walks"], method["figures"]
        shares = (walks["stray_ratio"], walks["recovery_rate"], figures["percent_read"], walks["usable_replies"])
        table.add_row(row_name(method["method"]), *map(_percent, shares), rounded(figures["hops"]))
    return table


def _notes(results: dict[str, Any]) -> Iterator[str]:
    """What the tables don't show: failures, fall-backs, unusable replies."""
    methods = results["methods"]
    if results["what"]["note"]:
        yield results["what"]["note"]
    if results["judging"]:
        yield from _judging(results["judging"])
    leading = next(iter(metric_names(methods)), "")
    if any(method["metrics"][leading]["texts"] < FEWEST_TEXTS for method in methods if leading in method["metrics"]):
        yield f"no 95 % interval: of fewer than {FEWEST_TEXTS} texts it would hold the truth too rarely"
    if unrated := _without_a_judge(results):
        yield f"not rated: {', '.join(unrated)}; run again with --judge and a model to rate the existing answers"
    if guessed := _guessed(results):
        yield f"not rated: {guessed}; {GUESSED}"
    yield from _of_methods(methods)
    total = sum(method["outcomes"] for method in methods)
    if unanswered := sum(method["not_answered"] for method in methods):
        yield (
            f"{unanswered:,} of {counted(total, 'reading')} not answered by the method: no usable reply came, or the "
            "budget was spent; each scores 0"
        )
    yield from _failures(methods, total, results["what"]["runs"])


def _of_methods(methods: list[dict[str, Any]]) -> Iterator[str]:
    for method in methods:
        if method["left_out"]:
            yield f"{method['method']}: {counted(method['left_out'], 'question')} left out, which ask for no summary"
        if method["fallbacks"]:
            kinds = ", ".join(f"{kind} {count:,}" for kind, count in method["fallbacks"].items())
            yield f"{method['method']}: fall-backs {kinds}"
        if method["valid_replies"] not in (None, 100):
            yield f"{method['method']}: {method['valid_replies']:.1f} % of the replies were usable"


def _failures(methods: list[dict[str, Any]], total: int, runs: int) -> Iterator[str]:
    failed = [(method["method"], failure) for method in methods for failure in method["failures"]]
    if failed:
        yield f"{len(failed):,} of {counted(total, 'reading')} failed: each scores 0"
    for name, failure in failed[:MOST_FAILURES]:
        run = f", run {failure['run'] + 1}" if runs > 1 else ""
        yield f"  {name}, {one_line(failure['item'])}{run}: {one_line(failure['problem'])}"
    if len(failed) > MOST_FAILURES:
        yield f"  … and {len(failed) - MOST_FAILURES:,} more: see {REPORT}"


def _without_a_judge(results: dict[str, Any]) -> list[str]:
    """The metrics that need a judge, where none was named."""
    return [] if results["what"]["judge"] else given_by("judge", results["metrics"])


def _guessed(results: dict[str, Any]) -> str:
    """What is not rated without a model, which would only guess an option; "" for nothing."""
    shown, methods = results["metrics"], results["methods"]
    if results["what"]["settings"]["model"]:
        return ""
    if "accuracy" in shown:
        return "accuracy"
    return "questions with options" if "infinite_bench" in shown and any(map(_some_unrated, methods)) else ""


def _some_unrated(method: dict[str, Any]) -> bool:
    """Whether ∞Bench's metric, which rates every question but those with options, left some out."""
    rated = method["metrics"].get("infinite_bench", {"questions": 0})["questions"]
    return bool(rated * method["runs"] < method["outcomes"])


def _judging(judging: dict[str, Any]) -> Iterator[str]:
    """Which model rated the answers and what that used; answers without a verdict, and why."""
    usage = (
        f"{counted(judging['calls'], 'call')}, {judging['input_words']:,} words in" if judging["calls"] else "no call"
    )
    dollars = f", {in_dollars(judging['cost'])}" if judging["cost"] else ""
    yield f"rated by {judging['rater']}: {counted(judging['judgements'], 'answer')}, {usage}{dollars}"
    if judging["calibration"]:
        yield f"  {calibration_line(judging['calibration'])}"
    if judging["unproven"]:
        yield f"  {', '.join(judging['unproven'])}{UNPROVEN}: {NO_BETTER}"
    if judging["lengths"]:
        yield f"  {length_line(judging['lengths'])}"
    if judging["unrated"]:
        yield f"  {counted(judging['unrated'], 'answer')} got no usable verdict and no score{ASK_AGAIN}"
    for problem, count in judging["problems"].items():
        yield f"  {counted(count, 'judgement')} failed: {one_line(problem)}"
    if judging["others"]:
        yield f"  judgements by {', '.join(judging['others'])} are kept but not counted here"


def _files(folder: Path) -> Iterator[str]:
    yield f"{shown(folder)} contains {REPORT}, {RESULTS}, {TABLE} and {SCORES}"
    if not can_draw():
        yield NO_PLOTS


def _whole(value: float | None) -> str:
    return NONE if value is None else f"{value:,.0f}"


def _percent(value: float | None) -> str:
    return NONE if value is None else f"{value:.0f} %"
