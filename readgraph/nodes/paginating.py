"""Episode pagination: the model chooses where each page ends (ReadAgent, section 3.1)."""

from collections.abc import AsyncIterator

from langgraph.runtime import Runtime

from readgraph.nodes.asking import ask
from readgraph.nodes.metering import fell_back
from readgraph.nodes.page_ends import candidate_ends, paragraph_ends
from readgraph.nodes.prompts.pause import PausePoint, pause_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.records import Page, PageEnd
from readgraph.state.words import count_words

LAST_PAGE_WORDS = 350
"""A rest of fewer words becomes the last page without a call, as in the reference code."""


async def pages_at_pauses(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncIterator[Page]:
    """Pages that end where the model would pause; after three unusable replies, at the last label offered."""
    context = runtime.context
    number, start = (last.number + 1, last.end) if last else (0, 0)
    ends = paragraph_ends(text, context.paragraph_break) if start < len(text) else []
    while start < len(text):
        offered = candidate_ends(text, ends, start, context.min_page_words, context.max_page_words)
        if offered[-1] == len(text) and count_words(text[start:]) < LAST_PAGE_WORDS:
            end, ended_by = len(text), PAGE_ENDED_BY_REST
        elif len(offered) == 1:
            end, ended_by = offered[0], PAGE_ENDED_BY_RULE
        else:
            end, ended_by = await _pause(text, start, offered, runtime)
        yield Page(number, start, end, count_words(text[start:end]), ended_by)
        number, start = number + 1, end


PAGE_ENDED_BY_REST: PageEnd = "rest"
PAGE_ENDED_BY_RULE: PageEnd = "rule"


async def _pause(text: str, start: int, offered: list[int], runtime: Runtime[ReaderContext]) -> tuple[int, PageEnd]:
    pieces = [text[begin:end] for begin, end in zip([start, *offered], offered, strict=False)]

    def complaint(reply: PausePoint) -> str | None:
        return None if 1 <= reply.label <= len(offered) else f"there is no label {reply.label}"

    try:
        reply = await ask(runtime, pause_prompt(pieces), PausePoint, complaint)
    except NoUsableReply:
        fell_back("pause")
        return offered[-1], "fallback"
    return offered[reply.label - 1], "model"
