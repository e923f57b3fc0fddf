"""`collection`: documents under a name."""

from collections.abc import Sequence
from typing import Any

from readgraph.cli.run.documents import find_document, find_documents
from readgraph.cli.run.stopping import run_until_stopped
from readgraph.cli.terminal.rendering import print_json
from readgraph.cli.terminal.safe_text import Console, Text
from readgraph.state.files.library_address import LibraryPlace
from readgraph.state.kept.named_collections import NamedCollection
from readgraph.state.library import open_library
from readgraph.state.words import counted


def add(name: str, named: Sequence[str], folder: LibraryPlace | None, *, as_json: bool) -> None:
    """Add documents to a collection, and print what it holds."""
    collection = run_until_stopped(_add(name, named, folder))
    if as_json:
        print_json(_value(collection))
        return
    Console().print(Text(f"'{collection.name}' holds {counted(len(collection.documents), 'document')}."))


def remove(name: str, named: Sequence[str], folder: LibraryPlace | None, *, as_json: bool) -> None:
    """Take documents out of a collection, or all, and print which."""
    collection, gone = run_until_stopped(_remove(name, named, folder))
    if as_json:
        print_json({"name": collection.name, "removed": _value(gone)["documents"]})
        return
    left = len(collection.documents) - len(gone.documents)
    if left:
        titles = ", ".join(f"'{document.title}'" for document in gone.documents)
        said = f"Took {titles} out of '{collection.name}', which holds {counted(left, 'document')} now."
    else:
        count = counted(len(gone.documents), "document")
        said = f"Removed the collection '{collection.name}'; the library keeps its {count}."
    Console().print(Text(said))


def show(folder: LibraryPlace | None, *, as_json: bool) -> None:
    """List the collections with their documents."""
    collections = run_until_stopped(_listed(folder))
    if as_json:
        print_json([_value(collection) for collection in collections])
        return
    console = Console()
    if not collections:
        console.print(Text("There are no collections. Make one: readgraph collection add NAME DOCUMENT"))
    for collection in collections:
        console.print(Text(collection.name, style="bold"))
        for document in collection.documents:
            console.print(Text(f"    {document.id}  {document.title}"))


def _value(collection: NamedCollection) -> dict[str, Any]:
    documents = [{"id": document.id, "title": document.title} for document in collection.documents]
    return {"name": collection.name, "documents": documents}


async def _add(name: str, named: Sequence[str], folder: LibraryPlace | None) -> NamedCollection:
    async with open_library(folder) as library:
        documents = await find_documents(library.pages, named)
        return await library.collections.add(name, documents)


async def _remove(
    name: str, named: Sequence[str], folder: LibraryPlace | None
) -> tuple[NamedCollection, NamedCollection]:
    """What the collection was, and what was taken out of it."""
    async with open_library(folder) as library:
        await library.collections.named(name)  # an unknown collection is reported before an unknown document
        documents = [await find_document(library.pages, each) for each in named]
        collection = await library.collections.remove(name, documents or None)
        gone = {document.id for document in documents or collection.documents}
        removed = tuple(document for document in collection.documents if document.id in gone)
        return collection, NamedCollection(collection.name, removed)


async def _listed(folder: LibraryPlace | None) -> list[NamedCollection]:
    async with open_library(folder, only_shows=True) as library:
        return await library.collections.listed()
