"""What a reading will use, for each method."""

from collections.abc import Awaitable, Callable

from readgraph.estimates.arithmetic import Estimate, may_be_recorded
from readgraph.estimates.baselines import (
    estimate_full_text,
    estimate_recurrent,
    estimate_retrieval,
    estimate_truncated,
)
from readgraph.estimates.checking import checking_answer
from readgraph.estimates.gam import estimate_escalate, estimate_gam, estimate_gist_research
from readgraph.estimates.mem_gpt import estimate_mem_gpt, estimate_reader_agent
from readgraph.estimates.mem_walker import estimate_guided_walk, estimate_mem_walker, estimate_walk_and_read
from readgraph.estimates.outline_walk import estimate_outline_walk
from readgraph.estimates.overwrite_memory import estimate_overwrite_memory
from readgraph.estimates.read_agent import estimate_gists_only, estimate_read_agent, estimate_retrieved_pages
from readgraph.estimates.summary import estimate_summary_row
from readgraph.estimates.survey import estimate_survey
from readgraph.estimates.walk_hybrids import estimate_reflective_walk, estimate_walk_and_research
from readgraph.estimates.web_agent import estimate_web_step
from readgraph.estimates.web_baselines import estimate_web_act, estimate_web_gists
from readgraph.graphs.methods import SUMMARY, Method, OwnMethod, builder_of
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document

__all__ = ["estimate_reading"]

Estimator = Callable[[PageStore, Document, ReaderContext, int | None], Awaitable[Estimate]]

ESTIMATORS: dict[str, Estimator] = {
    "read-agent": estimate_read_agent,
    "mem-walker": estimate_mem_walker,
    "gam": estimate_gam,
    "mem-gpt": estimate_mem_gpt,
    "reader-agent": estimate_reader_agent,
    "survey": estimate_survey,
    "overwrite-memory": estimate_overwrite_memory,
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
    "outline-walk": estimate_outline_walk,
    "walk-and-read": estimate_walk_and_read,
    "walk-and-research": estimate_walk_and_research,
    "reflective-walk": estimate_reflective_walk,
    "escalate": estimate_escalate,
}
"""One estimator for each method (a test compares the names)."""


WEB_ESTIMATORS: dict[str, Estimator] = {
    "web-agent": estimate_web_step,
    "web-gists-only": estimate_web_gists,
    **dict.fromkeys(("web-page", "web-bm25", "web-dense"), estimate_web_act),
}
"""The same for the methods on web pages, where what is asked is one step."""


ROW_ESTIMATORS: dict[str, Estimator] = {SUMMARY.name: estimate_summary_row}
"""The same for what is a row of evaluations only."""


def estimator_of(method: Method, *, asks: bool) -> Estimator:
    """The estimator of a method; one that is not ours has its own, or without a question that of its memory's builder.

    Raises `BadInput` where there is none.
    """
    if own := (ESTIMATORS | WEB_ESTIMATORS | ROW_ESTIMATORS).get(method.name):
        return own
    if isinstance(method, OwnMethod) and method.estimate:
        estimator: Estimator = method.estimate
        return estimator
    if not asks and (builder := builder_of(method)) in ESTIMATORS:
        return ESTIMATORS[builder]
    raise BadInput(f"'{method.name}' has no estimate: leave --estimate out, or write an estimate beside its build.")


async def estimate_reading(
    method: Method, store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What reading the document will use, and answering a question of `question_words` (None: reading only).

    Makes no call. The bounds hold for any model that replies at all, however bad its replies are.
    """
    estimate = await estimator_of(method, asks=question_words is not None)(store, document, context, question_words)
    if question_words is not None:
        estimate += checking_answer(method, document.words, context, question_words)
    if await may_be_recorded(store):
        estimate = estimate.perhaps_none()
    return estimate.within(context.max_calls)
