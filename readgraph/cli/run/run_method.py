"""Run a method over documents in the library, with progress, or estimate what that will use."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from langgraph.graph import StateGraph
from rich.table import Table

from readgraph.api.documents import WHOLE_LIBRARY, PickingScope, pick_as_one_document
from readgraph.api.functions import find_notices
from readgraph.api.running import run_method
from readgraph.cli.run.documents import check_glob, load_sources_or_names, resolve_document, sources_of
from readgraph.cli.settings import choose_method
from readgraph.cli.terminal.progress import ReadingProgress, notices
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import PLAIN, Console, SafeText
from readgraph.cli.terminal.screen import OutputOptions, run_until_stopped
from readgraph.graphs.estimates.arithmetic import Estimate, Range, of_options
from readgraph.graphs.estimates.methods import estimate_reading
from readgraph.library.address import LibraryPlace
from readgraph.library.opening import Library, open_library
from readgraph.models.prices import Price, cost, in_dollars, price_to_pay
from readgraph.nodes.purpose import with_question
from readgraph.sources import SourceText
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question
from readgraph.state.records import Document
from readgraph.state.words import count_words


async def run_graph(
    library: Library,
    builder: StateGraph[Any, ReaderContext, Any, Any],
    method: str,
    document: Document,
    question: Question,
    context: ReaderContext,
    screen: OutputOptions,
    thread: str = "",
    seconds_before: float = 0.0,
    *,
    keeps_steps: bool = True,
) -> dict[str, Any]:
    """Run a method's graph over the document; returns its output with document, method, model and cost in dollars.

    `seconds_before` were spent on the document's conversion, and count into the time used. `keeps_steps`: in a thread,
    so that a further question can follow.
    """
    with ReadingProgress(screen) as progress, notices(progress.say, screen):
        listen = partial(show_event, progress)
        saver = library.checkpointer if keeps_steps else None
        found = await run_method(library.pages, builder, method, document, question, context, listen, saver, thread)
    found["usage"] = found["usage"] | {"seconds": round(found["usage"]["seconds"] + seconds_before, 4)}
    return {**found, "cost": cost(found["steps"], screen.price, batch=context.batch)}


def show_event(progress: ReadingProgress, mode: str, event: Any) -> None:
    """Show an event of a graph's stream, of the mode "custom", "tasks" or "updates"; others show nothing."""
    if mode == "custom":
        progress.take(event)
    elif mode == "tasks" and "input" in event:  # the task begins
        progress.begin(event["name"])
    elif mode == "updates":
        progress.show_steps(event)


async def with_places(library: Library, found: dict[str, Any]) -> dict[str, Any]:
    """An answer with `places_read`: where each page that was read again begins in the source, if it names places.

    A survey's has `places_unread`, too, of the pages that could not be read, and `notices` of its table.
    """
    store = library.pages
    document = await store.document(found["document"])
    named = dict[str, list[str | None]]()
    for places, numbers in (("places_read", found["pages_read"]), ("places_unread", found.get("unread"))):
        if numbers is not None:
            pages = {page.number: page for page in await store.pages(found["memory"], numbers)}
            named[places] = await store.place_names(document, [pages[number].start for number in numbers])
    if {"programme", "table", "by_pattern"} <= found.keys():
        told = find_notices(found["programme"], found["table"], by_pattern=found["by_pattern"])
        return {**found, **named, "notices": told}
    return {**found, **named}


NO_CALL = "no call was made"


