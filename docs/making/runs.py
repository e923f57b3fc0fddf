"""The runs that people have contributed, as a table."""

from collections.abc import Iterator
from pathlib import Path

from readgraph.evaluation.replaying import figures_of_records, run_of

RUNS = Path(__file__).parents[2] / "runs"


def contributed_runs(runs: Path = RUNS) -> str:
    """Each run of the folder with its figures, by its records; a line that says so where there is none."""
    folders = sorted(path.parent for path in runs.glob("*/run.json"))
    if not folders:
        return "No run has been contributed yet."
    rows = ["| run | dataset | model | row | scores | calls a question |", "|---|---|---|---|---|--:|"]
    return "\n".join([*rows, *(row for folder in folders for row in _rows(folder))])


def _rows(folder: Path) -> Iterator[str]:
    run = run_of(folder)
    model = run["settings"]["model"]
    model = run["models"].get(model, model) or "none: the extractive floor"
    for number, (method, found) in enumerate(figures_of_records(folder).items()):
        dataset = f"{run['dataset']}, {found.questions} questions"
        about = ["", "", ""] if number else [f"`{folder.name}`", dataset, model]
        shown = ", ".join(f"`{metric}` {value:.1f}" for metric, value in found.scores.items())
        calls = "–" if found.calls is None else f"{found.calls:.1f}"
        yield f"| {' | '.join([*about, f'`{method}`', shown, calls])} |"
