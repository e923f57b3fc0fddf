"""The languages of documents, by samples of their texts."""

from bisect import bisect_right
from dataclasses import dataclass

from readgraph.language.detection import language_of, sample_spans
from readgraph.library.page_store import PageStore
from readgraph.state.records import Document


@dataclass(frozen=True, slots=True)
class DocumentLanguages:
    """The offsets at which a document's parts begin, and the language of each (ISO 639-1)."""

    starts: list[int]
    languages: list[str]

    def at(self, offset: int) -> str:
        """The language at an offset."""
        return self.languages[self._part(offset)]

    def goes_on(self, offset: int) -> bool:
        """Whether the text at an offset goes on from what stands before it: no part begins there."""
        return offset > 0 and self._part(offset) == self._part(offset - 1)

    def _part(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1


async def document_languages(store: PageStore, document: Document) -> DocumentLanguages:
    """The main language of a document, or of each part of a collection, seen by samples of their texts."""
    if not document.parts:
        return DocumentLanguages([0], [await _language(store, document)])
    parts = [await store.member(part) for part in document.parts]
    return DocumentLanguages([part.start for part in document.parts], [await _language(store, each) for each in parts])


async def _language(store: PageStore, document: Document) -> str:
    return language_of(" ".join(await store.spans(document, sample_spans(document.characters))))
