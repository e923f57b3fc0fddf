"""`evaluate --calibrate`: how far a judge agrees with verdicts that are known."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from readgraph.cli.run.estimate import show_estimate
from readgraph.cli.terminal.progress import EvaluationProgress, notices
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.results import print_calibration
from readgraph.cli.terminal.safe_text import Console
from readgraph.cli.terminal.screen import OutputOptions, run_until_stopped
from readgraph.evaluation.folder import EvaluationFolder
from readgraph.evaluation.judges.calibration import (
    GoldPair,
    Line,
    basis,
    calibration,
    gold_pairs,
    newest,
    pairs_for,
    summarise_calibration,
    verdicts,
)
from readgraph.evaluation.line_shapes import Cost
from readgraph.evaluation.optional_imports import check_libraries
from readgraph.evaluation.plan import estimate_rating, own_prompts
from readgraph.evaluation.report import write_results
from readgraph.graphs.estimates.arithmetic import Estimate
from readgraph.library.opening import open_library
from readgraph.models.client import model_client
from readgraph.sources.loading import printable_path
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput


def calibrate(out: Path | None, rater: ReaderContext, screen: OutputOptions, cost: Cost) -> None:
    """Print how far the judge (`rater.model`) agrees with known verdicts; the folder of an evaluation keeps it."""
    with notices(Console(stderr=True, quiet=screen.quiet).print, screen):
        if out:
            found = _calibrate_in_folder(EvaluationFolder(out), rater, screen, cost)
        else:
            line = run_until_stopped(_run_calibration(InMemoryStore(), rater, gold_pairs(), screen, cost))
            found = summarise_calibration(line, gold_pairs())
    if screen.as_json:
        print_json(found)
    else:
        print_calibration(found)


def estimate_calibration(out: Path | None, rater: ReaderContext, screen: OutputOptions) -> None:
    """Print what the calibration will use, without making a call."""
    pairs = pairs_for(EvaluationFolder(out).dataset()) if out else gold_pairs()
    show_estimate(Estimate(), 0, ReaderContext(), screen, (calibration_estimate(pairs), rater.model))


def calibration_estimate(pairs: Sequence[GoldPair]) -> Estimate:
    """What the calibration of a judge on these pairs will use."""
    return sum((estimate_rating([pair.item], (pair.metric,)) for pair in pairs), Estimate())


async def calibrate_once(
    folder: EvaluationFolder, store: BaseStore, rater: ReaderContext, screen: OutputOptions, cost: Cost
) -> None:
    """Calibrate the judge on the pairs for the folder's questions that have no verdict yet, and keep that there."""
    before = newest(folder.lines("calibrations"), rater.model, _basis_of(rater))
    known = before["verdicts"] if before else {}
    if pairs := [pair for pair in pairs_for(folder.dataset()) if pair.item.id not in known]:
        folder.append("calibrations", [await _run_calibration(store, rater, pairs, screen, cost, before)])


def _calibrate_in_folder(folder: EvaluationFolder, rater: ReaderContext, screen: OutputOptions, cost: Cost) -> Any:
    check_libraries()
    if _basis_of(rater) != basis(folder.what().get("own_prompts", {})):
        raise BadInput(
            f"{printable_path(folder.path)} was begun with other prompts of the judge: give the same --prompts."
        )

    async def run() -> None:
        async with open_library(folder.library) as library:
            await calibrate_once(folder, library.store, rater, screen, cost)

    with folder.open_for(folder.what()):
        run_until_stopped(run())
        write_results(folder.dataset(), folder)
    line = newest(folder.lines("calibrations"), rater.model, _basis_of(rater))
    return summarise_calibration(line, pairs_for(folder.dataset()))


def _basis_of(rater: ReaderContext) -> str:
    """The basis of this judge's verdicts, with the prompts in the user's own words."""
    return basis(own_prompts(rater.prompts))


async def _run_calibration(
    store: BaseStore,
    rater: ReaderContext,
    pairs: Sequence[GoldPair],
    screen: OutputOptions,
    cost: Cost,
    before: Line | None = None,
) -> Line:
    await model_client(rater)  # report a wrong model before anything is paid for
    judged = []
    with EvaluationProgress("Calibrating", len(pairs), screen) as progress:
        async for one in verdicts(rater, store, pairs, cost, before):
            judged.append(one)
            progress.count_item(one.calls, one.input_words + one.output_words, one.cost, one.problem)
    return calibration(judged, rater.model, _basis_of(rater), before)
