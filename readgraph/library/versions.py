"""Documents have a date, and one may supersede another: which of them hold now, and which did on a day."""

import json
import os
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from readgraph.language.calendars import check_date
from readgraph.library.documents import document_item, source_note
from readgraph.library.page_store import PageStore
from readgraph.library.search.catalogue import WITH_LATER, catalogue_of, records
from readgraph.library.store import hold_build_lock
from readgraph.library.stored_items import EVERY, ROOT, StoredValue
from readgraph.state.errors import BadInput, LibraryError
from readgraph.state.records import Document

__all__ = ["set_version"]


async def earlier_versions(pages: PageStore, document: Document) -> AsyncIterator[Document]:
    """The documents in whose place one stands, the latest first, as far as the library holds them."""
    seen = {document.id}
    while (
        document.supersedes
        and document.supersedes not in seen
        and (documents := await records(pages, [document.supersedes]))
    ):
        (document,) = documents
        seen.add(document.id)
        yield document


async def latest_version(pages: PageStore, document: Document) -> Document | None:
    """What stands in place of a document now, at the end of the chain; None where nothing does."""
    if catalogue := await catalogue_of(pages):
        chain = WITH_LATER.format("SELECT ?")
        ids = await catalogue.run(lambda connection: connection.execute(chain, (document.id,)).fetchall())
        documents = await records(pages, [identity for (identity,) in ids])
    else:
        documents = await pages.documents()
    later, seen, latest = {each.supersedes: each for each in documents if each.supersedes}, {document.id}, None
    while (found := later.get((latest or document).id)) and found.id not in seen:
        seen.add(found.id)
        latest = found
    return latest


async def choose_valid(pages: PageStore, documents: Iterable[Document], as_of: str = "") -> list[Document]:
    """Those that hold on a day, by default now: none with a later date, and none that another of them supersedes.

    A document without a date holds on every day. Raises `BadInput` for a day that is none.
    """
    if as_of:
        check_date(as_of, "The day")
    there = [document for document in documents if not as_of or f"{document.date}-01-01"[:10] <= f"{as_of}-99-99"[:10]]
    held, old = {each.id for each in there}, {each.supersedes for each in there}
    for document in there:
        if document.supersedes not in held:  # it may stand in place of others through one that is not here
            old |= {earlier.id async for earlier in earlier_versions(pages, document)}
    return [document for document in there if document.id not in old]


async def set_version(pages: PageStore, document: Document, date: str = "", supersedes: str = "") -> Document:
    """Keep a document's date, and the id of the one that it supersedes.

    Args:
        pages: The page store of the library.
        document: A single document: no history, and no collection.
        date: YYYY-MM-DD, YYYY-MM or YYYY; "" leaves what is kept.
        supersedes: The id of the earlier document; "" leaves what is kept.

    Returns:
        The document as it is kept now.

    Raises:
        BadInput: For what is no date, for an id that the library lacks, and where a document would supersede itself, in
            one step or several.
    """
    if document.sessions or document.parts:
        raise BadInput(f"'{document.title}' is no single document: its parts have their own dates.")
    if supersedes:
        earlier = await pages.document(supersedes)
        if document.id in {earlier.id, *[version.id async for version in earlier_versions(pages, earlier)]}:
            raise BadInput(f"'{document.title or document.id}' would supersede itself: name an earlier document.")
    given = {"date": check_date(date) if date else "", "supersedes": supersedes}
    return await change_record(pages, document, **{name: value for name, value in given.items() if value})


async def change_record(pages: PageStore, document: Document, **changes: Any) -> Document:
    """Keep these changes of a document's record, and by which source it is found; returns it as it is kept now."""
    async with hold_build_lock(pages.store, document.id):
        kept = await pages.document(document.id)
        changed = replace(kept, **changes)
        if changed != kept:
            moved = kept.source != changed.source
            dropped: list[StoredValue] = [(space, key, None) for space, key, _ in source_note(kept) if moved]
            await pages.put([*dropped, *source_note(changed), document_item(changed)])
    return changed


async def skip_version(pages: PageStore, document: Document) -> None:
    """Let what supersedes a document, which is being forgotten, stand in place of the one before it."""
    for item in await pages.search((ROOT, "documents"), EVERY, {"supersedes": document.id}):
        await pages.put([((ROOT, "documents"), item.key, {**item.value, "supersedes": document.supersedes})])


async def put_in_place(pages: PageStore, document: Document) -> None:
    """Let a file's text stand in place of the one that the file had before; of a text that came back too."""
    others = await pages.other_versions(document)
    if document.supersedes in {each.id for each in others} and all(each.supersedes != document.id for each in others):
        return
    await skip_version(pages, document)
    others = await pages.other_versions(document)
    superseded = {each.supersedes for each in others}
    if before := next((each for each in others if each.id not in superseded), None):
        await set_version(pages, document, supersedes=before.id)


MOST_LOOKED_UP = 200  # documents of a large library whose versions are looked up one by one


async def replaced_by(pages: PageStore, documents: Sequence[Document]) -> dict[str, Document]:
    """Of these documents those in whose place another stands now, by their ids, each with that one.

    One stands in place of what it supersedes, and of an earlier text of its file that nothing supersedes.
    """
    catalogue = await catalogue_of(pages) if len(documents) <= MOST_LOOKED_UP else None
    newest = dict[str, Document]()
    if catalogue:
        among = "SELECT supersedes FROM documents WHERE supersedes IN (SELECT value FROM json_each(?))"
        ids = json.dumps([document.id for document in documents])
        superseded = {one for (one,) in await catalogue.run(lambda opened: opened.execute(among, (ids,)).fetchall())}
    else:
        kept = await pages.documents()
        superseded, newest = {each.supersedes for each in kept}, {each.source: each for each in reversed(kept)}
    found = dict[str, Document]()
    for document in documents:
        latest = await latest_version(pages, document) if document.id in superseded else None
        if latest is None and document.source and not document.supersedes:
            of_file = await pages.documents_from(document.source) if catalogue else [newest.get(document.source)]
            latest = of_file[0] if of_file else None
        if latest and latest.id != document.id:
            found[document.id] = latest
    return found


async def follow_file(pages: PageStore, document: Document, source: str) -> Document:
    """The document with the place at which its file was read now, if there is none any more where it was."""
    old = document.source
    if old != source and os.path.isabs(source) and os.path.isabs(old) and not os.path.lexists(old):
        with suppress(LibraryError):  # a library that can't be written stays as it is
            return await move_document(pages, document, source)
    return document


async def move_document(pages: PageStore, document: Document, source: str) -> Document:
    """Keep that a document's file has another place now; a title that was the file's name follows it."""
    old, new = PurePath(document.source).stem, PurePath(source).stem
    return await change_record(pages, document, source=source, title=new if document.title == old else document.title)


async def cite_as(pages: PageStore, document: Document, title: str, date: str) -> Document:
    """Keep the title and the date, where there is one, under which a bibliography cites a document."""
    return await change_record(pages, document, title=title, **({"date": date} if date else {}))
