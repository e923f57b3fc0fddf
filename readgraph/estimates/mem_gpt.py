"""What MemGPT will use for a question: function calls until it answers, and summaries of evicted events."""

from readgraph.estimates.arithmetic import Estimate, Range, asks
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document

EXPECTED_CHAIN = 6
PLAIN_STEP = Range(1, 2, 4)
"""Calls to the model for one step in plain words: the function, then each of its arguments."""

PROMPT_WORDS, STEP_REPLY, SUMMARY_REPLY = 2500, 40, 200
"""Expected words of a step's prompt, of its reply, and of a summary."""


async def estimate_mem_gpt(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What MemGPT will use: reading makes no call, and no prompt is longer than the window."""
    if question_words is None or not context.model:
        return Estimate()
    prompt = Range(0, min(PROMPT_WORDS, context.window_words), context.window_words)
    steps = Range(1, min(EXPECTED_CHAIN, context.max_chain), context.max_chain)
    if context.reply_form == "plain":
        steps = steps * PLAIN_STEP
    return asks(steps, prompt, STEP_REPLY) + asks(Range(0, 0, context.max_chain), prompt, SUMMARY_REPLY)
