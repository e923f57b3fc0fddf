"""LangChain's documents as documents of a library."""

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from langchain_core.documents import Document as Given
from langgraph.store.base import BaseStore

from readgraph.api.functions import pages_of
from readgraph.library.library import Library
from readgraph.sources.places import Place as SourcePlace
from readgraph.sources.places import SourcePage, order_places
from readgraph.state.errors import BadInput
from readgraph.state.records import Document

BETWEEN = "\n\n"


async def add_documents(library: Library | BaseStore, documents: Iterable[Given], *, title: str = "") -> list[Document]:
    """Store LangChain documents; those of one `source` in their metadata are one text, in the given order.

    A document without a source is a text by itself. Places come from the metadata `page` (from 0, as loaders count)
    and `page_label`. Where a splitter left `start_index`, what a chunk repeats of the one before it is left out.

    Args:
        library: The library, or a plain LangGraph store.
        documents: LangChain's documents.
        title: The title; by default that of the metadata, or the file's name.

    Returns:
        The stored documents, one for each source.

    Raises:
        BadInput: Where there is no text.
    """
    pages, stored = pages_of(library), list[Document]()
    by_source: dict[object, list[Given]] = {}
    for number, document in enumerate(documents):
        if not isinstance(document, Given):
            raise BadInput(f"A {type(document).__name__} is no LangChain document: give those of a loader or splitter.")
        if document.page_content.strip():
            by_source.setdefault(document.metadata.get("source") or number, []).append(document)
    if not by_source:
        raise BadInput("There is nothing to add: the documents have no text.")
    for named_source, of_source in by_source.items():
        source = named_source if isinstance(named_source, str) else ""
        text, places = _join_source(of_source)
        named = title or str(of_source[0].metadata.get("title") or PurePath(source).name)
        labels = [(place.start, place.label) for place in places]
        stored.append(await pages.add_document(text, title=named, source=source, places=labels))
    return stored


def _join_source(documents: Sequence[Given]) -> tuple[str, Sequence[SourcePlace]]:
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
            printed = document.metadata.get("page_label")
            label = "" if printed in (None, "", str(at + 1)) else str(printed)
            places.append(SourcePlace(len(text), SourcePage(at + 1, label).label))
        text, page = text + new, at
        end = start + len(document.page_content) if isinstance(start, int) else 0
    return text, order_places(places)
