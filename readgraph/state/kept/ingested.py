"""What a compression engine was given to keep: the documents, with the memories that it made of them."""

from dataclasses import asdict, dataclass

from readgraph.state.page_store import PageStore
from readgraph.state.store.sound import Id, sound
from readgraph.state.store.stored_items import EVERY, ROOT

INGESTED = (ROOT, "ingested")
"""Under an engine's id and a document's, an `Ingested`."""


@dataclass(frozen=True, slots=True)
class Ingested:
    """A document that an engine keeps, and its memory."""

    document: Id
    memory: Id


async def keep_ingested(pages: PageStore, engine: str, ingested: Ingested) -> None:
    """Remember that an engine keeps a document; a later memory replaces an earlier one."""
    await pages.put([((*INGESTED, engine), ingested.document, asdict(ingested))])


async def ingested_by(pages: PageStore, engine: str) -> list[Ingested]:
    """What an engine keeps, in a stable order."""
    items = await pages.search((*INGESTED, engine), EVERY)
    return sorted(sound(Ingested, [item.value for item in items]), key=lambda ingested: ingested.document)


async def forget_ingested(pages: PageStore, document: str) -> None:
    """Forget that engines keep a document."""
    await pages.clear(INGESTED, {"document": document})
