"""Files that were converted: the hash of a file's bytes finds the document that was made of it."""

from readgraph.state.page_store import PageStore
from readgraph.state.records import Document
from readgraph.state.store.stored_items import ROOT

FILES = (ROOT, "files")
"""Under a file's hash, the id of its document."""


async def document_of_file(pages: PageStore, digest: str) -> Document | None:
    """The document that was made of a file with this hash, if the library still holds it."""
    (value,) = await pages.get(FILES, [digest])
    identity = value.get("document") if value else None
    return await pages.known_document(identity) if isinstance(identity, str) else None


async def keep_file(pages: PageStore, digest: str, document: Document) -> None:
    """Remember which document was made of a file with this hash."""
    await pages.put([(FILES, digest, {"document": document.id})])


async def forget_files(pages: PageStore, document: str) -> None:
    """Forget which files a document was made of."""
    await pages.clear(FILES, {"document": document})
