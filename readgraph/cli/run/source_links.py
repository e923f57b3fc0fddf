"""Where the sources of documents can be opened from a report: their addresses, or paths from the report's folder."""

import os
import re
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit

from readgraph.sources.addresses import Address, file_or_address
from readgraph.sources.loading import read_file
from readgraph.state.errors import BadInput
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document
from readgraph.tools.documents import id_without_conversion

_SECRET = re.compile(r"token|sig|key|secret|auth|credential|passw", re.IGNORECASE)


async def source_links(store: PageStore, document: Document, report: Path) -> dict[str, str]:
    """Links for a report in this file, by the ids of the document or of those that it joins; without those that fail.

    A file is linked where it is on this disk and still has the bytes that were read, by its path from the report's
    folder, so that the link says no more of this disk than it must; a file elsewhere, which only a path through the
    disk's root or all homes would reach, isn't linked. Nor is an address with a user, a password, or a key or token in
    its query.
    """
    named = [part.document for part in document.parts] or [document.id]
    links = dict[str, str]()
    for identity in named:
        source = await store.document(identity)
        if link := await _link(store, source, report):
            links[identity] = link
    return links


async def _link(store: PageStore, document: Document, report: Path) -> str:
    """A document's link; "" where there is nothing to open."""
    path = file_or_address(document.source)
    if isinstance(path, Address):
        return "" if _holds_secrets(document.source) else document.source
    if not path.is_absolute() or not await _still_holds(store, path, document):
        return ""
    try:
        file, folder = path.resolve(), report.resolve().parent
        if Path(os.path.commonpath([file, folder])) in Path.home().parents:
            return ""  # the way there would name the folders of this disk
        relative = os.path.relpath(file, folder)
    except (OSError, ValueError):  # on Windows, another drive
        return ""
    return quote(Path(relative).as_posix())


def _holds_secrets(address: str) -> bool:
    """Whether an address has a user, or a key in its query; so does one that can't be read."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return True
    return "@" in parts.netloc or any(
        _SECRET.search(name) for name, _ in parse_qsl(parts.query, keep_blank_values=True)
    )


async def _still_holds(store: PageStore, path: Path, document: Document) -> bool:
    """Whether a file has the bytes that the document was made of."""
    if not path.is_file():
        return False
    try:
        return await id_without_conversion(store, read_file(path)) == document.id
    except BadInput:
        return False
