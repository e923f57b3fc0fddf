"""Keyword search over the documents of a library, each hit with its place and page."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import nan

from readgraph.api.documents import documents_to_search, passages_as_of
from readgraph.api.memories import READ_IT, method_of, newest_first
from readgraph.api.results import Hit
from readgraph.api.up_to import check_named, members_up_to
from readgraph.language.excerpts import excerpt, marks
from readgraph.language.terms import ENGLISH
from readgraph.library.page_store import PageStore
from readgraph.library.search.hits import LEAST_NEAR, fuse_with_meaning
from readgraph.library.search.passages import (
    MEANING,
    MOST_LOCATED,
    PassageHit,
    likely_passages,
    locate_passages,
    search_documents,
)
from readgraph.library.versions import choose_valid
from readgraph.nodes.meaning import Nearness, nearness_of_each
from readgraph.state.errors import BadInput, Forgotten
from readgraph.state.records import Document, Memory


def check_search(query: str, named: Sequence[object], collection: str | None) -> None:
    """Raise `BadInput` for a query without a word, and where both documents and a collection are named."""
    if not any(map(str.isalnum, query)):
        raise BadInput("There is nothing to search for: write a word.")
    check_named("", named, collection)


async def find_hits(
    pages: PageStore,
    query: str,
    named: Sequence[Document],
    collection: str | None,
    most: int,
    as_of: str = "",
    up_to: str = "",
) -> list[Hit]:
    """What `passages` finds, with the page on which each stands."""
    best = await passages(pages, query, named, collection, most, as_of, up_to)
    memories = {passage.document.id: newest_first(await pages.memories(passage.document.id)) for passage in best}
    hits = list[Hit]()
    for passage in best:
        with suppress(Forgotten):
            hits.append(await _hit(pages, passage, query, memories[passage.document.id]))
    return hits


async def passages(
    pages: PageStore,
    query: str,
    named: Sequence[Document],
    collection: str | None,
    most: int,
    as_of: str = "",
    up_to: str = "",
) -> list[PassageHit]:
    """The best passages of these documents, of a named collection, or else of all that the store holds.

    Those that another of them supersedes are left out unless they are named; `as_of`: as they were on this day.
    `up_to`: only those that are named, and of them what stands before the end of this place.
    """
    check_named(up_to, named)
    if named and collection is None:
        documents, likely = [*{document.id: document for document in named}.values()], None
    else:
        documents, _, likely = await documents_to_search(pages, query, collection)
    if not documents and not likely:
        raise BadInput("The library is empty. Read something: ", READ_IT)
    valid = documents if named and not as_of else await choose_valid(pages, documents, as_of)
    valid = await members_up_to(pages, valid, up_to)
    likely = likely.of(valid) if likely else await likely_passages(pages, query, valid)
    near = await nearness_of_each(pages, valid, query)
    if likely:
        by_words = await locate_passages(pages, likely, MOST_LOCATED if near or as_of else most)
    else:
        by_words = await search_documents(pages, valid, query)
    hits = _with_meaning(near, valid, by_words) if near else by_words
    return (await passages_as_of(pages, hits, query, as_of))[:most]


def _with_meaning(
    near: Mapping[str, Nearness], documents: Sequence[Document], by_words: list[PassageHit]
) -> list[PassageHit]:
    """The passages by their words and their meaning together, where vectors of theirs are kept."""
    cosines = {(hit.document.id, hit.start): nan for hit in by_words}
    found = {(hit.document.id, hit.start): hit for hit in by_words}
    for document in documents:
        for (start, end), cosine in near[document.id].each() if document.id in near else ():
            cosines[document.id, start] = cosine
            meant = PassageHit(document, start, end, 0.0, ENGLISH, ())
            found.setdefault((document.id, start), meant)
    every = [*found]
    fused = fuse_with_meaning(
        [(number, found[each].score) for number, each in enumerate(every) if found[each].found_by],
        [cosines[each] for each in every],
    )
    hits = [(found[every[number]], cosines[every[number]], score) for number, score in fused]
    return [
        replace(hit, score=round(score, 4), found_by=(*hit.found_by, *([MEANING] if cosine >= LEAST_NEAR else [])))
        for hit, cosine, score in hits
    ]


async def _hit(pages: PageStore, passage: PassageHit, query: str, memories: Sequence[Memory]) -> Hit:
    """A passage's excerpt, `[start, end)` in the document, and where it is; `marks` are spans in the document too."""
    document = passage.document
    (text,) = await pages.spans(document, [(passage.start, passage.end)])
    spans = marks(text, query, passage.language)
    begin, stop = excerpt(text, spans)
    shown = [(start, end) for start, end in spans if begin <= start and end <= stop]
    first = passage.start + (shown[0][0] if shown else begin)
    (place,) = await pages.place_names(document, [first])
    page = None  # also where the newest memory has not come so far
    if memories:
        cut = await pages.pages(memories[0].id, range(memories[0].pages))
        number = bisect_right([own.start for own in cut], first) - 1
        page = cut[number].number if number >= 0 and first < cut[number].end else None
    return Hit(
        document=document.id,
        title=document.title,
        page=page,
        method=method_of(memories[0]) if page is not None else None,
        place=place,
        start=passage.start + begin,
        end=passage.start + stop,
        score=passage.score,
        found_by=[*passage.found_by],
        text=text[begin:stop],
        marks=[(passage.start + start, passage.start + end) for start, end in shown],
    )
