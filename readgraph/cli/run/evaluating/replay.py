"""`--replay`: repeat a published run from its replies, and say whether it comes out the same."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from readgraph.cli.options.evaluating import EvaluateOptions
from readgraph.cli.run.evaluating.evaluate import answered
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.evaluation.folder.evaluation_folder import EvaluationFolder
from readgraph.evaluation.plan.run_record import digest_of
from readgraph.evaluation.publishing.comparing import Compared, compared
from readgraph.evaluation.publishing.published_run import PROMPTS
from readgraph.evaluation.publishing.reading_runs import RunRecord, published_replies, run_of
from readgraph.models.replies.replaying import replaying
from readgraph.sources.loading import shown
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ReadgraphError
from readgraph.state.words import counted

AS_STATED = (
    "Cost, seconds, date, machine, licence, versions and the model's name are as stated: a replay can't check them."
)

MOST_SHOWN = 10
"""At most this many differences are listed."""


def replay(file: Path | None, form: str | None, theirs: Path, out: Path | None, screen: Screen) -> int:
    """Repeat a published run from its replies, asking no model; returns the exit code, which is 1 where it differs."""
    run = run_of(theirs)
    context = _context(run, theirs)
    _check_file(run, file)
    with _folder(out) as place:
        options = EvaluateOptions(
            file=file,
            form=form,
            rows=run["methods"],
            full_text=False,
            **run["asked"],
            runs=run["runs"],
            judge=run["judge"],
            out=place,
        )
        with replaying(published_replies(theirs)):
            try:
                answered(options, context, replace(screen, quiet=True, price=None), theirs)
            except ReadgraphError as problem:
                if isinstance(problem, BadInput):
                    raise
        found = compared(theirs, EvaluationFolder(place))
    _show(found, run, theirs, screen)
    return 0 if found.equal else 1


def _context(run: RunRecord, theirs: Path) -> ReaderContext:
    """The settings of the run; those that this version doesn't know are refused."""
    settings: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in run["settings"].items()
    }
    if unknown := settings.keys() - {each.name for each in fields(ReaderContext)}:
        raise BadInput(f"{shown(theirs)} was made by another version of readgraph, with a setting '{min(unknown)}'.")
    settings |= run["budget"] | {"prompts": str(theirs / PROMPTS) if (theirs / PROMPTS).is_dir() else ""}
    return ReaderContext(**settings)


def _check_file(run: RunRecord, file: Path | None) -> None:
    wanted = run["file"]
    if wanted and (file is None or not file.exists() or digest_of(file) != wanted["sha256"]):
        there = "there is none" if file is None else f"{shown(file)} is another one"
        raise BadInput(
            f"This run was made with {wanted['name']} of {run['dataset']} (sha256 {wanted['sha256'][:12]}…), "
            f"and {there}: name that file."
        )


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    if out:
        yield out
        return
    with tempfile.TemporaryDirectory() as place:
        yield Path(place) / "replayed"


def _show(found: Compared, run: RunRecord, theirs: Path, screen: Screen) -> None:
    if screen.as_json:
        print_json(found.value())
        return
    console = Console()
    counts = (
        f"{counted(found.answers, 'answer')}, {counted(found.scores, 'score')} and {counted(found.figures, 'figure')}"
    )
    about = f"{counts} of {run['dataset']}"
    if found.equal:
        console.print(Text(f"Equal: {about}, as published in {shown(theirs)}; no model was asked."), soft_wrap=True)
        if not screen.quiet:
            console.print(Text(AS_STATED, style="dim"), soft_wrap=True)
        return
    console.print(Text(f"{counted(len(found.differences), 'difference')} in {about}:"), soft_wrap=True)
    for line in found.differences[:MOST_SHOWN]:
        console.print(Text(f"  {line}"), soft_wrap=True)
    if len(found.differences) > MOST_SHOWN:
        console.print(Text(f"  … and {len(found.differences) - MOST_SHOWN} more: --json lists all"), soft_wrap=True)
