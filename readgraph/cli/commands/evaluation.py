"""The commands of evaluations: `evaluate`, and `trajectories`, which exports one as training examples."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from readgraph.cli.options.shared import PROFILE, EstimateOnly, Quiet, check_alone, with_context, with_screen
from readgraph.cli.shell.completing import completing, completing_each
from readgraph.cli.shell.completing import methods as method_names
from readgraph.cli.shell.completing import metrics as metric_names
from readgraph.cli.shell.completing import rows as row_names
from readgraph.cli.shell.completing import sweeps as sweep_names
from readgraph.evaluation.rows.sweeps import SWEEPS
from readgraph.state.errors import BadInput
from readgraph.state.settings import GROUPS

if TYPE_CHECKING:
    from readgraph.cli.terminal.output_options import Screen
    from readgraph.state.context import ReaderContext

evaluation_commands = typer.Typer()

ROWS = "Rows and questions"
"""The panel of the options that say which rows an evaluation has, and what they are asked."""

QuestionFile = Annotated[
    Path | None, typer.Argument(metavar="FILE", help="The questions: a dataset's file, or one of your own.")
]
Form = Annotated[str | None, typer.Option(metavar="FORM", help="The dataset's format, if it isn't recognised.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Ask only the first N questions.", show_default=False)]
Sample = Annotated[
    int | None,
    typer.Option(
        "--sample",
        metavar="N",
        min=1,
        help="Ask only N questions, drawn at random over all texts.",
        show_default=False,
        rich_help_panel=ROWS,
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Another number draws another sample.", rich_help_panel=ROWS)]
Metrics = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,…",
        help="The metrics to show, the leading one first. Default: those of the dataset.",
        show_default=False,
        autocompletion=completing_each(metric_names),
    ),
]
Judge = Annotated[
    str | None, typer.Option(metavar="PROVIDER:NAME", help="The model that rates answers, if a metric needs one.")
]
Runs = Annotated[int, typer.Option(min=1, help="Ask every question N times, with new samples each time.")]
Out = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Folder for answers and results; an existing evaluation there is resumed."),
]
Replies = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Another evaluation, or a library, whose recorded replies are used where they fit: they cost nothing.",
        show_default=False,
        rich_help_panel=ROWS,
    ),
]
Calibrate = Annotated[
    bool,
    typer.Option(
        "--calibrate",
        help="Measure how far the judge agrees with known verdicts; without FILE, that alone.",
        rich_help_panel=ROWS,
    ),
]
PublishTo = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Write the run to a new folder for others: replies and scores, without prompts and the dataset's texts.",
        show_default=False,
        rich_help_panel=ROWS,
    ),
]
Replay = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Repeat a published run from its replies, asking no model, and say whether the scores are the same.",
        show_default=False,
        rich_help_panel=ROWS,
    ),
]
ALONE = (
    *("--judge", "--out", "--estimate", "--json", "--quiet", "--price"),
    *("--concurrency", "--timeout", "--retry-seconds", "--max-reply-mb", "--batch", "--prompts"),
)
"""What may stand beside --calibrate where no questions are named."""


@evaluation_commands.command()
@with_context(GROUPS, PROFILE)
@with_screen
def evaluate(
    run: typer.Context,
    context: "ReaderContext",
    screen: "Screen",
    file: QuestionFile = None,
    dataset: Form = None,
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="The methods to evaluate, or 'all'; 'readgraph methods' lists them.",
            show_default="read-agent,mem-walker,gam,bm25",
            autocompletion=completing_each(method_names),
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROW",
            help="A method with settings of its own: METHOD@SETTING=VALUE,… such as gam@rounds=1; repeat for each row.",
            show_default=False,
            rich_help_panel=ROWS,
            autocompletion=completing(row_names),
        ),
    ] = None,
    sweep: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"The rows of a paper's table: {', '.join(SWEEPS)}.",
            show_default=False,
            rich_help_panel=ROWS,
            autocompletion=completing(sweep_names),
        ),
    ] = None,
    full_text: Annotated[
        bool,
        typer.Option(
            "--full-text/--no-full-text",
            help="Ask the full text too, where it fits the window. Default: on.",
            show_default=False,
            rich_help_panel=ROWS,
        ),
    ] = True,
    limit: Limit = None,
    drawn: Sample = None,
    seed: Seed = 0,
    runs: Runs = 1,
    metrics: Metrics = None,
    judge: Judge = None,
    calibrate: Calibrate = False,
    out: Out = None,
    replies: Replies = None,
    publish: PublishTo = None,
    replay: Replay = None,
    inspect: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write a log of inspect-ai for each row into this folder; without FILE, of the evaluation in --out.",
            show_default=False,
            rich_help_panel=ROWS,
        ),
    ] = None,
    estimate: EstimateOnly = False,
    diff: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="A B", help="Compare the evaluations of two folders, question by question."),
    ] = None,
) -> None:
    """Measure methods on questions with known answers, and write a table, results.json, results.csv and a report.

    Examples:
    readgraph evaluate QuALITY.v1.0.1.htmlstripped.dev --methods read-agent,full-text --limit 50 --out quality

    readgraph evaluate --diff quality quality-with-another-model

    """
    if diff:
        from readgraph.cli.terminal.evaluation.differences import show_difference

        if file:
            raise BadInput("--diff compares two existing evaluations: leave the file out.")
        check_alone(run, "compares two existing evaluations", "--diff", "--json", "--quiet")
        show_difference(*diff, screen)
        return

    if replay:
        from readgraph.cli.run.evaluating.replay import replay as repeat

        check_alone(run, "repeats a published run", "--replay", "--dataset", "--out", "--json", "--quiet")
        raise typer.Exit(repeat(file, dataset, replay, out, screen))

    from readgraph.cli.run.evaluating import evaluate as evaluating

    request = evaluating.EvaluationRequest(
        *(file, dataset, methods, method or [], sweep, full_text, limit, drawn, seed, runs, judge, out, replies),
        inspect=inspect,
        metrics=metrics,
        calibrate=calibrate,
        publish=publish,
    )
    if calibrate and file is None and dataset is None:
        check_alone(run, "without FILE asks the judge alone", "--calibrate", *ALONE)
        evaluating.calibrate(request, context, screen, only_estimate=estimate)
    elif request.only_logs:
        check_alone(run, "makes logs of a finished evaluation", "--inspect", "--out", "--json", "--quiet")
        evaluating.write_inspect_logs(request, screen)
    elif estimate:
        evaluating.estimate(request, context, screen)
    else:
        evaluating.evaluate(request, context, screen)


@evaluation_commands.command()
def trajectories(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of an evaluation.", show_default=False)],
    form: Annotated[
        str, typer.Option("--format", metavar="FORM", help="sft, preference or reward: what TRL's trainers read.")
    ] = "sft",
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write; - for standard output.")] = Path("-"),
    quiet: Quiet = False,
) -> None:
    """Export an evaluation's prompts and replies, with their outcome, as training examples."""
    from readgraph.cli.run.evaluating.train import write_trajectories

    write_trajectories(folder, form, out, quiet=quiet)
