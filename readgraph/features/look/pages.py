"""The pages of PDFs on which parts of a text stand, and which of them show more than their text."""

import asyncio
import math
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from readgraph.library.library import document_of_file, original_in
from readgraph.library.page_store import PageStore
from readgraph.nodes.beside import ShownPart
from readgraph.sources.loading import read_file
from readgraph.sources.pdf.in_child import pages_with_figures
from readgraph.sources.places import SourcePage, last_page_before, page_starts
from readgraph.state.errors import BadInput
from readgraph.state.records import Document

BLOCK = 50  # pages that are looked at together: most questions of a text need one look
BEFORE = 10  # pages before a block that are looked at with it: the last one may be short, and show what runs on all


class PdfFile(NamedTuple):
    """A PDF as it is now."""

    path: Path
    changed: int
    size: int

    @property
    def digest(self) -> str:
        """The digest of its bytes."""
        return _digest_file(self)

    def shows_more(self, page: int) -> bool:
        """Whether a page, from 1, shows a figure, a chart, a scan or a ruled table; raises `BadInput` for no PDF."""
        return page in _figures_in_block(self, (page - 1) // BLOCK)


@lru_cache(64)
def _digest_file(file: PdfFile) -> str:
    return sha256(file.path.read_bytes()).hexdigest()


@lru_cache(1024)
def _figures_in_block(file: PdfFile, block: int) -> frozenset[int]:
    return frozenset(pages_with_figures(file.path, range(max(1, block * BLOCK + 1 - BEFORE), (block + 1) * BLOCK + 1)))


class Sheet(NamedTuple):
    """A page of a PDF, from 1, on which some text of these parts stands; `place` is its name there."""

    file: PdfFile
    page: int
    parts: tuple[int, ...]
    place: str


async def find_sheets(
    store: PageStore, document: Document, parts: Sequence[ShownPart]
) -> tuple[list[Sheet], list[Document]]:
    """The pages of PDFs on which these parts stand, each once, and the documents whose files are gone or changed.

    Of a text that is known up to a place, no page has what follows that.
    """
    sheets, gone = dict[tuple[Path, int], Sheet](), list[Document]()
    for own, start, end, title in await _members(store, document, parts):
        if own.sessions or not own.places:  # no file of pages; to look for one takes a switch to a thread
            continue
        if not (file := await _file_of(store, own)):
            source = Path(own.source)
            gone += [own] if source.is_absolute() and source.suffix.lower() == ".pdf" else []
            continue
        begins = page_starts(await store.places(own))
        known = last_page_before(begins, end - start) if end - start < own.characters else math.inf
        for part in parts:
            span = max(part.start, start) - start, min(part.end, end) - start
            for number in takewhile(known.__ge__, _pages_in(begins, *span)):
                place = ", ".join(filter(None, [title, SourcePage(number, "").label]))
                before = sheet.parts if (sheet := sheets.get((file.path, number))) else ()
                sheets[file.path, number] = Sheet(file, number, (*before, part.number), place)
    return [*sheets.values()], gone


async def _members(
    store: PageStore, document: Document, parts: Sequence[ShownPart]
) -> list[tuple[Document, int, int, str]]:
    """The documents of which parts are shown, their spans in this one, and their titles where there are several."""
    if not document.parts:
        return [(document, 0, document.characters, "")]
    shown = [each for each in document.parts if any(part.start < each.end and each.start < part.end for part in parts)]
    members = await store.members_of(document, shown)
    return [(own, each.start, each.end, title) for each in shown for own, title in [members[each.document]]]


def _pages_in(begins: Sequence[tuple[int, int]], start: int, end: int) -> Iterator[int]:
    """The pages on which a span stands, of where each begins; with those between and behind that have no text."""
    if start >= end or not begins:
        return
    before = [number for at, number in begins if at <= start]
    named = [*before[-1:], *(number for at, number in begins if start < at < end)]
    behind = next((number for at, number in begins if at >= end), 0)
    if named:
        yield from range(min(named), max(*named, behind - 1, 0) + 1)


async def _file_of(store: PageStore, document: Document) -> PdfFile | None:
    """The file that a document was read from; None where it is gone, or, if no copy is kept, was changed since."""
    if not (file := await asyncio.to_thread(_find_file, store, document)):
        return None
    read = datetime.fromisoformat(document.added).timestamp() if document.added else math.inf
    if file.path == Path(document.source) and file.changed / 1e9 > read:
        try:
            known = await document_of_file(store, await asyncio.to_thread(lambda: read_file(file.path).digest))
        except BadInput:
            return None
        if not known or known.id != document.id:
            return None
    return file


def _find_file(store: PageStore, document: Document) -> PdfFile | None:
    try:
        path = original_in(store.store, document, ".pdf")
        status = path.stat() if path else None
    except OSError:
        return None
    if not (path and status):
        return None
    # Another file that takes its place may be older, as moved and unpacked ones are.
    return PdfFile(path, max(status.st_mtime_ns, status.st_ctime_ns), status.st_size)
