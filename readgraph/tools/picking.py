"""The documents of the library that a question is about, where none is named: retrieval picks them."""

import re
from collections import defaultdict
from typing import NamedTuple

from readgraph.state.errors import BadInput, Way
from readgraph.state.kept.collections import add_collection
from readgraph.state.kept.named_collections import NamedCollections
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document
from readgraph.state.search.likely import likely_documents
from readgraph.state.search.passages import search_documents
from readgraph.state.search.stop_words import stop_words
from readgraph.state.text.language import language_of

MOST_PICKED = 3
"""The most documents that are picked, where the user doesn't say."""

PASSAGES = 3
"""A document counts by this many of its passages, the best ones."""

LEAST_SHARE = 0.5
"""A document is picked if its score is at least this share of the best one's."""


class Choice(NamedTuple):
    """Among which documents retrieval picks: those of a named collection, else all; and how many at most."""

    most: int | None = None
    collection: str | None = None

    def check(self, *, open_to_choice: bool) -> None:
        """Raise `BadInput` where something is chosen and documents are named already."""
        if self.most is not None and not open_to_choice:
            raise BadInput("--documents is for a question to the whole library: leave it out, or name no file.")
        if self.collection is not None and not open_to_choice:
            raise BadInput("--collection names the documents to choose from: leave it out, or name no file.")


WHOLE_LIBRARY = Choice()


async def picked_documents(pages: PageStore, query: str, choice: Choice) -> list[Document]:
    """The documents whose best passages share most words with the query, the best first.

    A history is read by itself, since a collection can't hold one: it is picked alone, or not at all. Raises `BadInput`
    where the library is empty, or nothing in it shares a word with the query.
    """
    content, counted = _content_of(query), None
    if choice.collection is None and (likely := await likely_documents(pages, content)):
        documents, held, counted = likely.documents, "the library", likely.counted
    else:
        documents, held = await _choosable(pages, choice.collection)
        if not documents:
            raise BadInput("There is nothing to read: ", Way.ADD_ONE, " since the library is empty.")
    scores = defaultdict[str, list[float]](list)
    for passage in await search_documents(pages, documents, content, counted):
        scores[passage.document.id].append(passage.score)
    totals = {identity: sum(best[:PASSAGES]) for identity, best in scores.items()}
    if not totals:
        raise BadInput(f"No document of {held} shares a word with the question: ", Way.NAME_ONE, ", or other words.")
    ranked = sorted((each for each in documents if each.id in totals), key=lambda each: -totals[each.id])
    if ranked[0].sessions:
        return ranked[:1]
    best = totals[ranked[0].id]
    least = min(best, LEAST_SHARE * best)  # in a library of a few lines, scores may be negative
    return [each for each in ranked if not each.sessions and totals[each.id] >= least][: choice.most or MOST_PICKED]


def _content_of(query: str) -> str:
    """The query without its language's stop words: in texts of another language they are rare, and would count most."""
    stopped = stop_words(language_of(query))
    content = re.sub(r"\w+", lambda word: "" if word[0].casefold() in stopped else word[0], query)
    return content if re.search(r"\w", content) else query


async def _choosable(pages: PageStore, collection: str | None) -> tuple[list[Document], str]:
    """The documents to choose from, and what holds them."""
    if collection is None:
        return [document for document in await pages.documents() if not document.parts], "the library"
    named = await NamedCollections(pages).named(collection)
    return [*named.documents], f"the collection '{named.name}'"


async def picked_document(pages: PageStore, query: str, choice: Choice) -> Document:
    """The picked document, or the collection of those picked."""
    return await add_collection(pages, await picked_documents(pages, query, choice))
