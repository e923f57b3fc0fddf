"""The results of an evaluation as tables: scores, use, categories, and how far its judge can be trusted."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Column, Table

from readgraph.cli.terminal.rendering import ASK_AGAIN
from readgraph.cli.terminal.safe_text import PLAIN, Console, SafeText, one_line
from readgraph.cli.terminal.screen import OutputOptions
from readgraph.models.prices import in_dollars
from readgraph.sources.loading import printable_path
from readgraph.state.words import format_count
from readgraph_evaluation.datasets.assembling import MEAN_OF_CATEGORIES
from readgraph_evaluation.floors import AN_OPTION, DECLINING
from readgraph_evaluation.folder import REPORT, RESULTS, SCORES, TABLE
from readgraph_evaluation.metrics import metrics_rated_by
from readgraph_evaluation.metrics.answers import GUESSED
from readgraph_evaluation.report import ALIKE
from readgraph_evaluation.results import categories_of
from readgraph_evaluation.statistics import FEWEST_TEXTS

NONE = "–"
WHOLE, PERCENT = "{:,.0f}", "{:.0f} %"
UNPROVEN = " (unproven judge)"  # behind the name of a metric whose judge may agree with known verdicts by chance
LONGEST_NAME = 26


def row_name(name: str) -> str:
    """A row's name; a long one has each of its settings in a line of its own."""
    method, at, settings = name.partition("@")
    if len(name) <= LONGEST_NAME or not at:
        return name
    return "\n".join([f"{method}@", *(f"  {setting}" for setting in settings.replace(",", ",\n").splitlines())])


def metric_names(methods: list[dict[str, Any]]) -> list[str]:
    """The metrics that any method has, the leading one first."""
    return list(dict.fromkeys(name for method in methods for name in method["metrics"]))


def table_of(*names: str | SafeText, first: str = "method") -> Table:
    """A table with a row for each method (or for what `first` says), and columns of figures with these names."""
    table = Table(Column(first, no_wrap=True), **PLAIN, pad_edge=False)
    for name in names:
        table.add_column(name, justify="right", overflow="fold")
    return table


def print_lines(*lines: str, style: str = "") -> None:
    """Print lines, which end where their text does and break on a terminal alone."""
    console = Console(whole_lines=True)
    for line in lines:
        console.print(SafeText(line, style=style))


def format_figure(value: float | None, form: str = "{:.1f}") -> str:
    """A figure in this form; a dash where there is none."""
    return NONE if value is None else form.format(value)


MOST_COLUMNS = 7  # with more categories than this, each is a row, and each method a column
Line = tuple[str, ...]  # a name and figures


def category_table(results: dict[str, Any], metric: str = "") -> Table | None:
    """A metric (else the leading one) by category, papers' figures behind it; None with fewer than two categories."""
    methods = results["methods"]
    leading = metric or next(iter(metric_names(methods)), "")
    counts: dict[str, int] = {}
    for method in methods:
        for name, category in categories_of(method["metrics"].get(leading)).items():
            counts[name] = max(counts.get(name, 0), category["questions"])
    if len(counts) < 2:
        return None
    shown = [f"{one_line(name) or 'none'} ({count:,})" for name, count in counts.items()]
    shown += [ALIKE] if results["what"]["dataset"] in MEAN_OF_CATEGORIES else []
    rows = [("method", *shown), *(line for method in methods for line in _lines(results, method, leading, [*counts]))]
    if len(shown) > MOST_COLUMNS:
        named = [(name.strip(), *figures) for name, *figures in rows[1:]]
        rows = [*zip((f"{metric} by category" if metric else "category", *shown), *named, strict=True)]
    (first, *columns), *lines = rows
    table = table_of(*map(SafeText, columns), first=first)
    for name, *figures in lines:
        table.add_row(SafeText(name), *figures)
    return table


