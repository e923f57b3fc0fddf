"""What a run will take, before anything is paid."""

from dataclasses import asdict

from pydantic import BaseModel, Field

from readgraph.estimates.arithmetic import Estimate
from readgraph.estimates.methods import estimate_reading
from readgraph.estimates.shared import of_options
from readgraph.models.names.prices import known_price, paid
from readgraph.nodes.purpose import with_question
from readgraph.serve.reading import Wanted, prepare
from readgraph.serve.room import Room
from readgraph.state.context import ReaderContext
from readgraph.state.words import count_words


class Bounds(BaseModel):
    """At least, expected, at most; `high` is null where there is no bound."""

    low: float
    expected: float
    high: float | None


class Estimated(BaseModel):
    """What a run will take."""

    words: int = Field(description="Words of the documents.")
    calls: Bounds
    input_words: Bounds
    output_words: Bounds
    cost: float | None = Field(description="Expected dollars; null where the price is not known.")
    model: str


async def estimated(room: Room, wanted: Wanted) -> Estimated:
    """What the run will take; raises `BadInput` where the method has no estimate."""
    prepared = await prepare(room, wanted)
    document, context, question = prepared.document, prepared.context, wanted.question.strip()
    asked = None
    if question:
        context, asked = with_question(context, question, wanted.options), " ".join([question, *wanted.options])
        context = of_options(context) if wanted.options else context
    words = None if asked is None else count_words(asked)
    estimate = await estimate_reading(prepared.method, room.pages, document, context, words)
    return Estimated(**asdict(estimate), words=document.words, cost=_cost(room, context, estimate), model=context.model)


def _cost(room: Room, context: ReaderContext, estimate: Estimate) -> float | None:
    price = paid(room.price or known_price(context.model), batch=context.batch)
    if not estimate.calls.expected:
        return 0.0
    return price.of_words(estimate.input_words.expected, estimate.output_words.expected) if price else None
