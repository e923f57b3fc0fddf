"""What a step of the web agent will use: notes on the parts of the page, a look-up, an action."""

from dataclasses import replace

from readgraph.estimates.arithmetic import (
    NONE,
    Estimate,
    Range,
    asks,
    exactly,
    fixed,
    may_be_recorded,
    unread,
)
from readgraph.estimates.shared import TAG_WORDS
from readgraph.graphs.web_agent import recipe
from readgraph.nodes.building.merging import largest_page
from readgraph.nodes.prompts.style import MOST_NOTE_LINE_WORDS
from readgraph.nodes.prompts.web import web_act_prompt, web_gist_prompt, web_look_up_prompt
from readgraph.nodes.purpose import purpose_of
from readgraph.nodes.web.subtrees import part_ends
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import FEWEST_NOTE_WORDS, Document

__all__ = ["estimate_web_step"]

NOTE_WORDS, LOOK_UP_REPLY, ACT_REPLY = 40, 30, 25
"""Expected words of replies."""

HISTORY_FRAME = 20
"""Words around the history; each action in it has a number besides."""


async def estimate_web_step(
    store: PageStore, document: Document, context: ReaderContext, instruction_words: int | None
) -> Estimate:
    """What one step on a page will use; makes no call.

    `instruction_words`: words of the instruction and of the history; None: notes on the page only. The number of parts
    is known, since they are cut by rule.
    """
    reader = replace(context, model=context.reading_model or context.model)
    left = await unread(store, document, recipe(reader), context)
    begun = left.memory.read_to if left.memory else 0
    sizes = (context.page_depth, context.join_words, largest_page(context))
    new = part_ends(await store.text(document), begun, *sizes)[0] if left.words else []
    notes = len(new) + left.pages
    estimate = _noting(notes, sum(words for _, words in new) + left.paged_words, reader) if reader.model else Estimate()
    if instruction_words is not None and context.model:
        estimate += _stepping(document, notes + left.notes, context, instruction_words)
    if await may_be_recorded(store):
        estimate = estimate.perhaps_none()
    return estimate.within(context.max_calls)


def _noting(notes: int, words: int, context: ReaderContext) -> Estimate:
    if not notes:
        return Estimate()
    prompt = fixed(web_gist_prompt("", context.gist_words, purpose_of(context)).words)
    part = Range(0, words / notes, words) + Range(0, 0, MOST_NOTE_LINE_WORDS)
    return asks(exactly(notes), prompt + part, context.gist_words or NOTE_WORDS)


def _stepping(document: Document, parts: int, context: ReaderContext, instruction_words: int) -> Estimate:
    # No note is longer than its part, except those of very short parts.
    most = document.words + (FEWEST_NOTE_WORDS + TAG_WORDS) * parts
    asked = Range(instruction_words, instruction_words, 2 * instruction_words + HISTORY_FRAME)
    gists = Range(0, (context.gist_words or NOTE_WORDS) * parts, most) + asked
    opened = Range(0, min(context.max_pages, parts) * document.words / max(parts, 1), document.words)
    looking = asks(
        exactly(1) if context.max_pages else NONE,
        fixed(web_look_up_prompt("", "", {}, context.max_pages).words) + gists,
        LOOK_UP_REPLY,
    )
    return looking + asks(exactly(1), fixed(web_act_prompt("", "").words) + gists + opened, ACT_REPLY)
