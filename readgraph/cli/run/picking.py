"""The documents of the library that a question is about, where none is named: retrieval picks them."""

from collections import defaultdict

from readgraph.state.collections import add_collection
from readgraph.state.errors import BadInput
from readgraph.state.library import Library
from readgraph.state.records import Document
from readgraph.state.search.passages import search_documents

MOST_PICKED = 3
"""The most documents that are picked, where the user doesn't say."""

PASSAGES = 3
"""A document counts by this many of its passages, the best ones."""

LEAST_SHARE = 0.5
"""A document is picked if its score is at least this share of the best one's."""


async def picked_documents(library: Library, query: str, most: int) -> list[Document]:
    """The documents whose best passages share most words with the query, the best first.

    A history is read by itself, since a collection can't hold one: it is picked alone, or not at all. Raises `BadInput`
    where the library is empty, or nothing in it shares a word with the query.
    """
    documents = [document for document in await library.pages.documents() if not document.parts]
    if not documents:
        raise BadInput("There is nothing to read: name a file, since the library is empty.")
    scores = defaultdict[str, list[float]](list)
    for passage in await search_documents(library.pages, documents, query):
        scores[passage.document.id].append(passage.score)
    totals = {identity: sum(best[:PASSAGES]) for identity, best in scores.items()}
    if not totals:
        raise BadInput("No document of the library shares a word with the question: name a file, or other words.")
    ranked = sorted((each for each in documents if each.id in totals), key=lambda each: -totals[each.id])
    if ranked[0].sessions:
        return ranked[:1]
    best = totals[ranked[0].id]
    least = min(best, LEAST_SHARE * best)  # in a library of a few lines, scores may be negative
    return [each for each in ranked if not each.sessions and totals[each.id] >= least][:most]


async def picked_document(library: Library, query: str, most: int) -> Document:
    """The picked document, or the collection of those picked."""
    return await add_collection(library.pages, await picked_documents(library, query, most))
