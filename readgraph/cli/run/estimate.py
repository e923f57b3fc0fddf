"""`--estimate`: what a reading will use, before any call is made."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from rich.table import Table

from readgraph.cli.run.documents import asked_document, asked_sources, check_glob, sources_of
from readgraph.cli.settings import chosen_method
from readgraph.cli.terminal.output_options import Screen
from readgraph.cli.terminal.prices import TOKENS_A_WORD, Price, in_dollars, known_price
from readgraph.cli.terminal.rendering import PLAIN, print_json
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.estimates.arithmetic import Estimate, Range
from readgraph.estimates.methods import estimate_reading
from readgraph.sources import SourceText
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.library import open_library
from readgraph.state.words import count_words

NO_CALL = "no call was made"


def estimate(
    paths: Sequence[Path],
    glob: str | None,
    question: str | None,
    method: str | None,
    context: ReaderContext,
    folder: Path | None,
    screen: Screen,
) -> None:
    """Print what reading the documents will use: each for itself, or asked as one where there is a question."""
    if not paths:
        raise BadInput("There is nothing to estimate: name the documents.")
    check_glob(paths, glob)
    sources = sources_of(paths, glob) if question is None else asked_sources(paths, glob)
    show_estimate(*asyncio.run(_foreseen(sources, question, method, context, folder)), context, screen)


def show_estimate(
    foreseen: Estimate, words: int, context: ReaderContext, screen: Screen, rating: tuple[Estimate, str] | None = None
) -> None:
    """Print the estimate for reading this many words; `rating`: the judge's estimate, and its name."""
    read = Foreseen.of(foreseen, context.model, screen)
    rated = Foreseen.of(*rating, screen) if rating else None
    if screen.as_json:
        print_json({"words": words, **read.value(), **({"judging": rated.value()} if rated else {})})
        return
    _print(f"{words:,} words to read, {context.model or 'without a model'}", read, *([] if rated else [NO_CALL]))
    if rated:
        _print(f"answers to rate, {rated.model}", rated, NO_CALL)


class Foreseen(NamedTuple):
    """What a model will use, what it costs where its price is known, and its name."""

    estimate: Estimate
    cost: float | None
    model: str

    @classmethod
    def of(cls, estimate: Estimate, model: str, screen: Screen) -> "Foreseen":
        """What this model will use, at the user's price, else at its own."""
        return cls(estimate, _cost(estimate, screen.price or known_price(model)), model)

    def value(self) -> dict[str, object]:
        """As a JSON-plain value."""
        return {**asdict(self.estimate), "cost": self.cost, "model": self.model or None}


async def _foreseen(
    sources: Sequence[SourceText | str],
    question: str | None,
    method: str | None,
    context: ReaderContext,
    folder: Path | None,
) -> tuple[Estimate, int]:
    async with open_library(folder) as library:
        if question is None:
            documents = [await asked_document(library, [source]) for source in sources]
        else:
            documents = [await asked_document(library, sources)]
        asks, question_words = question is not None, None if question is None else count_words(question)
        each = [
            await estimate_reading(
                chosen_method(method, document, asks=asks), library.pages, document, context, question_words
            )
            for document in documents
        ]
    return sum(each, Estimate()), sum(document.words for document in documents)


def _cost(foreseen: Estimate, price: Price | None) -> float | None:
    """Expected dollars; none where there is no call, or no price."""
    if not price or not foreseen.calls.expected:
        return None
    sent, received = (words.expected * TOKENS_A_WORD for words in (foreseen.input_words, foreseen.output_words))
    return round(price.of_tokens(sent, received), 4)


def _print(heading: str, used_by: Foreseen, *also: str) -> None:
    console, foreseen = Console(), used_by.estimate
    console.print(Text(heading, style="bold"))
    table = Table("", "at least", "expected", "at most", **PLAIN)
    for name, used in (
        ("calls", foreseen.calls),
        ("words sent", foreseen.input_words),
        ("words received", foreseen.output_words),
    ):
        table.add_row(name, *_shown(used))
    console.print(table)
    notes = [f"about {in_dollars(used_by.cost)}"] if used_by.cost is not None else []
    if foreseen.output_words.high is None:
        notes.append("how long a reply is, the model decides")
    if notes := [*notes, *also]:
        console.print(Text(" · ".join(notes), style="dim"))


def _shown(used: Range) -> list[str]:
    return [f"{used.low:,.0f}", f"{used.expected:,.0f}", "no bound" if used.high is None else f"{used.high:,.0f}"]
