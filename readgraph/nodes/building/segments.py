"""Segments: pages of nearly the same size, cut without a model (MemWalker, section 3)."""

from collections.abc import AsyncGenerator, Iterator

from langgraph.runtime import Runtime

from readgraph.nodes.page_ends import candidate_ends, paragraph_ends
from readgraph.state.context import ReaderContext
from readgraph.state.records import Page
from readgraph.state.words import count_words, end_after_words

NEAR = 0.25
"""A segment's size deviates at most by this share from the setting; the last segment of a text may be smaller."""


def fewest_and_most(context: ReaderContext) -> tuple[int, int]:
    """The fewest and the most words of a segment; the last one of a text may have fewer."""
    wanted = context.segment_words
    return max(1, round(wanted * (1 - NEAR))), round(wanted * (1 + NEAR))


async def segments(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
    """Segments that end with the paragraph nearest to the context's size, or with the text if its end is near."""
    for page in segments_after(last, text, runtime.context):
        yield page


def segments_after(last: Page | None, text: str, context: ReaderContext) -> Iterator[Page]:
    """The segments of a text that follow an existing one, or all of them."""
    fewest, most = fewest_and_most(context)
    number, start = (last.number + 1, last.end) if last else (0, 0)
    ends = paragraph_ends(text, context.paragraph_break) if start < len(text) else []
    while start < len(text):
        offered = candidate_ends(text, ends, start, fewest, most)
        size = end_after_words(text, start, context.segment_words)
        end = offered[-1] if offered[-1] == len(text) else min(offered, key=lambda offset: abs(offset - size))
        yield Page(number, start, end, count_words(text[start:end]), "rest" if end == len(text) else "rule")
        number, start = number + 1, end
