"""Pages of sessions: none crosses a session's border (GAM, section 2.2.1)."""

from collections.abc import AsyncGenerator, Sequence
from itertools import pairwise

from langgraph.runtime import Runtime

from readgraph.nodes.page_ends import candidate_ends, paragraph_ends
from readgraph.nodes.paging_parts import Paginate
from readgraph.state.context import ReaderContext
from readgraph.state.records import Page, PageEnd
from readgraph.state.words import count_words

FEWEST_SHARE = 0.5
"""A page is cut within a paragraph rather than before it has this share of the words that it may have."""

RULE: PageEnd = "rule"
REST: PageEnd = "rest"


def pages_of_sessions(session_ends: Sequence[int]) -> Paginate:
    """Paging that ends a page where a session ends, and a longer session at paragraphs or turns, as late as it may.

    Without sessions the text is read as one stream. The pages of a session don't depend on what comes behind it, so
    a history that grows keeps all of its pages.
    """

    async def paged(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
        context, most = runtime.context, runtime.context.session_page_words
        number, read_to = (last.number + 1, last.end) if last else (0, 0)
        for begin, border in pairwise([0, *session_ends] if session_ends else [0, len(text)]):
            session, start = text[begin:border], max(read_to - begin, 0)
            ends = paragraph_ends(session, context.paragraph_break) if start < len(session) else []
            while start < len(session):
                end = candidate_ends(session, ends, start, round(FEWEST_SHARE * most), most)[-1]
                ended_by = RULE if session_ends or end < len(session) else REST
                yield Page(number, begin + start, begin + end, count_words(session[start:end]), ended_by)
                number, start = number + 1, end

    return paged
