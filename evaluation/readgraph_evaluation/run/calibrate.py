"""`evaluate --calibrate`: how far a judge agrees with verdicts that are known."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from readgraph import ReaderContext, open_library
from readgraph.cli.run.documents import show_estimate
from readgraph.cli.terminal.progress import ItemsProgress, notices
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console
from readgraph.cli.terminal.screen import OutputOptions, run_until_stopped
from readgraph.graphs.estimate import Estimate
from readgraph.models.client import model_client
from readgraph.models.prices import exchange_cost
from readgraph.sources.loading import fault_of
from readgraph.state.transports import price_share
from readgraph_evaluation.folder import EvaluationFolder
from readgraph_evaluation.judges import calibration as known
from readgraph_evaluation.line_shapes import Cost
from readgraph_evaluation.options import EvaluateOptions
from readgraph_evaluation.plan import estimate_rating, own_prompts
from readgraph_evaluation.records import Judgement, Outcome
from readgraph_evaluation.report import write_results
from readgraph_evaluation.run.tables import print_calibration

Done = TypeVar("Done", Outcome, Judgement)


def calibrate(options: EvaluateOptions, context: ReaderContext, screen: OutputOptions) -> None:
    """Print how far the judge agrees with known verdicts, which the folder of an evaluation keeps; or estimate that."""
    rater, out = replace(context, model=options.judge or "", sample=0), options.out
    if options.estimate:
        pairs = known.pairs_for(EvaluationFolder(out).dataset()) if out else known.gold_pairs()
        show_estimate(Estimate(), 0, ReaderContext(), screen, (calibration_estimate(pairs), rater.model))
        return
    cost = costs(context, screen)
    with notices(Console(stderr=True, quiet=screen.quiet).print, screen):
        if out:
            found = _calibrate_in_folder(EvaluationFolder(out), rater, screen, cost)
        else:
            line = run_until_stopped(_run_calibration(InMemoryStore(), rater, known.gold_pairs(), screen, cost))
            found = known.summarise_calibration(line, known.gold_pairs())
    if screen.as_json:
        print_json(found)
    else:
        print_calibration(found)


def costs(context: ReaderContext, screen: OutputOptions) -> Cost:
    """What an exchange costs, at the user's price or the model's known one."""
    return lambda exchange: exchange_cost(exchange, screen.price, price_share(context))


def calibration_estimate(pairs: Sequence[known.GoldPair]) -> Estimate:
    """What the calibration of a judge on these pairs will use."""
    return sum((estimate_rating([pair.item], (pair.metric,)) for pair in pairs), Estimate())


async def calibrate_once(
    folder: EvaluationFolder, store: BaseStore, rater: ReaderContext, screen: OutputOptions, cost: Cost
) -> None:
    """Calibrate the judge on the pairs for the folder's questions that have no verdict yet, and keep that there."""
    before = known.find_newest_line(folder.lines("calibrations"), rater.model, _basis_of(rater))
    judged = before["verdicts"] if before else {}
    if pairs := [pair for pair in known.pairs_for(folder.dataset()) if pair.item.id not in judged]:
        folder.append("calibrations", [await _run_calibration(store, rater, pairs, screen, cost, before)])


def _calibrate_in_folder(folder: EvaluationFolder, rater: ReaderContext, screen: OutputOptions, cost: Cost) -> Any:
    if _basis_of(rater) != known.basis(folder.what().get("own_prompts", {})):
        raise fault_of(folder.path, "was begun with other prompts of the judge: give the same --prompts.")

    async def run() -> None:
        async with open_library(folder.library) as library:
            await calibrate_once(folder, library.store, rater, screen, cost)

    with folder.open_for(folder.what()):
        run_until_stopped(run())
        write_results(folder.dataset(), folder)
    line = known.find_newest_line(folder.lines("calibrations"), rater.model, _basis_of(rater))
    return known.summarise_calibration(line, known.pairs_for(folder.dataset()))


def _basis_of(rater: ReaderContext) -> str:
    return known.basis(own_prompts(rater.prompts))


async def _run_calibration(
    store: BaseStore,
    rater: ReaderContext,
    pairs: Sequence[known.GoldPair],
    screen: OutputOptions,
    cost: Cost,
    before: known.Line | None = None,
) -> known.Line:
    await model_client(rater)  # report a wrong model before anything is paid for
    judging = known.verdicts(rater, store, pairs, cost, before)
    judgements = await show_progress("Calibrating", len(pairs), judging, screen)
    return known.calibration(judgements, rater.model, _basis_of(rater), before)


async def show_progress(doing: str, number: int, work: AsyncIterator[Done], screen: OutputOptions) -> list[Done]:
    """What comes of a work on so many items; it is shown how many are done, and what they took."""
    done = list[Done]()
    with ItemsProgress(doing, number, screen) as progress:
        async for one in work:
            done.append(one)
            progress.count_item(one.calls, one.input_words + one.output_words, one.cost, one.problem)
    return done
