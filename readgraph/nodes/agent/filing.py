"""File a document for an agent: put its pages, cut by rule or by another reading, in its archival storage."""

from bisect import bisect_left
from typing import cast

from langgraph.runtime import Runtime

from readgraph.nodes.building.build import read_pages
from readgraph.nodes.extractive import pages_by_rule
from readgraph.nodes.not_memorised import sizes_of, told_missing
from readgraph.state.agents import ArchiveEntry, agent_store, local_now
from readgraph.state.channels.living import AgentState
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.records import Document, Note, Page, Recipe
from readgraph.state.words import count_words, first_words

NOTE_WORDS = 12

REACHED_BY = "archival_search searches it, document_open reads a page."
"""How an agent is told to reach a document that was filed."""

MOST_NAMED = 10
"""Most documents of a collection whose titles an agent sees."""


def filing_recipe(context: ReaderContext) -> Recipe:
    """The recipe of a filed document's pages, without a model."""
    parameters = {
        "min_page_words": context.min_page_words,
        "max_page_words": context.max_page_words,
        "paragraph_break": context.paragraph_break,
    }
    return Recipe("mem-gpt", parameters, "")


async def note_beginning(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
    """The page's first words, by which a person can recognise it."""
    beginning = " ".join(first_words(text.strip(), NOTE_WORDS).split())
    return Note(page.number, beginning, count_words(beginning))


file_pages = read_pages(pages_by_rule, note_beginning, filing_recipe)


async def file_document(
    life: AgentState,
    identity: str,
    agent: str,
    runtime: Runtime[ReaderContext],
    kept: str = "",
    reached_by: str = REACHED_BY,
) -> tuple[AgentState, str]:
    """The agent's state with the document in its archive, and its description; a document is filed only once.

    Its pages are those of the memory `kept`; without one they are cut by rule. `reached_by` ends the description.
    """
    document = await page_store(runtime).document(identity)
    known = await agent_store(runtime).entries(agent, [start for start, _ in life["documents"]])
    for number, entry in enumerate(known, 1):
        if entry.document == identity:
            return life, f"{await _described(document, number, entry, runtime)} {reached_by}".rstrip()
    kept = kept or (await file_pages({"document": identity}, runtime))["memory"]
    memory = await page_store(runtime).memory(identity, kept)
    start = life["archive"]
    entry = ArchiveEntry(start, "document", local_now(), document.title or identity, identity, memory.id, memory.pages)
    await agent_store(runtime).put_entry(agent, entry)
    documents = [*life["documents"], [start, memory.pages]]
    grown = cast(AgentState, {**life, "documents": documents, "archive": start + memory.pages})
    return grown, f"{await _described(document, len(documents), entry, runtime)} {reached_by}".rstrip()


async def _described(document: Document, number: int, entry: ArchiveEntry, runtime: Runtime[ReaderContext]) -> str:
    """A document's description for the agent; for a collection, with the pages of each of its documents."""
    store = page_store(runtime)
    description = (
        f"document {number}, '{document.title or document.id}': {document.words:,} words on {_pages(0, entry.pages)}"
    )
    if len(document.parts) > MOST_NAMED:
        description += f"; {len(document.parts)} documents"
    elif document.parts:
        starts = [page.start for page in await store.pages(entry.memory, range(entry.pages))]
        first = [bisect_left(starts, part.start) for part in document.parts]
        titles = [(await store.document(part.document)).title for part in document.parts]
        spans = zip(titles, first, [*first[1:], entry.pages], strict=True)
        description += "".join(f"; '{title}' is {_pages(begin, end)}" for title, begin, end in spans if title)
    if document.sessions:  # it may have grown since it was filed
        ends = [(page.end, document.characters) for page in await store.pages(entry.memory, [entry.pages - 1])]
        told = told_missing(await sizes_of(store, document, ends))
        description += f"; {told}" if told else ""
    return f"{description}."


def _pages(begin: int, end: int) -> str:
    return f"pages {begin} to {end - 1}" if end - begin > 1 else f"page {begin}"
