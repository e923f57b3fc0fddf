"""Episode pagination: the model chooses where each page ends (ReadAgent, section 3.1)."""

from collections.abc import AsyncGenerator

from langgraph.runtime import Runtime

from readgraph.models.asking import ask
from readgraph.models.metering import fell_back
from readgraph.models.prompt import Prompt
from readgraph.models.replies.offered_values import offering
from readgraph.nodes.page_ends import candidate_ends, next_end, paragraph_ends
from readgraph.nodes.prompts.building.pages import PausePoint, pause_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.records import Page, PageEnd
from readgraph.state.words import count_words

__all__ = ["pages_at_pauses"]

MODEL: PageEnd = "model"
FALLBACK: PageEnd = "fallback"
RULE: PageEnd = "rule"
REST: PageEnd = "rest"

LAST_PAGE_WORDS = 350
"""If fewer words are left, they become the last page without a call, as in the reference code."""


async def pages_at_pauses(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
    """Pages that end where the model would pause; after three unusable replies, at the last label offered."""
    context = runtime.context
    number, start = (last.number + 1, last.end) if last else (0, 0)
    before = text[last.start : last.end] if last else ""
    ends = paragraph_ends(text, context.paragraph_break) if start < len(text) else []
    while start < len(text):
        offered = candidate_ends(text, ends, start, context.min_page_words, context.max_page_words)
        end, ended_by = offered[0], RULE
        if offered[-1] == len(text) and count_words(text[start:]) < LAST_PAGE_WORDS:
            end, ended_by = len(text), REST
        elif len(offered) > 1:
            pieces = [text[begin:stop] for begin, stop in zip([start, *offered], offered, strict=False)]
            after = text[offered[-1] : next_end(ends, offered[-1])]
            shown = (before if context.show_previous_page else "", after if context.show_next_paragraph else "")
            label = await _pause(runtime, pause_prompt(pieces, *shown), len(offered))
            end, ended_by = (offered[label - 1], MODEL) if label else (offered[-1], FALLBACK)
        yield Page(number, start, end, count_words(text[start:end]), ended_by)
        before = text[start:end]
        number, start = number + 1, end


async def _pause(runtime: Runtime[ReaderContext], prompt: Prompt, labels: int) -> int | None:
    def complaint(reply: PausePoint) -> str | None:
        return None if 1 <= reply.label <= labels else f"there is no label {reply.label}"

    try:
        return (await ask(runtime, prompt, offering(PausePoint, label=range(1, labels + 1)), complaint)).label
    except NoUsableReply:
        fell_back("pause")
        return None
