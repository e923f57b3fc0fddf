"""The documents of a library by their names, and files that become documents."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from readgraph.sources import SourceText
from readgraph.sources.loading import STANDARD_INPUT, SourceFile
from readgraph.state.errors import BadInput, Damaged, LibraryError, Way
from readgraph.state.kept.converted_files import document_of_file, keep_file
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document
from readgraph.state.search.catalogue import catalogue_of, records
from readgraph.state.store.documents import document_id
from readgraph.tools.titles import suggestion, titled


async def store_source(pages: PageStore, source: SourceText) -> Document:
    """Store a source's text as a document, with the hash of the file it was converted from."""
    places = [(place.start, place.label) for place in source.places]
    file = "" if source.source == STANDARD_INPUT else source.source
    document = await pages.add_document(source.text, title=source.title, source=file, places=places)
    if source.digest:
        await keep_file(pages, source.digest, document)
    return document


async def id_without_conversion(pages: PageStore, file: SourceFile) -> str | None:
    """The id of the document in a file; None where the file must be converted first to know it."""
    if not file.digest:  # its text is the file's own
        return document_id(file.convert().text)
    known = await document_of_file(pages, file.digest)
    return known.id if known else None


async def document_named(
    pages: PageStore, name: str, id_of_file: str | None = None, *, by_part: bool = True
) -> Document:
    """The document with this id, beginning of an id, title or file, or (`by_part`) with this in its title.

    `id_of_file` is the id of the document in the file of this name, if there is such a file; no file is opened here.
    Raises `BadInput` where there is none, or several.
    """
    with suppress(Damaged):  # told below, with its id
        if known := await pages.known_document(name):
            return known
    documents = await possible_documents(pages, name, id_of_file)
    if document := same_name(documents, name, id_of_file):
        return document
    if damaged := await damaged_document(pages, name):
        raise LibraryError(f"The record of document {damaged} is damaged: ", Way.FORGET_IT, ".")
    if by_part and (document := titled(documents, name)):
        return document
    nothing = f"The library holds no document '{name}': "
    raise BadInput(nothing, Way.LIST_DOCUMENTS, f".{suggestion(documents, name)}")


async def possible_documents(pages: PageStore, name: str, id_of_file: str | None = None) -> list[Document]:
    """The documents among which `same_name`, `titled` and `suggestion` find: all, or of very many those that may be."""
    if catalogue := await catalogue_of(pages):
        return await records(pages, await catalogue.named(name, str(Path(name).absolute()), id_of_file))
    return await pages.documents()


async def damaged_document(pages: PageStore, id_start: str) -> str:
    """The id of the one document with a damaged record whose id begins like this; "" where there is none."""
    catalogue = await catalogue_of(pages)
    damaged = await catalogue.damaged() if catalogue else (await pages.listed())[1]
    matches = [identity for identity in damaged if id_start.strip() and identity.startswith(id_start)]
    return matches[0] if len(matches) == 1 else ""


def same_name(documents: Sequence[Document], name: str, id_of_file: str | None = None) -> Document | None:
    """The document with this id, file, title, or beginning of an id; None where there is none."""
    if not name.strip():  # every id begins with the empty string
        return None
    path = str(Path(name).absolute())
    for matches in (
        [document for document in documents if document.id in (name, id_of_file)],
        [document for document in documents if document.source in (path, name)],
        [document for document in documents if document.title.casefold() == name.casefold()],
        [document for document in documents if document.id.startswith(name)],
    ):
        if len(matches) > 1:
            ids = ", ".join(document.id for document in matches)
            raise BadInput(f"'{name}' matches several documents: give the id of one ({ids}).")
        if matches:
            return matches[0]
    return None
