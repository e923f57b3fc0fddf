"""Documents have a date, and one may supersede another: which of them hold now, and which did on a day."""

import re
from collections.abc import Iterable
from dataclasses import asdict, replace

from readgraph.library.documents import source_note
from readgraph.library.page_store import PageStore
from readgraph.library.store import hold_build_lock
from readgraph.library.stored_items import ROOT
from readgraph.state.errors import BadInput
from readgraph.state.records import Document

__all__ = ["set_version"]

_DATE = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?")


def check_date(given: str, what: str = "The date") -> str:
    """A date as it is kept: YYYY-MM-DD, YYYY-MM or YYYY; raises `BadInput` for anything else."""
    if not isinstance(given, str) or not _DATE.fullmatch(given.strip()):
        raise BadInput(f"{what} '{given}' can't be read: write YYYY-MM-DD, such as 2024-03-01, or YYYY-MM, or YYYY.")
    return given.strip()


def find_date(text: str) -> str:
    """The date with which a text of a file's own data begins; "" where it is none."""
    found = re.match(rf"{_DATE.pattern}(?!\d)", text.strip())
    return found.group() if found else ""


def choose_valid(documents: Iterable[Document], as_of: str = "") -> list[Document]:
    """Those that hold on a day, by default now: none with a later date, and none that another of them supersedes.

    A document without a date holds on every day. Raises `BadInput` for a day that is none.
    """
    if as_of:
        check_date(as_of, "The day")
    there = [each for each in documents if not as_of or f"{each.date}-01-01"[:10] <= f"{as_of}-99-99"[:10]]
    old = {each.supersedes for each in there}
    return [each for each in there if each.id not in old]


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
        BadInput: For what is no date, and where a document would supersede itself, in one step or several.
    """
    if document.sessions or document.parts:
        raise BadInput(f"'{document.title}' is no single document: its parts have their own dates.")
    earlier = supersedes
    while earlier:
        if earlier == document.id:
            raise BadInput(f"'{document.title or document.id}' would supersede itself: name an earlier document.")
        known = await pages.find_document(earlier)
        earlier = known.supersedes if known else ""
    async with hold_build_lock(pages.store, document.id):
        kept = await pages.document(document.id)
        date = check_date(date) if date else kept.date
        changed = replace(kept, date=date, supersedes=supersedes or kept.supersedes)
        if changed != kept:
            await pages.put([*source_note(changed), ((ROOT, "documents"), changed.id, asdict(changed))])
    return changed


async def skip_version(pages: PageStore, document: Document) -> None:
    """Let what supersedes a document, which is being forgotten, stand in place of the one before it."""
    for later in await pages.documents():
        if later.supersedes == document.id:
            await pages.put([((ROOT, "documents"), later.id, asdict(replace(later, supersedes=document.supersedes)))])
