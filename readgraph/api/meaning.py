"""The vectors by which texts are searched by meaning: made once for each text, in the background, and kept with it.

They are made while a text is read without a model, and afterwards as long as its library is open. What is made is kept
at once in small batches, so nothing is lost where the process ends: another process, or the next, makes the rest. What
is appended to a text meanwhile is made the next time.
"""

from collections.abc import Callable, Iterable
from functools import partial
from threading import Event
from typing import NamedTuple

from readgraph.library.background_work import begin_work
from readgraph.library.page_store import PageStore
from readgraph.library.store import InUse, SharedStore, hold_lock, mark_in_use
from readgraph.library.stored_items import base_of
from readgraph.nodes.meaning import MOST_WORDS, by_meaning, keeping_embedder, meaning_model, tell_by_words, windows_of
from readgraph.state.context import ReaderContext
from readgraph.state.errors import Forgotten, ReadgraphError
from readgraph.state.records import Document

AT_ONCE = 4  # passages that are kept together: a tenth of a second's work, for which closing a library waits

OnProgress = Callable[[int, int], None]
"""Takes how many passages of how many are done."""


class MissingVectors(NamedTuple):
    """What passages of a document have no vectors yet."""

    document: Document
    texts: list[str]


def _can_make(pages: PageStore, context: ReaderContext) -> bool:
    """Whether these settings want vectors, a model is installed, and the library can keep them."""
    base = base_of(pages.store)
    return by_meaning(context) and isinstance(base, SharedStore) and base.writable and meaning_model() is not None


async def find_missing_vectors(
    pages: PageStore, documents: Iterable[Document], context: ReaderContext
) -> list[MissingVectors]:
    """The passages whose vectors these settings want, and that have none; empty where no model is installed."""
    missing = list[MissingVectors]()
    if not _can_make(pages, context):
        return missing
    for document in documents:
        embedder = keeping_embedder(pages, document)
        if document.parts or not embedder or (document.words > MOST_WORDS and context.meaning != "always"):
            continue
        texts = [window.text for window in await windows_of(pages, document)]
        kept = await embedder.find_kept(texts)
        if lacking := [text for text, vector in zip(texts, kept, strict=True) if vector is None]:
            missing.append(MissingVectors(document, lacking))
    return missing


async def make_vectors(
    pages: PageStore,
    documents: Iterable[Document],
    context: ReaderContext,
    stopping: Event | None = None,
    on_progress: OnProgress | None = None,
) -> bool:
    """Make the vectors that documents lack, until `stopping` is set; whether none is lacking then.

    What another process is making is left to it. Where the model can't be used, that is told once.
    """
    missing = await find_missing_vectors(pages, documents, context)
    done, total, left = 0, sum(len(texts) for _, texts in missing), False
    for document, texts in missing:
        try:
            async with hold_lock(pages.store, f"{document.id}-meaning.lock", wait=False):
                embedder = keeping_embedder(pages, document)
                for first in range(0, len(texts), AT_ONCE):
                    if not embedder or (stopping and stopping.is_set()):
                        return False
                    async with mark_in_use(pages.store, document.id):
                        await pages.document(document.id)  # it may have been forgotten meanwhile
                        await embedder.documents(texts[first : first + AT_ONCE])
                    done += len(texts[first : first + AT_ONCE])
                    if on_progress:
                        on_progress(done, total)
        except (InUse, Forgotten):
            left = True
        except ReadgraphError as problem:
            tell_by_words(problem)
            return False
    return not left


def begin_vectors(pages: PageStore, documents: Iterable[Document], context: ReaderContext) -> None:
    """Make the vectors that these documents lack in the background, where these settings want any."""
    if _can_make(pages, context):
        for document in documents:
            work = partial(_make_in_background, pages, document, context)
            begin_work(pages.store, f"{pages.namespace}/{document.id}", work)


async def _make_in_background(pages: PageStore, document: Document, context: ReaderContext, stopping: Event) -> None:
    await make_vectors(pages, [document], context, stopping)