def _lines(results: dict[str, Any], method: dict[str, Any], leading: str, categories: list[str]) -> Iterator[Line]:
    metric = method["metrics"].get(leading)
    known, shows_alike = categories_of(metric), results["what"]["dataset"] in MEAN_OF_CATEGORIES
    alike = [format_figure(metric and metric["category_mean"])] if shows_alike else []
    yield row_name(method["method"]), *(format_figure(known.get(name, {}).get("mean")) for name in categories), *alike
    papers = defaultdict[str, dict[str, float]](dict)
    for figure in results["published"]:
        if (figure["method"], figure["metric"]) == (method["method"], leading):
            papers[figure["model"]][figure["category"]] = figure["value"]
    for model, values in papers.items():
        if values.keys() & {*categories}:
            yield f"  published, {model}", *(format_figure(values.get(name)) for name in categories), *[""] * len(alike)


def print_calibration(found: Mapping[str, Any]) -> None:
    """Print a calibration: agreement and kappa, both by kind of pair, and what was taken for right."""
    console = Console()
    heading = f"{found['judge']}: {format_count(found['pairs'], 'answer')} that are known to be right or wrong"
    console.print(SafeText(heading, style="bold"))
    console.print()
    table = Table("agreement", "Cohen's kappa", **PLAIN, pad_edge=False)
    table.add_row(_agreement(found), _kappa(found))
    rules = table_of("answers", "agreement", "Cohen's kappa", first="rule")  # each has a prompt of its own
    for rule, of in found["rules"].items():
        rules.add_row(rule, f"{of['rated']:,}", _agreement(of), _kappa(of))
    kinds = table_of("agreement", first="kind of answer")
    for kind, agreement in found["kinds"].items():
        kinds.add_row(kind, format_figure(agreement, PERCENT))
    for each in (table, rules, kinds):
        console.print(each)
        console.print()
    print_lines(*_mistakes_and_use(found), style="dim")


P_MEANS = "p: how likely a difference this large is by chance alone (paired permutation test, two-sided)"


def pairs_table(pairs: list[dict[str, Any]], one: str, other: str) -> Table:
    """Pairs of methods on the questions that both have scores for; `one` and `other` name the columns of each."""
    table = Table(Column("method", no_wrap=True), **PLAIN, pad_edge=False)
    for name in ("questions", one, other, f"{other} − {one}", "p", f"{one} better", f"{other} better"):
        table.add_column(name, justify="right", no_wrap=not name.endswith("better"))
    unanswered = any(any(pair["not_answered"]) for pair in pairs)
    for side in (one, other) if unanswered else ():
        table.add_column(f"{side} not answered", justify="right")
    for pair in pairs:
        first, second = pair["methods"]
        # A difference with its 95 % interval: "+4.0 [−1.5, +9.5]".
        between = f" [{', '.join(map(_format_signed, pair['interval']))}]" if pair["interval"] else ""
        table.add_row(
            row_name(first) if first == second else f"{row_name(first)} → {row_name(second)}",
            f"{pair['questions']:,}",
            *(f"{mean:.1f}" for mean in pair["means"]),
            f"{_format_signed(pair['difference'])}{between}",
            "< 0.001" if pair["p"] < 0.001 else f"{pair['p']:.3f}",
            *(f"{count:,}" for count in pair["better"]),
            *(f"{count:,}" for count in pair["not_answered"] if unanswered),
        )
    return table


def _format_signed(value: float) -> str:
    rounded = f"{value:+.1f}".replace("-", "−")
    return "0.0" if rounded in ("+0.0", "−0.0") else rounded


def length_table(lengths: Mapping[str, Any]) -> Table:
    """A judge's scores by the length of answers, in the words of the results."""
    table = table_of("answers", lengths["metric"], "reference's words", first="answer words")
    for group in lengths["groups"]:
        words = f"{group['from']:,}" + (f"–{group['to']:,}" if group["to"] > group["from"] else "")
        table.add_row(words, f"{group['answers']:,}", f"{group['score']:.1f}", f"{group['shared']:.0f} %")
    return table


