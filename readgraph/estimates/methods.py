"""What a reading will use, for each method."""

from collections.abc import Awaitable, Callable

from readgraph.estimates.arithmetic import Estimate, may_be_recorded
from readgraph.estimates.baselines import (
    estimate_full_text,
    estimate_recurrent,
    estimate_retrieval,
    estimate_truncated,
)
from readgraph.estimates.gam import estimate_escalate, estimate_gam, estimate_gist_research
from readgraph.estimates.mem_gpt import estimate_mem_gpt
from readgraph.estimates.mem_walker import estimate_guided_walk, estimate_mem_walker, estimate_walk_and_read
from readgraph.estimates.read_agent import estimate_gists_only, estimate_read_agent, estimate_retrieved_pages
from readgraph.estimates.walk_hybrids import estimate_reflective_walk, estimate_walk_and_research
from readgraph.graphs.methods import Method
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document

Estimator = Callable[[PageStore, Document, ReaderContext, int | None], Awaitable[Estimate]]

ESTIMATORS: dict[str, Estimator] = {
    "read-agent": estimate_read_agent,
    "mem-walker": estimate_mem_walker,
    "gam": estimate_gam,
    "mem-gpt": estimate_mem_gpt,
    "retrieved-pages": estimate_retrieved_pages,
    "gists-only": estimate_gists_only,
    "recurrent": estimate_recurrent,
    "bm25": estimate_retrieval,
    "dense": estimate_retrieval,  # embedding calls are not counted
    "fused": estimate_retrieval,
    "full-text": estimate_full_text,
    "first-words": estimate_truncated,
    "last-words": estimate_truncated,
    "gist-research": estimate_gist_research,
    "guided-walk": estimate_guided_walk,
    "walk-and-read": estimate_walk_and_read,
    "walk-and-research": estimate_walk_and_research,
    "reflective-walk": estimate_reflective_walk,
    "escalate": estimate_escalate,
}
"""One estimator for each method (a test compares the names)."""


async def estimate_reading(
    method: Method, store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What reading the document will use, and answering a question of `question_words` (None: reading only).

    Makes no call. The bounds hold for any model that replies at all, however bad its replies are.
    """
    estimate = await ESTIMATORS[method.name](store, document, context, question_words)
    if await may_be_recorded(store):
        estimate = estimate.perhaps_none()
    return estimate.within(context.max_calls)
