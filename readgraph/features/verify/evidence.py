"""For each claim the pages that are near, and the sentences on them that share most with it."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Annotated, NamedTuple

from typing_extensions import TypedDict

from readgraph.features.verify.claims import ClaimsUpdate
from readgraph.features.verify.state import CitedPlace, Claim, Difference
from readgraph.library.page_store import page_store
from readgraph.library.search.hits import pages_of
from readgraph.library.search.terms import cache_by_text, content_words
from readgraph.nodes.answering.citations import make_citation
from readgraph.nodes.contracts import PAGES_ALONE, ReaderRuntime
from readgraph.nodes.extractive.passages import is_prose, label_of, without_label
from readgraph.nodes.rules.compare import Comparison, compare_sentences
from readgraph.nodes.rules.standing import stands
from readgraph.nodes.rules.tokens import other_forms, tokens_of
from readgraph.nodes.search import open_ranker
from readgraph.nodes.step import node
from readgraph.sources.formats.plain_text import blank_markup
from readgraph.state.apart import apart
from readgraph.state.languages import certain_language, language_of
from readgraph.state.reading import Citation
from readgraph.state.records import Document, Page
from readgraph.state.sentences import sentences_by_language
from readgraph.state.words import format_count

MOST_PAGES, MOST_CITED = 48, 12  # pages near a claim that are looked at, and of those that it names
OVERLAP = 400  # characters of the next page that are looked at too: sentences and quotes cross pages
MOST_COMPARED = 20  # sentences that a claim is compared with
LONGEST_QUERY = 4000  # characters of a claim by which pages are looked for
NEAR = 1 / 3  # the least share of a claim's words that a sentence has which is near it
BEGIN = 3  # letters that a name has in common with its other forms


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
        places, said = claim["cited"], claim["text"][:LONGEST_QUERY]
        cited = [page.number for page in pages if any(_overlap(page, each) for each in places)] if places else []
        query = " ".join([said, *other_forms(said, certain_language([said]) or language)])
        ranked = pages_of(await ranker.find(query, MOST_PAGES + len(cited)))
        inside = [page for page in ranked if page in cited][:MOST_CITED] or cited[:MOST_CITED]
        exact = [text.find(said) for said in (claim["text"], *claim["quotes"])]
        holding = [bisect_right(starts, at) - 1 for at in exact if at >= 0]
        near = [*dict.fromkeys([*holding, *inside, *ranked[:MOST_PAGES]])]
        claims.append({**claim, "pages": near, "searched": len(document.parts) or 1})
    near_any = sum(bool(claim["pages"]) for claim in claims)
    return {"claims": claims, "step_summary": f"found pages near {near_any} of {format_count(len(claims), 'claim')}"}


def _overlap(page: Page, place: CitedPlace) -> bool:
    return page.start < place["end"] and place["start"] < page.end


class PageText(NamedTuple):
    """A page with the beginning of the next one; where that is cut, the last sentence is not whole."""

    page: Page
    text: str
    following: int | None
    is_cut: bool = False

    def cite(self, start: int, end: int) -> Citation:
        """A citation of these characters."""
        at = self.page.start + start
        number = self.page.number if at < self.page.end or self.following is None else self.following
        return make_citation(number, self.page.start, self.text, (start, end))


class PageTexts(NamedTuple):
    """A document's text and its pages; of a collection, the titles of its documents by where they begin."""

    document: Document
    text: str
    pages: Sequence[Page]
    titles: Mapping[int, str]

    def read(self, numbers: Iterable[int]) -> list[PageText]:
        """The texts of these pages."""
        found = list[PageText]()
        for number in dict.fromkeys(numbers):
            page = self.pages[number]
            _, end = self.part_at(page.start)  # of a collection, no sentence goes on in the next document
            following = number + 1 if number + 1 < len(self.pages) else None
            text = self.text[page.start : min(page.end + OVERLAP, end)]
            found.append(PageText(page, text, following, page.end + OVERLAP < end))
        return found

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


class NearSentence(NamedTuple):
    """A sentence near a claim: what rules say of the claim beside it, where it stands, and in which language."""

    compared: Comparison
    citation: Citation
    language: str


class PageSentence(NamedTuple):
    """Characters `[start, end)` of a page, their content words, who says them (or ""), and in which language."""

    start: int
    end: int
    words: frozenset[str]
    speaker: str
    language: str