def estimate(
    paths: Sequence[Path],
    glob: str | None,
    question: str | None,
    method: str | None,
    context: ReaderContext,
    folder: LibraryPlace | None,
    screen: OutputOptions,
    choice: PickingScope = WHOLE_LIBRARY,
    options: Sequence[str] = (),
) -> None:
    """Print what reading the documents will use: each on its own, or with a question and its options, all read as one.

    A question without documents is one to the library, of which documents are picked as `choice` says.
    """
    if not paths and question is None:
        raise BadInput("There is nothing to estimate: name the documents.")
    choice.check(open_to_choice=not paths)
    check_glob(paths, glob)
    load_sources = sources_of if question is None else load_sources_or_names
    sources = load_sources(paths, glob, folder, screen)
    if question is not None:
        context, question = with_question(context, question, options), " ".join([question, *options])
        context = of_options(context) if options else context
    show_estimate(
        *run_until_stopped(_estimate_sources(sources, question, choice, method, context, folder)), context, screen
    )


def show_estimate(
    estimate: Estimate,
    words: int,
    context: ReaderContext,
    screen: OutputOptions,
    rating: tuple[Estimate, str] | None = None,
) -> None:
    """Print the estimate for reading this many words; `rating`: the judge's estimate and its name."""
    reading = PricedEstimate.of(estimate, context.model, screen, batch=context.batch)
    judging = PricedEstimate.of(*rating, screen, batch=context.batch) if rating else None
    if screen.as_json:
        print_json({"words": words, **reading.value(), **({"judging": judging.value()} if judging else {})})
        return
    if words:
        _print(
            f"{words:,} words to read, {context.model or 'without a model'}", reading, *([] if judging else [NO_CALL])
        )
    if judging:
        _print(f"answers to rate, {judging.model}", judging, NO_CALL)


class PricedEstimate(NamedTuple):
    """What a model will use, the cost if its price is known, and its name."""

    estimate: Estimate
    cost: float | None
    model: str

    @classmethod
    def of(cls, estimate: Estimate, model: str, screen: OutputOptions, *, batch: bool = False) -> "PricedEstimate":
        """The estimate at the user's price, else at the model's known price; half of it in batches."""
        return cls(estimate, _cost(estimate, price_to_pay(screen.price, model, batch=batch)), model)

    def value(self) -> dict[str, object]:
        """The estimate as a JSON value."""
        return {**asdict(self.estimate), "cost": self.cost, "model": self.model or None}


async def _estimate_sources(
    sources: Sequence[SourceText | str],
    question: str | None,
    choice: PickingScope,
    method: str | None,
    context: ReaderContext,
    folder: LibraryPlace | None,
) -> tuple[Estimate, int]:
    async with open_library(folder) as library:
        if question is None:
            documents = [await resolve_document(library, [source]) for source in sources]
        elif sources:
            documents = [await resolve_document(library, sources)]
        else:
            documents = [await pick_as_one_document(library.pages, question, choice)]
        asks, question_words = question is not None, None if question is None else count_words(question)
        each = [
            await estimate_reading(
                choose_method(method, document, asks=asks), library.pages, document, context, question_words
            )
            for document in documents
        ]
    return sum(each, Estimate()), sum(document.words for document in documents)


def _cost(estimate: Estimate, price: Price | None) -> float | None:
    """Expected dollars; None where no call or no price is known."""
    if not price or not estimate.calls.expected:
        return None
    return price.of_words(estimate.input_words.expected, estimate.output_words.expected)


def _print(heading: str, priced: PricedEstimate, *more_notes: str) -> None:
    console, estimate = Console(), priced.estimate
    console.print(SafeText(heading, style="bold"))
    table = Table("", "at least", "expected", "at most", **PLAIN)
    for name, used in (
        ("calls", estimate.calls),
        ("words sent", estimate.input_words),
        ("words received", estimate.output_words),
    ):
        table.add_row(name, *_format_range(used))
    console.print(table)
    notes = [f"about {in_dollars(priced.cost)}"] if priced.cost is not None else []
    if estimate.output_words.high is None:
        notes.append("the model decides how long its replies are")
    if notes := [*notes, *more_notes]:
        console.print(SafeText(" · ".join(notes), style="dim"))


def _format_range(used: Range) -> list[str]:
    return [f"{used.low:,.0f}", f"{used.expected:,.0f}", "no bound" if used.high is None else f"{used.high:,.0f}"]
