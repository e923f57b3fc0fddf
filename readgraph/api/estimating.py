"""What a run will use, before it: for the command and the page."""

from collections.abc import Sequence

from readgraph.graphs.estimates.arithmetic import Estimate, of_options
from readgraph.graphs.estimates.methods import estimate_reading
from readgraph.graphs.methods import Method
from readgraph.library.page_store import PageStore
from readgraph.models.prices import Price
from readgraph.nodes.purpose import with_question
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document
from readgraph.state.words import count_words


async def estimate_with_question(
    pages: PageStore,
    method: Method,
    document: Document,
    context: ReaderContext,
    question: str | None,
    options: Sequence[str] = (),
) -> Estimate:
    """What reading the document will use, with the answer to a question and its options if one is asked.

    Makes no call. Raises `BadInput` where the method has no estimate.
    """
    if question is None:
        return await estimate_reading(method, pages, document, context, None)
    context = with_question(context, question, options)
    context = of_options(context) if options else context
    return await estimate_reading(method, pages, document, context, count_words(" ".join([question, *options])))


def expected_cost(estimate: Estimate, price: Price | None) -> float | None:
    """Expected dollars; None where no call or no price is known."""
    if not price or not estimate.calls.expected:
        return None
    return price.of_words(estimate.input_words.expected, estimate.output_words.expected)
