"""What an agent's tools find in what was put away: kept tool results, and messages that left the window."""

from collections.abc import Sequence
from dataclasses import replace

from readgraph.nodes.not_memorised import told_missing
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.histories import history
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document
from readgraph.state.search.passages import Passage
from readgraph.state.words import LONGEST_WORD, end_after_words
from readgraph.tools.finding import passages
from readgraph.tools.functions import research

MOST_PASSAGES = 5
"""Passages that a look-up shows."""


async def looked_up(pages: PageStore, identity: str, query: str, start: int, words: int) -> str:
    """What a kept document says on a query, word for word; without a query, its text from an offset on."""
    document = await pages.known_document(identity.strip())
    if document is None:
        raise BadInput(f"There is no document {identity}: give the id that stands in the place of a result.")
    if query.strip():
        found = await passages(pages, query, [document], None, MOST_PASSAGES)
        return await _passages_told(pages, document, found, query)
    start = min(max(start, 0), document.characters)
    text = await _stretch(pages, document, start, words)
    end = start + len(text)
    on = f" Go on with start={end}." if end < document.characters else ""
    return f"Characters {start} to {end} of {document.characters}:{on}\n{text}"


async def _stretch(pages: PageStore, document: Document, start: int, words: int) -> str:
    """The first words of a document from an offset on."""
    reach = min(document.characters, start + words * (LONGEST_WORD + 1))
    (text,) = await pages.spans(document, [(start, reach)])
    return text[: end_after_words(text, 0, words)]


async def _passages_told(pages: PageStore, document: Document, found: Sequence[Passage], query: str) -> str:
    if not found:
        return f"No passage shares a word with '{query}': use other words, or leave the query out to read it."
    in_order = sorted(found, key=lambda passage: passage.start)
    texts = await pages.spans(document, [(passage.start, passage.end) for passage in in_order])
    return "\n\n".join(f"[start={passage.start}] {text}" for passage, text in zip(in_order, texts, strict=True))


async def recalled(pages: PageStore, name: str | None, question: str, context: ReaderContext) -> str:
    """What GAM's research finds on a question among the messages that left the window."""
    document = await history(pages, name) if name else None
    if document is None:
        return "Nothing has left this conversation: all of it is in view."
    found = await research(pages.store, question, document=document.id, context=replace(context, evidence="snippets"))
    told = found.context or f"Nothing was found on this among earlier messages: {question}"
    missing = told_missing(found.not_memorised)
    return f"{told}\n\n{missing}." if missing else told