def length_line(lengths: Mapping[str, Any]) -> str:
    """Whether long answers score higher where they share as much with the reference."""
    if lengths["preference"] is None:
        return "these answers don't show whether the judge favours long ones"
    return (
        f"of answers with the same share of the reference's words, length and {lengths['metric']} correlate with "
        f"{lengths['preference']:+.2f}: above 0, the judge favours long answers"
    )


def _agreement(judged: Mapping[str, Any]) -> str:
    return _with_interval(judged["agreement"], judged["interval"], "{:.0f}", " %")


def _kappa(judged: Mapping[str, Any]) -> str:
    return _with_interval(judged["kappa"], judged["kappa_interval"], "{:.2f}")


def _with_interval(value: float | None, interval: Sequence[float], form: str, unit: str = "") -> str:
    return NONE if value is None else f"{form.format(value)}{unit} [{'–'.join(map(form.format, interval))}]"


def _mistakes_and_use(found: Mapping[str, Any]) -> Iterator[str]:
    (long, of_long), (short, of_short) = found["long_wrong_taken_for_right"], found["wrong_taken_for_right"]
    yield f"wrong answers taken for right: {long} of {of_long} long ones, {short} of {of_short} others"
    missed, of_right = found["right_taken_for_wrong"]
    yield f"right answers taken for wrong: {missed} of {of_right}"
    if unrated := found["pairs"] - found["rated"]:
        are = "is" if unrated == 1 else "are"
        yield f"{format_count(unrated, 'answer')} got no usable verdict, and {are} not counted{ASK_AGAIN}"
    dollars = f", {in_dollars(found['cost'])}" if found["cost"] else ""
    yield f"{format_count(found['calls'], 'call')}, {found['input_words']:,} words in{dollars}"


NO_BETTER = "it may agree with the verdicts known for these rules by chance alone: don't rely on these scores"
MOST_FAILURES = 10


def print_results(results: dict[str, Any], folder: Path, screen: OutputOptions) -> None:
    """Print each method's scores and usage; unless quiet, also the failures and where the files are."""
    console = Console()
    what, methods = results["what"], results["methods"]
    if not methods:
        console.print("Nothing was answered.")
        return
    about = f"{format_count(what['questions'], 'question')} about {format_count(what['texts'], 'text')}"
    console.print(SafeText(f"{what['dataset']}: {about}, {what['settings']['model'] or 'no model'}", style="bold"))
    lengths = results["judging"] and results["judging"]["lengths"]
    of_judge = length_table(lengths) if lengths else None
    tables = [_scores(results), _view_table(methods), _use(methods), category_table(results), of_judge, _walks(methods)]
    if what["dataset"] == "board":
        tables.append(category_table(results, "evidence_recall"))
    if pairs := results["paired"]:
        tables.append(pairs_table(pairs, "method", "other"))
    for table in tables:
        if table is not None:
            console.print()
            console.print(table)
    if not screen.quiet:
        console.print()
        files = f"{printable_path(folder)} contains {REPORT}, {RESULTS}, {TABLE} and {SCORES}"
        print_lines(*_notes(results), files, style="dim")


def score(metric: Mapping[str, Any]) -> str:
    """A mean with its 95 % interval and its standard deviation over runs: "24.0 [15–33] ± 1.2"."""
    interval, deviation = metric["interval"], metric["deviation"]
    between = f" [{interval[0]:.0f}–{interval[1]:.0f}]" if interval else ""
    return f"{metric['mean']:.1f}{between}" + (f" ± {deviation:.1f}" if deviation is not None else "")


