"""ReadAgent's paging as its settings say: at pauses that the model chooses, or evenly (ReadAgent, table 5)."""

from collections.abc import AsyncGenerator

from langgraph.runtime import Runtime

from readgraph.nodes.building.even_pages import even_pages
from readgraph.nodes.building.pauses import pages_at_pauses
from readgraph.state.context import ReaderContext
from readgraph.state.records import Page


def even_page_words(context: ReaderContext) -> int:
    """Most words of an even page: halfway between the least and the most of pages that end at pauses."""
    return (context.min_page_words + context.max_page_words) // 2


pages_of_even_length = even_pages(even_page_words)


def pages_as_set(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
    """Pages that end at pauses, or pages of about the same length on average, which need no call."""
    paginate = pages_of_even_length if runtime.context.paging == "even" else pages_at_pauses
    return paginate(text, last, runtime)
