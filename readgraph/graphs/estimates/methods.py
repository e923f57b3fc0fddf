"""What a reading will use, for each method, before any call is made; and the check of a long answer."""

import math
from collections.abc import Awaitable, Callable

from readgraph.graphs.estimates.arithmetic import (
    QUOTES,
    Estimate,
    Range,
    answer_words,
    estimate_calls,
    frame_words,
    may_be_recorded,
)
from readgraph.graphs.estimates.baselines import (
    estimate_full_text,
    estimate_recurrent,
    estimate_retrieval,
    estimate_truncated,
    estimate_web_act,
    estimate_web_gists,
)
from readgraph.graphs.estimates.gam import estimate_escalate, estimate_gam, estimate_gist_research
from readgraph.graphs.estimates.mem_walker import estimate_guided_walk, estimate_mem_walker, estimate_walk_and_read
from readgraph.graphs.estimates.read_agent import estimate_gists_only, estimate_read_agent, estimate_retrieved_pages
from readgraph.graphs.hybrids.outline_walk import estimate_outline_walk
from readgraph.graphs.hybrids.reflective_walk import estimate_reflective_walk, estimate_walk_and_research
from readgraph.graphs.mem_gpt import estimate_mem_gpt, estimate_reader_agent
from readgraph.graphs.method_facts import settings_of
from readgraph.graphs.methods import SUMMARY, Method, OwnMethod, builder_of
from readgraph.graphs.overwrite_memory import estimate_overwrite_memory
from readgraph.graphs.summary import estimate_summary_row
from readgraph.graphs.survey import estimate_survey
from readgraph.graphs.web_agent import estimate_web_step
from readgraph.library.page_store import PageStore
from readgraph.nodes.answering.ask import set_long
from readgraph.nodes.answering.cite import MOST_CHECKED, MOST_SHOWN, WORDS_SHOWN
from readgraph.nodes.answering.verdicts import MOST_SENTENCES, check_answer_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document

__all__ = ["estimate_reading"]

SENTENCE_WORDS, VERDICT_WORDS = 20, 15
"""Expected words of a sentence, and of what is said of it, with a quote."""

CITES = {"answer_length", "check_sentences"}
"""The settings of a method that checks long answers."""


def estimate_answer_check(method: Method, words: int, context: ReaderContext, question_words: int) -> Estimate:
    """The check of the answer to a question about a text of so many words; nothing where answers are short."""
    wanted = context.model and context.check_sentences and set_long(context)
    if not wanted or not settings_of(method, asks=True) >= CITES:
        return Estimate()
    sentences = math.ceil((answer_words(context) - QUOTES) / SENTENCE_WORDS)
    calls = Range(0, math.ceil(sentences / MOST_SENTENCES), MOST_CHECKED)
    each = min(WORDS_SHOWN * min(sentences, MOST_SENTENCES) / 2, words)
    asked = frame_words(check_answer_prompt("", "", []).words)
    shown = Range(0, each + question_words, MOST_SENTENCES * MOST_SHOWN * words + context.window_words)
    return estimate_calls(calls, (asked + shown).at_most(context.window_words), MOST_SENTENCES * VERDICT_WORDS)


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
        estimate += estimate_answer_check(method, document.words, context, question_words)
    if await may_be_recorded(store):
        estimate = estimate.perhaps_none()
    return estimate.within(context.max_calls)
