"""Pages of sessions: none crosses a session's border (GAM, section 2.2.1)."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from itertools import pairwise

from langgraph.runtime import Runtime

from readgraph.nodes.page_ends import candidate_ends, paragraph_ends
from readgraph.nodes.paging_parts import Paginate
from readgraph.state.context import ReaderContext
from readgraph.state.records import Page, PageEnd
from readgraph.state.words import count_words, end_after_words

FEWEST_SHARE = 0.5
"""A page is cut within a paragraph rather than before it has this share of the words that it may have."""

RULE: PageEnd = "rule"
REST: PageEnd = "rest"


def pages_of_sessions(session_ends: Sequence[int]) -> Paginate:
    """Paging that ends a page where a session ends, and cuts a longer session evenly at paragraphs or turns.

    Without sessions the text is read as one stream. The pages of a session don't depend on what comes behind it, so
    a history that grows keeps all of its pages.
    """

    async def paged(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
        number, read_to = (last.number + 1, last.end) if last else (0, 0)
        for begin, border in pairwise([0, *session_ends] if session_ends else [0, len(text)]):
            session, start = text[begin:border], max(read_to - begin, 0)
            for end, words in _cut(session, start, runtime.context):
                ended_by = RULE if session_ends or end < len(session) else REST
                yield Page(number, begin + start, begin + end, words, ended_by)
                number, start = number + 1, end

    return paged


def _cut(session: str, start: int, context: ReaderContext) -> Iterator[tuple[int, int]]:
    """End and words of each page behind an offset: ends of paragraphs that are nearest to an even share of the rest."""
    if start >= len(session):
        return
    most, left = context.session_page_words, count_words(session[start:])
    ends = paragraph_ends(session, context.paragraph_break)
    while start < len(session):
        pages = max(-(-left // most), 1)
        even = end_after_words(session, start, -(-left // pages))
        offered = candidate_ends(session, ends, start, round(FEWEST_SHARE * most), most)
        end = min(offered, key=lambda offset: abs(offset - even)) if pages > 1 else len(session)
        words = count_words(session[start:end])
        yield end, words
        start, left = end, left - words