def _scores(results: dict[str, Any]) -> Table:
    """The leading metric with its interval, the other metrics, and the papers' published scores."""
    methods = results["methods"]
    leading, *others = metric_names(methods) or results["metrics"][:1]
    categories = {name for method in methods for name in categories_of(method["metrics"].get(leading))}
    shown_categories = {"", *(categories if len(categories) == 1 else [])}
    published = [each for each in results["published"] if each["metric"] == leading]
    published = [each for each in published if each["category"] in shown_categories]
    judged = metrics_rated_by("judge", (leading, *others))  # read beside the answers' length, which a judge may favour
    columns = [_column_name(name, results) for name in (leading, *others)]
    table = table_of(*columns, *(["answer words"] if judged else []))
    if published:
        table.add_column("published, other model", justify="left")
    for method in methods:
        metrics = method["metrics"]
        figures = [score(metrics[leading]) if leading in metrics else NONE]
        figures += [format_figure(metrics.get(name, {}).get("mean")) for name in others]
        figures += [format_figure(method["figures"]["answer_words"])] if judged else []
        of_papers = [figure for figure in published if figure["method"] == method["method"]]
        papers = [f"{figure['value']:.1f} ({figure['model']})" for figure in of_papers]
        table.add_row(row_name(method["method"]), *figures, *([", ".join(papers) or NONE] if published else []))
    for name, means in results["floors"].items():
        figures = [format_figure(means.get(metric)) for metric in (leading, *others)]
        table.add_row(SafeText(name, style="dim"), *figures, *[NONE] * (len(table.columns) - len(figures) - 1))
    return table


def _column_name(name: str, results: dict[str, Any]) -> str:
    counts = [method["metrics"][name]["questions"] for method in results["methods"] if name in method["metrics"]]
    partly = counts and max(counts) < results["what"]["questions"]
    marked = f"{name}{UNPROVEN}" if results["judging"] and name in results["judging"]["unproven"] else name
    return f"{marked} ({max(counts):,})" if partly else marked


def _view_table(methods: list[dict[str, Any]]) -> Table:
    """What was in view at the answers; the length of answers that were judged stands beside their scores instead."""
    judged = metrics_rated_by("judge", metric_names(methods))
    table = table_of("compression", "words in view", "look-ups", *([] if judged else ["answer words"]))
    for method in methods:
        figures = method["figures"]
        counts = (figures["look_ups"], *([] if judged else [figures["answer_words"]]))
        rate = format_figure(figures["compression_rate"], PERCENT)
        view = (rate, format_figure(figures["words_in_view"], WHOLE))
        table.add_row(row_name(method["method"]), *view, *map(format_figure, counts))
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
            format_figure(figures["calls"]),
            format_figure(figures["input_words"], WHOLE),
            f"{building['input_words']:,}",
            f"{building['seconds']:.1f} s",
            format_figure(method["seconds"], "{:.1f} s"),
            in_dollars(cost) if cost else NONE,
            f"{len(method['failures']):,}",
            *([f"{method['not_answered']:,}"] if unanswered else []),
        )
    return table


def _walks(methods: list[dict[str, Any]]) -> Table | None:
    walked = [method for method in methods if method["walks"]]
    if not walked:
        return None
    table = table_of("stray", "recovered", "read", "shown", "valid", "hops")
    for method in walked:
        walks, figures = method["walks"], method["figures"]
        names = ("stray_ratio", "recovery_rate", "percent_read", "percent_shown", "usable_replies")
        shown = [format_figure(walks.get(name), PERCENT) for name in names]
        table.add_row(row_name(method["method"]), *shown, format_figure(figures["hops"]))
    return table


