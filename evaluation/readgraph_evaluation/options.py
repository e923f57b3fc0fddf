"""The options of the commands of evaluations, and the names that a shell completes."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from typer import Context

from readgraph.cli import shell
from readgraph.cli.options.documents import EstimateOnly
from readgraph.cli.options.settings import argument, option
from readgraph.cli.shell import completer_of
from readgraph_evaluation.sweeps import NAMED_ROWS, SWEEPS

row_option = partial(option, rich_help_panel="Rows and questions")


def complete_rows(context: Context) -> Iterable[shell.Item]:
    """The rows of evaluations that have names: those of methods, and those with settings of their own."""
    from readgraph.graphs.methods import ROWS

    return [*shell.methods(context), *((row.name, row.line) for row in ROWS.values()), *NAMED_ROWS.items()]


def _lines_of(module: str, table: str) -> shell.Values:
    """The names in a table of this package, each with its line; the module is imported only then."""
    module = f"readgraph_evaluation.{module}"
    return lambda _: ((name, each.line) for name, each in getattr(import_module(module), table).items())


complete_sweeps = _lines_of("sweeps", "SWEEPS")
complete_experiments = _lines_of("reproducing", "EXPERIMENTS")
complete_metrics = _lines_of("metrics", "METRICS")


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions:
    """What to evaluate, and where to keep it."""

    file: Path | None = argument(
        default=None, metavar="FILE", help="The questions: a dataset's file, or one of your own."
    )
    form: str | None = option("--dataset", metavar="FORM", help="The dataset's format, if it isn't recognised.")
    methods: str | None = option(
        metavar="NAME,…",
        help="The methods to evaluate, or 'all'; 'readgraph methods' lists them.",
        show_default="read-agent,mem-walker,gam,bm25",
        autocompletion=completer_of(shell.methods, several=True),
    )
    rows: list[str] = row_option(
        "--method",
        default=[],
        metavar="ROW",
        help="A method with settings of its own: METHOD@SETTING=VALUE,… such as gam@rounds=1; repeat for each row.",
        autocompletion=completer_of(complete_rows),
    )
    answers: list[Path] = row_option(
        metavar="FILE",
        default=[],
        help="Answers of another system, a line of JSON each (id, answer, retrieved, tokens, seconds, confidence), to "
        "be measured beside the methods, or alone; the row is named after the file. Repeat for each system.",
    )
    sweep: str | None = row_option(
        metavar="NAME",
        help=f"The rows of a paper's table: {', '.join(SWEEPS)}.",
        autocompletion=completer_of(complete_sweeps),
    )
    full_text: bool = row_option(
        "--full-text/--no-full-text",
        default=True,
        help="Ask the full text too, where it fits the window. Default: on.",
        show_default=False,
    )
    limit: int | None = option(min=1, help="Ask only the first N questions.")
    half: str | None = row_option(
        metavar="HALF", help="Ask only one half of the texts: development, to tune on, or report, for figures."
    )
    sample: int | None = row_option(metavar="N", min=1, help="Ask only N questions, drawn at random over all texts.")
    seed: int = row_option(default=0, metavar="N", help="Another number draws another sample.")
    runs: int = option(default=1, min=1, help="Ask every question N times, with new samples each time.")
    metrics: str | None = option(
        metavar="NAME,…",
        help="The metrics to show, the leading one first. Default: those of the dataset.",
        autocompletion=completer_of(complete_metrics, several=True),
    )
    judge: str | None = option(metavar="PROVIDER:NAME", help="The model that rates answers, if a metric needs one.")
    calibrate: bool = row_option(
        "--calibrate",
        default=False,
        help="Measure how far the judge agrees with known verdicts; without FILE, that alone.",
    )
    out: Path | None = option(
        metavar="FOLDER", help="Folder for answers and results; an existing evaluation there is resumed."
    )
    replies: Path | None = row_option(
        metavar="FOLDER",
        help="Another evaluation, or a library, whose saved replies are used where they fit: they cost nothing.",
    )
    publish: Path | None = row_option(
        metavar="FOLDER",
        help="Write the run to a new folder for others: replies and scores, without prompts and the dataset's texts.",
    )
    replay: Path | None = row_option(
        metavar="FOLDER",
        help="Repeat a published run from its replies, asking no model, and say whether the scores are the same.",
    )
    inspect: Path | None = row_option(
        metavar="FOLDER",
        help="Write a log of inspect-ai for each row into this folder; without FILE, of the evaluation in --out.",
    )
    estimate: EstimateOnly = False
    diff: tuple[Path, Path] | None = option(
        metavar="A B", help="Compare the evaluations of two folders, question by question."
    )

    @property
    def names_no_questions(self) -> bool:
        """Whether neither a file of questions nor a dataset is named."""
        return self.file is None and self.form is None


def as_evaluated(name: str) -> Any:
    """The option of `evaluate` with this name."""
    same = EvaluateOptions.__dataclass_fields__[name]
    return field(default=same.default, default_factory=same.default_factory, metadata=same.metadata)


@dataclass(frozen=True, kw_only=True)
class ReproduceOptions:
    """Which experiment to repeat, how much of it, and where to keep it."""

    name: str | None = argument(
        default=None,
        metavar="NAME",
        help="An experiment, such as read-agent-table-1; without a name all are listed.",
        autocompletion=completer_of(complete_experiments),
    )
    data: Path | None = option(metavar="FOLDER", help="The folder that holds the datasets.")
    limit: int | None = as_evaluated("limit")
    sample: int | None = as_evaluated("sample")
    seed: int = as_evaluated("seed")
    runs: int = as_evaluated("runs")
    judge: str | None = as_evaluated("judge")
    out: Path | None = as_evaluated("out")
    replies: Path | None = as_evaluated("replies")
    publish: Path | None = as_evaluated("publish")
    replay: Path | None = as_evaluated("replay")
    estimate: EstimateOnly = False


@dataclass(frozen=True, kw_only=True)
class BoardOptions:
    """How large a history to make, by which seed, and what to measure on it."""

    tokens: int = option(default=100000, metavar="N ≥ 80000", min=80_000, help="About how many tokens the history has.")
    seed: int = option(default=1, metavar="N", help="Another seed makes another history.")
    methods: str | None = option(
        metavar="NAME,…",
        help="The methods to measure; 'none' only writes the questions.",
        show_default="read-agent,mem-walker,gam,ranked,bm25",
        autocompletion=completer_of(shell.methods, several=True),
    )
    answers: list[Path] = as_evaluated("answers")
    out: Path | None = as_evaluated("out")
    estimate: EstimateOnly = False
