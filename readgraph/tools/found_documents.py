"""LangChain documents, as loaders and splitters give them, become documents of a library."""

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from langchain_core.documents import Document as Given
from langgraph.store.base import BaseStore

from readgraph.sources.places import Place as SourcePlace
from readgraph.sources.places import SourcePage, ordered
from readgraph.state.errors import BadInput
from readgraph.state.opened import Library
from readgraph.state.records import Document
from readgraph.tools.functions import pages_of

BETWEEN = "\n\n"
"""Between the texts of one source."""


async def add_documents(library: Library | BaseStore, documents: Iterable[Given], *, title: str = "") -> list[Document]:
    """Store LangChain documents; those of one `source` in their metadata are one text, in the given order.

    A document without a source is a text by itself. Places come from the metadata `page` (from 0, as loaders count)
    and `page_label`. Where a splitter left `start_index`, what a chunk repeats of the one before it is left out. The
    title is `title`, else that of the metadata, else the file's name. Raises `BadInput` where there is no text.
    """
    pages, stored = pages_of(library), list[Document]()
    for source, of_source in _by_source(documents):
        text, places = _joined(of_source)
        named = title or str(of_source[0].metadata.get("title") or PurePath(source).name)
        labels = [(place.start, place.label) for place in places]
        stored.append(await pages.add_document(text, title=named, source=source, places=labels))
    return stored


def _by_source(documents: Iterable[Given]) -> list[tuple[str, list[Given]]]:
    found: dict[object, list[Given]] = {}
    for number, document in enumerate(documents):
        if not isinstance(document, Given):
            raise BadInput(f"A {type(document).__name__} is no LangChain document: give those of a loader or splitter.")
        if document.page_content.strip():
            found.setdefault(document.metadata.get("source") or number, []).append(document)
    if not found:
        raise BadInput("There is nothing to add: the documents have no text.")
    return [(source if isinstance(source, str) else "", group) for source, group in found.items()]


def _joined(documents: Sequence[Given]) -> tuple[str, Sequence[SourcePlace]]:
    """The text of one source, and its pages as places."""
    text, places, end = "", list[SourcePlace](), 0
    page: object = None
    for document in documents:
        start, at = document.metadata.get("start_index"), document.metadata.get("page")
        new = document.page_content
        if isinstance(start, int) and at == page and start < end and text.endswith(new[: end - start]):
            new = new[end - start :]
        elif text:
            text += BETWEEN
        if isinstance(at, int) and at != page:
            places.append(SourcePlace(len(text), _label(at, document.metadata.get("page_label"))))
        text, page = text + new, at
        end = start + len(document.page_content) if isinstance(start, int) else 0
    return text, ordered(places)


def _label(page: int, printed: object) -> str:
    number = page + 1
    return SourcePage(number, "" if printed in (None, "", str(number)) else str(printed)).label
