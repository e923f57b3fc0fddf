"""Pages and their ranking without a model."""

from collections.abc import AsyncGenerator

from langgraph.runtime import Runtime

from readgraph.nodes.contracts import AskedState
from readgraph.nodes.extractive.question import query_of
from readgraph.nodes.memory_view import remembered
from readgraph.nodes.page_ends import HEADING, candidate_ends, paragraph_ends
from readgraph.nodes.search_tools import OkapiTool
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.records import Page
from readgraph.state.words import count_words


async def pages_by_rule(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
    """Pages that end before a heading if there is one in range, else as late as allowed."""
    context = runtime.context
    number, start = (last.number + 1, last.end) if last else (0, 0)
    ends = paragraph_ends(text, context.paragraph_break) if start < len(text) else []
    while start < len(text):
        offered = candidate_ends(text, ends, start, context.min_page_words, context.max_page_words)
        headed = [end for end in offered if end == len(text) or HEADING.match(text, end)]
        end = (headed or offered)[-1]
        yield Page(number, start, end, count_words(text[start:end]), "rest" if end == len(text) else "rule")
        number, start = number + 1, end


async def ranked_pages(state: AskedState, runtime: Runtime[ReaderContext]) -> list[tuple[int, float]]:
    """(number, score) of the memory's pages that share a word with the question, best first."""
    document, memory = await remembered(runtime, state["document"], state["memory"])
    return await OkapiTool(page_store(runtime), document, memory).scored(query_of(state))
