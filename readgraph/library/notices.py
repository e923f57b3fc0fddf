"""What the conversion of a file left out or could not have: kept in its document, and told wherever that is used."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from readgraph.library.collections import documents_of
from readgraph.library.documents import names_apart
from readgraph.library.page_store import PageStore
from readgraph.library.stored_items import replace_surrogates
from readgraph.library.versions import change_record
from readgraph.state.records import LONGEST_NOTICE, MOST_NOTICES, Document
from readgraph.state.words import on_one_line

_SEPARATOR = re.compile(r"[/\\]")
HEAD = 100  # characters that are kept of the beginning of a notice that is too long, which names the file


def notices_of(documents: Sequence[Document]) -> list[str]:
    """The notices of documents that are read as one; those of files of one name are told apart by the documents'."""
    counts = Counter(_file_name(document.source) for document in documents)
    told = (
        f"{name}: {line}" if counts[_file_name(each.source)] > 1 else line
        for name, each in zip(names_apart(documents), documents, strict=True)
        for line in each.notices
    )
    return _bound(told)


async def document_notices(pages: PageStore, document: Document) -> list[str]:
    """The notices of a document; of a collection those of its documents."""
    return notices_of(await documents_of(pages, document))


async def keep_notices(pages: PageStore, document: Document, source: str, lines: Sequence[object]) -> Document:
    """Keep what a conversion of this source says; what another source of the same text said stays beside it."""
    others = () if document.source == source else document.notices
    said = [_without_folders(on_one_line(replace_surrogates(str(line))), source) for line in lines]
    kept = tuple(_bound([*others, *said]))
    if kept == document.notices:  # who reads the document meanwhile is not waited for
        return document
    return await change_record(pages, document, notices=kept)


def _bound(lines: Iterable[str]) -> list[str]:
    """The lines, each once, and shortened in its middle if it is long; the last one says how many are not here."""
    told = [*dict.fromkeys(map(_shorten, lines))]
    if len(told) <= MOST_NOTICES:
        return told
    return [*told[: MOST_NOTICES - 1], f"{len(told) - MOST_NOTICES + 1:,} more notices of this kind."]


def _shorten(line: str) -> str:
    return line if len(line) <= LONGEST_NOTICE else f"{line[:HEAD]} … {line[HEAD + 3 - LONGEST_NOTICE :]}"


def _without_folders(line: str, source: str) -> str:
    """A line that names its file without its folders, or its address without what may be secret in it.

    A report that is handed on tells nothing else of this disk.
    """
    if "://" in source:
        address = urlsplit(source)
        return line.replace(source, f"{address.hostname}{address.path}")
    for start in (0, *(match.end() for match in _SEPARATOR.finditer(source))):  # as it was typed, from any folder
        if source[start:] and source[start:] in line:
            return line.replace(source[start:], _file_name(source))
    return line


def _file_name(source: str) -> str:
    return _SEPARATOR.split(source)[-1]