@cache_by_text
def prose_sentences(text: str) -> tuple[PageSentence, ...]:
    """The sentences of a text that say something by themselves."""
    found = list[PageSentence]()
    for start, end, language in sentences_by_language(blank_markup(text) if text.startswith("---") else text):
        end = start + len(text[start:end].rstrip(" \t\n«„“"))  # a mark with which the next one begins
        goes_on = found and "\n" not in text[found[-1].end : start]
        speaker = label_of(text[start:end]) or (found[-1].speaker if goes_on else "")
        if is_prose(text[start:end]):
            words = frozenset(content_words(text[start:end], language))
            found.append(PageSentence(start, end, words, speaker, language))
    return tuple(found)


_I = re.compile(r"^(?:I|ich|je|j['’]|yo|io|eu|ik|я)\b", re.IGNORECASE)  # the speaker's name may stand in its place


@cache_by_text
def names_in(text: str) -> frozenset[str]:
    """The words that a text writes large within sentences, and nowhere small."""
    sentences = prose_sentences(text)
    tokens = [
        token for each in sentences for token in tokens_of(without_label(text[each.start : each.end]), each.language)
    ]
    small = {token.value for token in tokens if token.kind == "word" and token.text[0].islower()}
    names = {token.value for token in tokens if token.kind == "name" and not token.first}
    labels = {(each.speaker, each.language) for each in sentences}
    speakers = {each.value for label in labels for each in tokens_of(*label) if each.text[0].isupper()}
    return frozenset(names | speakers) - small


def near_sentences(said: str, pages: Sequence[PageText]) -> list[NearSentence]:
    """The sentences that share most with what is said, compared with it."""
    found = dict[tuple[int, int], tuple[float, PageText, PageSentence]]()
    words_in = cache(lambda language: {*content_words(said, language)})
    for page in pages:
        sentences = prose_sentences(page.text)
        for each in sentences[: len(sentences) - page.is_cut] or sentences:
            wanted = words_in(each.language)
            if (share := len(wanted & each.words) / max(len(wanted), 1)) >= NEAR:
                found[page.page.start + each.start, page.page.start + each.end] = share, page, each
    nearest = [found[span] for span in sorted(found, key=lambda span: (-found[span][0], span))[:MOST_COMPARED]]
    texts = [page.text[each.start : each.end] for _, page, each in nearest]
    texts = [
        without_label(text) if _is_talk(page.text) else text for text, (_, page, _) in zip(texts, nearest, strict=True)
    ]
    begun = {(text, each.language) for text, (*_, each) in zip(texts, nearest, strict=True)}
    begun |= {(text, each.language) for *_, each in nearest for text in (said, each.speaker)}
    names, near = _names_near(begun, pages), list[NearSentence]()
    for (_, page, each), text in zip(nearest, texts, strict=True):
        compared = compare_sentences(said, text, each.language, names)
        if not compared.verdict and (speaker := each.speaker) and _is_talk(page.text):
            named = f"{speaker}: {text}" if said.startswith(f"{speaker}:") else _I.sub(speaker, text, count=1)
            beside = compare_sentences(said, named, each.language, names)
            compared = beside if beside.verdict or beside.differs else compared
        near.append(NearSentence(compared, page.cite(each.start, each.end), each.language))
    return near


def _names_near(sentences: Iterable[tuple[str, str]], pages: Sequence[PageText]) -> frozenset[str]:
    """The names in the pages that a sentence, given with its language, may begin with: to find all takes long."""
    first = [each for sentence in sentences for each in tokens_of(*sentence)[:2] if each.first and each.kind == "word"]
    begins = {each.text[:BEGIN].capitalize() for each in first}
    return frozenset[str]().union(*(names_in(each.text) for each in pages if any(at in each.text for at in begins)))


@cache_by_text
def _is_talk(text: str) -> bool:
    """Whether several sentences of a text begin with who says them."""
    return sum(bool(label_of(text[each.start : each.end])) for each in prose_sentences(text)) > 1


def find_difference(said: str, text: str) -> Difference | None:
    """The one thing in which a text has something else than what is said; None where it has the same, or nothing."""
    page = PageText(Page(0, 0, len(text), 0, "rest"), text, None)
    near = near_sentences(said, [page])
    against = [each for each in near if each.compared.differs]
    if not against or any(each.compared.verdict == "supported" for each in near):
        return None
    best = max(against, key=lambda each: each.compared.shared)
    at = best.citation["start"], best.citation["end"]
    return best.compared.differs[0] if stands(text, at, (0, len(text)), best.language) else None
