"""Find each quote in the document: a citation is a span that is really there."""

import re
from bisect import bisect_right

from langgraph.runtime import Runtime

from readgraph.nodes.contracts import CiteState, CiteUpdate
from readgraph.nodes.metering import fell_back
from readgraph.nodes.step import step
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.reading import Citation, Quote
from readgraph.state.records import Page

_WORD = re.compile(r"[^\W_]+")


@step
async def cite(state: CiteState, runtime: Runtime[ReaderContext]) -> CiteUpdate:
    """Give each quote its page and character span; one that isn't in the document is dropped and counted."""
    if not state["quotes"]:
        return {"citations": [], "did": "nothing was quoted"}
    store = page_store(runtime)
    document = await store.document(state["document"])
    memory = await store.memory(document.id, state["memory"])
    pages = await store.pages(memory.id, range(memory.pages))
    text = await store.text(document)
    found = [locate(quote, text, pages) for quote in state["quotes"]]
    citations = [citation for citation in found if citation]
    unique = list({(citation["start"], citation["end"]): citation for citation in citations}.values())
    if lost := found.count(None):
        fell_back("quote_not_found", lost)
    return {"citations": unique, "did": f"found {len(citations)} of {len(found)} quotes in the text"}


def locate(quote: Quote, text: str, pages: list[Page]) -> Citation | None:
    """The quote's place in the text, or nothing: on the page that it names, else anywhere.

    Exact, else with white space, case and punctuation folded. The citation holds the document's own words and
    the page on which they begin.
    """
    named = next(((page.start, page.end) for page in pages if page.number == quote["page"]), (0, 0))
    wanted = quote["quote"].strip()
    for begin, end in (named, (0, len(text))):
        if span := find_quote(wanted, text, begin, end):
            page = pages[bisect_right([page.start for page in pages], span[0]) - 1] if pages else None
            return {
                "page": page.number if page else 0,
                "quote": text[slice(*span)],
                "start": span[0],
                "end": span[1],
            }
    return None


def find_quote(quote: str, text: str, begin: int, end: int) -> tuple[int, int] | None:
    """Character span of a quote in `text[begin:end]`: exact, else by its words alone."""
    words = _WORD.findall(quote)
    if not words:
        return None
    at = text.find(quote, begin, end)
    if at >= 0:
        return at, at + len(quote)
    folded = re.compile(r"[\W_]*".join(map(re.escape, words)), re.IGNORECASE)
    match = folded.search(text, begin, end)
    return match.span() if match else None
