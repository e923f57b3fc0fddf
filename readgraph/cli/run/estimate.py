"""`--estimate`: what a reading or a question will use, printed before a call is made."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import NamedTuple

from rich.table import Table

from readgraph.api.documents import WHOLE_LIBRARY, PickingScope, pick_as_one_document
from readgraph.api.estimating import estimate_with_question, expected_cost
from readgraph.cli.options.reading import DocumentOptions
from readgraph.cli.run.documents import load_sources, resolve_document
from readgraph.cli.settings import choose_method
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import PLAIN, Console, SafeText
from readgraph.cli.terminal.screen import OutputOptions, run_until_stopped
from readgraph.graphs.estimates.arithmetic import Estimate
from readgraph.library.opening import open_library
from readgraph.models.prices import in_dollars, price_to_pay
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput

NO_CALL = "no call was made"


def estimate(
    options: DocumentOptions,
    context: ReaderContext,
    screen: OutputOptions,
    method: str | None,
    question: str | None = None,
    choice: PickingScope = WHOLE_LIBRARY,
    choices: Sequence[str] = (),
) -> None:
    """Print what reading the documents will use: each on its own, or with a question and its choices, all read as one.

    A question without documents is one to the library, of which documents are picked as `choice` says.
    """
    if not options.paths and question is None:
        raise BadInput("There is nothing to estimate: name the documents.")
    choice.check(open_to_choice=not options.paths)
    sources = load_sources(options, screen, other_names=question is not None)

    async def estimate_each() -> tuple[Estimate, int]:
        async with open_library(options.library) as library:
            if question is None:
                documents = [await resolve_document(library, [source]) for source in sources]
            elif sources:
                documents = [await resolve_document(library, sources)]
            else:
                query = " ".join([question, *choices])
                documents = [await pick_as_one_document(library.pages, query, choice)]
            methods = [choose_method(method, document, asks=question is not None) for document in documents]
            each = [
                await estimate_with_question(library.pages, chosen, document, context, question, choices)
                for chosen, document in zip(methods, documents, strict=True)
            ]
        return sum(each, Estimate()), sum(document.words for document in documents)

    show_estimate(*run_until_stopped(estimate_each()), context, screen)


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
        return cls(estimate, expected_cost(estimate, price_to_pay(screen.price, model, batch=batch)), model)

    def value(self) -> dict[str, object]:
        """The estimate as a JSON value."""
        return {**asdict(self.estimate), "cost": self.cost, "model": self.model or None}


def _print(heading: str, priced: PricedEstimate, *more_notes: str) -> None:
    console, estimate = Console(), priced.estimate
    console.print(SafeText(heading, style="bold"))
    table = Table("", "at least", "expected", "at most", **PLAIN)
    for name, used in (
        ("calls", estimate.calls),
        ("words sent", estimate.input_words),
        ("words received", estimate.output_words),
    ):
        high = "no bound" if used.high is None else f"{used.high:,.0f}"
        table.add_row(name, f"{used.low:,.0f}", f"{used.expected:,.0f}", high)
    console.print(table)
    notes = [f"about {in_dollars(priced.cost)}"] if priced.cost is not None else []
    if estimate.output_words.high is None:
        notes.append("the model decides how long its replies are")
    if notes := [*notes, *more_notes]:
        console.print(SafeText(" · ".join(notes), style="dim"))
