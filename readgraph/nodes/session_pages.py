"""Pages of sessions: none crosses a session's border (GAM, section 2.2.1)."""

from collections.abc import AsyncGenerator, Sequence
from itertools import pairwise

from langgraph.runtime import Runtime

from readgraph.nodes.paging_parts import Paginate
from readgraph.nodes.plain_pages import even_ends
from readgraph.state.context import ReaderContext
from readgraph.state.records import Page, PageEnd

RULE: PageEnd = "rule"
REST: PageEnd = "rest"


def pages_of_sessions(session_ends: Sequence[int]) -> Paginate:
    """Paging that ends a page where a session ends, and cuts a longer session evenly at paragraphs or turns.

    Without sessions the text is read as one stream. The pages of a session don't depend on what comes behind it, so
    a history that grows keeps all of its pages.
    """

    async def paged(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
        context = runtime.context
        number, read_to = (last.number + 1, last.end) if last else (0, 0)
        for begin, border in pairwise([0, *session_ends] if session_ends else [0, len(text)]):
            session, start = text[begin:border], max(read_to - begin, 0)
            for end, words in even_ends(session, start, context.session_page_words, context.paragraph_break):
                ended_by = RULE if session_ends or end < len(session) else REST
                yield Page(number, begin + start, begin + end, words, ended_by)
                number, start = number + 1, end

    return paged
