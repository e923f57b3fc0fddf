"""For each claim the pages that are near, and their texts."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, NamedTuple

from typing_extensions import TypedDict

from readgraph.features.verify.claims import ClaimsUpdate
from readgraph.features.verify.state import CitedPlace, Claim
from readgraph.language.detection import certain_language, language_of
from readgraph.language.tokens import numerals, tokens_of
from readgraph.library.page_store import page_store
from readgraph.library.search.hits import pages_of
from readgraph.nodes.contracts import PAGES_ALONE, ReaderRuntime
from readgraph.nodes.evidence import PageText, other_writings
from readgraph.nodes.search import open_ranker
from readgraph.nodes.step import node
from readgraph.state.apart import apart
from readgraph.state.records import Document, Page
from readgraph.state.words import format_count

MOST_PAGES, MOST_CITED = 48, 12  # pages near a claim that are looked at, and of those that it names
OVERLAP = 400  # characters of the next page that are looked at too: sentences and quotes cross pages
LONGEST_QUERY = 4000  # characters of a claim by which pages are looked for


class FindState(TypedDict):
    document: str
    memory: Annotated[str, PAGES_ALONE]
    claims: list[Claim]


@node
@apart
async def find_pages(state: FindState, runtime: ReaderRuntime) -> ClaimsUpdate:
    """For each claim the pages that have it word for word, that it names, or that share most words with it (BM25)."""
    store = page_store(runtime)
    document, memory = await store.document_and_memory(state["document"], state["memory"])
    ranker = await open_ranker(store, document, memory)
    text, claims = await store.text(document), list[Claim]()
    pages, language = await store.pages(memory.id, range(memory.pages)), language_of(text)
    starts = [page.start for page in pages]
    for claim in state["claims"]:
        places, wording = claim["cited"], claim["text"][:LONGEST_QUERY]
        cited = [page.number for page in pages if any(_overlap(page, place) for place in places)] if places else []
        others = other_forms(wording, certain_language([wording]) or language)
        query = " ".join([wording, *others, *other_writings(wording, [text])])
        ranked = pages_of(await ranker.find(query, MOST_PAGES + len(cited)))
        inside = [page for page in ranked if page in cited][:MOST_CITED] or cited[:MOST_CITED]
        exact = [text.find(wording) for wording in (claim["text"], *claim["quotes"])]
        holding = [bisect_right(starts, at) - 1 for at in exact if at >= 0]
        near = [*dict.fromkeys([*holding, *inside, *ranked[:MOST_PAGES]])]
        claims.append({**claim, "pages": near, "searched": len(document.parts) or 1})
    near_any = sum(bool(claim["pages"]) for claim in claims)
    return {"claims": claims, "step_summary": f"found pages near {near_any} of {format_count(len(claims), 'claim')}"}


def _overlap(page: Page, place: CitedPlace) -> bool:
    return page.start < place["end"] and place["start"] < page.end


class PageTexts(NamedTuple):
    """A document's text and its pages; of a collection, the titles of its documents by where they begin."""

    document: Document
    text: str
    pages: Sequence[Page]
    titles: Mapping[int, str]

    def read(self, numbers: Iterable[int]) -> list[PageText]:
        """The texts of these pages."""
        texts = list[PageText]()
        for number in dict.fromkeys(numbers):
            page = self.pages[number]
            _, end = self.part_at(page.start)  # of a collection, no sentence goes on in the next document
            following = number + 1 if number + 1 < len(self.pages) else None
            text = self.text[page.start : min(page.end + OVERLAP, end)]
            texts.append(PageText(page, text, following, page.end + OVERLAP < end))
        return texts

    def part_at(self, offset: int) -> tuple[int, int]:
        """Where the document of a collection begins and ends that holds this offset; else the whole."""
        part = self.document.part_at(offset) if self.document.parts else None
        return (part.start, part.end) if part else (0, len(self.text))


async def texts_of(state: FindState, runtime: ReaderRuntime) -> PageTexts:
    """The texts of the pages that a check reads."""
    store = page_store(runtime)
    document, memory = await store.document_and_memory(state["document"], state["memory"])
    pages = await store.pages(memory.id, range(memory.pages))
    titles = {part.start: (await store.document(part.document)).title for part in document.parts}
    return PageTexts(document, await store.text(document), pages, titles or {0: document.title})


def other_forms(sentence: str, language: str) -> list[str]:
    """Other ways to write the numbers of a sentence: in words, in digits, with commas."""
    numbers = [token for token in tokens_of(sentence, language) if token.kind == "number"]
    words = {number: word for word, number in numerals(language).items()}
    values = [token.value[0] for token in numbers if isinstance(token.value, tuple) and token.value[0] % 1 == 0]
    forms = [form for value in values for form in (words.get(value, ""), f"{value:.0f}", f"{value:,.0f}")]
    return [form for form in dict.fromkeys(forms) if form and form not in sentence]