def _notes(results: dict[str, Any]) -> Iterator[str]:
    methods = results["methods"]
    if results["what"]["note"]:
        yield results["what"]["note"]
    if results["judging"]:
        yield from _judge_lines(results["judging"])
    leading = next(iter(metric_names(methods)), "")
    if any(method["metrics"][leading]["texts"] < FEWEST_TEXTS for method in methods if leading in method["metrics"]):
        yield f"no 95 % interval: of fewer than {FEWEST_TEXTS} texts it would hold the truth too rarely"
    if results["paired"]:
        yield P_MEANS
    if floors := results["floors"]:
        long = ", of the length of the references" if floors.keys() - {AN_OPTION, DECLINING} else ""
        yield f"{', '.join(floors)}: what answers score that nobody read for{long}"
    unrated = [] if results["what"]["judge"] else metrics_rated_by("judge", results["metrics"])
    if unrated:
        yield f"not rated: {', '.join(unrated)}; run again with --judge and a model to rate the existing answers"
    if guessed := _name_unrated(results):
        yield f"not rated: {guessed}; {GUESSED}"
    for method in methods:
        if method["left_out"]:
            left_out = format_count(method["left_out"], "question")
            yield f"{method['method']}: {left_out} left out, which ask for no summary"
        if method["fallbacks"]:
            kinds = ", ".join(f"{kind} {count:,}" for kind, count in method["fallbacks"].items())
            yield f"{method['method']}: fall-backs {kinds}"
        if method["valid_replies"] not in (None, 100):
            yield f"{method['method']}: {method['valid_replies']:.1f} % of the replies were usable"
    total = sum(method["outcomes"] for method in methods)
    if unanswered := sum(method["not_answered"] for method in methods):
        why = "no usable reply came, or the budget was spent; each scores 0"
        yield f"{unanswered:,} of {format_count(total, 'reading')} not answered by the method: {why}"
    yield from _failures(methods, total, results["what"]["runs"])


def _failures(methods: list[dict[str, Any]], total: int, runs: int) -> Iterator[str]:
    failed = [(method["method"], failure) for method in methods for failure in method["failures"]]
    if failed:
        yield f"{len(failed):,} of {format_count(total, 'reading')} failed: each scores 0"
    for name, failure in failed[:MOST_FAILURES]:
        run = f", run {failure['run'] + 1}" if runs > 1 else ""
        yield f"  {name}, {one_line(failure['item'])}{run}: {one_line(failure['problem'])}"
    if len(failed) > MOST_FAILURES:
        yield f"  … and {len(failed) - MOST_FAILURES:,} more: see {REPORT}"


def _name_unrated(results: dict[str, Any]) -> str:
    """What is not rated without a model, which would only guess an option; "" for nothing."""
    shown, methods = results["metrics"], results["methods"]
    if results["what"]["settings"]["model"]:
        return ""
    if "accuracy" in shown and not all("accuracy" in method["metrics"] for method in methods):
        return "accuracy"
    for method in methods if "infinite_bench" in shown else ():  # which rates every question but those with options
        rated = method["metrics"].get("infinite_bench", {"questions": 0})["questions"]
        if rated * method["runs"] < method["outcomes"]:
            return "questions with options"
    return ""


def _judge_lines(judging: dict[str, Any]) -> Iterator[str]:
    calls = f"{format_count(judging['calls'], 'call')}, {judging['input_words']:,} words in"
    usage = calls if judging["calls"] else "no call"
    dollars = f", {in_dollars(judging['cost'])}" if judging["cost"] else ""
    yield f"rated by {judging['rater']}: {format_count(judging['judgements'], 'answer')}, {usage}{dollars}"
    if known := judging["calibration"]:
        answers = f"{format_count(known['pairs'], 'answer')} that are known to be right or wrong"
        agrees = f"agrees with {_agreement(known)} of {known['pairs']} known verdicts, kappa {_kappa(known)}"
        yield f"  gave no usable verdict on {answers}" if known["agreement"] is None else f"  {agrees}"
    if judging["unproven"]:
        yield f"  {', '.join(judging['unproven'])}{UNPROVEN}: {NO_BETTER}"
    if judging["lengths"]:
        yield f"  {length_line(judging['lengths'])}"
    if judging["unrated"]:
        yield f"  {format_count(judging['unrated'], 'answer')} got no usable verdict and no score{ASK_AGAIN}"
    for problem, count in judging["problems"].items():
        yield f"  {format_count(count, 'judgement')} failed: {one_line(problem)}"
    if judging["others"]:
        yield f"  judgements by {', '.join(judging['others'])} are kept but not counted here"
