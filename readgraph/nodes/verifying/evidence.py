"""For each claim the pages that are near, and what rules say of it beside their sentences."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cache
from typing import Annotated, NamedTuple

from typing_extensions import TypedDict

from readgraph.library.page_store import PageStore, page_store
from readgraph.library.search.hits import pages_of
from readgraph.library.search.terms import cache_by_text, content_words
from readgraph.nodes.answering.citations import find_quote, make_citation
from readgraph.nodes.contracts import PAGES_ALONE, ReaderRuntime
from readgraph.nodes.extractive.passages import is_prose, label_of, without_label
from readgraph.nodes.search import open_ranker
from readgraph.nodes.step import node
from readgraph.nodes.verifying.claims import ClaimsUpdate, without_quotes
from readgraph.nodes.verifying.compare import Comparison, compare_sentences
from readgraph.nodes.verifying.speakers import check_speaker, find_attribution
from readgraph.nodes.verifying.tokens import QUOTE_MARK, cue_words, other_forms, tokens_of
from readgraph.sources.formats.plain_text import blank_markup
from readgraph.state.apart import apart
from readgraph.state.languages import certain_language, language_of
from readgraph.state.reading import Citation
from readgraph.state.records import Document, Memory, Page
from readgraph.state.sentences import sentence_spans, sentences_by_language
from readgraph.state.verifying import CitedPlace, Claim, Difference
from readgraph.state.words import format_count

MOST_PAGES, MOST_CITED = 48, 12  # pages near a claim that are looked at, and of those that it names
FIRST_PAGES = 4  # pages that are looked at first: most of what is true stands there
OVERLAP = 400  # characters of the next page that are looked at too: sentences and quotes cross pages
MOST_COMPARED = 20  # sentences that a claim is compared with
NEAR = 1 / 3  # the least share of a claim's words that a sentence has which is near it
CHANGED = 0.6  # the least share of a quote's words that a changed one still has
SENTENCES_BEHIND = 2  # sentences behind one that contradicts a claim that may tell of the claim's own value
BEGIN = 3  # letters that a name has in common with its other forms
FRAME_WORDS = 3  # words beside a quote from which on a sentence claims more than that somebody said so
PAGES_KEPT = 500  # texts of pages that are kept while claims are compared


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
        places = claim["cited"]
        cited = [page.number for page in pages if any(_overlap(page, each) for each in places)] if places else []
        query = " ".join([claim["text"], *other_forms(claim["text"], certain_language([claim["text"]]) or language)])
        ranked = pages_of(await ranker.find(query, MOST_PAGES + len(cited)))
        inside = [page for page in ranked if page in cited][:MOST_CITED] or cited[:MOST_CITED]
        exact = [text.find(said) for said in (claim["text"], *claim["quotes"])]
        holding = [bisect_right(starts, at) - 1 for at in exact if at >= 0]
        claims.append({**claim, "pages": [*dict.fromkeys([*holding, *inside, *ranked[:MOST_PAGES]])]})
    near = sum(bool(claim["pages"]) for claim in claims)
    return {"claims": claims, "step_summary": f"found pages near {near} of {format_count(len(claims), 'claim')}"}


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


class PageTexts:
    """The pages of a memory, the last ones read kept."""

    def __init__(self, store: PageStore, document: Document, memory: Memory) -> None:
        self._store, self._document, self._memory, self._kept = store, document, memory, dict[int, PageText]()

    async def read(self, numbers: Iterable[int]) -> list[PageText]:
        """The texts of these pages."""
        wanted = [*dict.fromkeys(numbers)]
        if len(self._kept) > PAGES_KEPT:
            self._kept = {number: self._kept[number] for number in wanted if number in self._kept}
        missing = await self._store.pages(self._memory.id, [each for each in wanted if each not in self._kept])
        of = self._document  # of a collection, no sentence goes on in the next document
        ends = [of.part_at(page.start).end if of.parts else of.characters for page in missing]
        spans = [(page.start, min(page.end + OVERLAP, end)) for page, end in zip(missing, ends, strict=True)]
        texts = await self._store.spans(of, spans) if spans else []
        for page, text, end in zip(missing, texts, ends, strict=True):
            following = page.number + 1 if page.number + 1 < self._memory.pages else None
            self._kept[page.number] = PageText(page, text, following, page.end + OVERLAP < end)
        return [self._kept[number] for number in wanted if number in self._kept]


async def texts_of(state: FindState, runtime: ReaderRuntime) -> PageTexts:
    """The texts of the pages that a check reads."""
    store = page_store(runtime)
    return PageTexts(store, *await store.document_and_memory(state["document"], state["memory"]))


@node
@apart
async def compare_claims(state: FindState, runtime: ReaderRuntime) -> ClaimsUpdate:
    """Say of each claim what rules can decide (see `compare`): quotes, numbers, dates, names, what is denied."""
    texts, claims = await texts_of(state, runtime), list[Claim]()
    for claim in state["claims"]:
        check = _check_quotes if claim["quotes"] else _check_sentence
        checked = check(claim, await texts.read(claim["pages"][:FIRST_PAGES]))
        if checked["verdict"] != "supported":
            checked = check(claim, await texts.read(claim["pages"]))
        claims.append(checked)
    decided = sum(claim["by"] == "rules" for claim in claims)
    return {"claims": claims, "step_summary": f"decided {decided} of {format_count(len(claims), 'claim')} by rules"}


class NearSentence(NamedTuple):
    """A sentence near a claim: what rules say of the claim beside it, and where it stands."""

    compared: Comparison
    citation: Citation


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


def _near_sentences(said: str, pages: Sequence[PageText]) -> list[NearSentence]:
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
    texts = [_in_its_place(page.text, each) for _, page, each in nearest]
    begun = {(text, each.language) for text, (*_, each) in zip(texts, nearest, strict=True)}
    begun |= {(text, each.language) for *_, each in nearest for text in (said, each.speaker)}
    names, near = _names_near(begun, pages), list[NearSentence]()
    for (_, page, each), text in zip(nearest, texts, strict=True):
        language = each.language
        compared = compare_sentences(said, text, language, names)
        if not compared.verdict and (speaker := each.speaker):
            named = f"{speaker}: {text}" if said.startswith(f"{speaker}:") else _I.sub(speaker, text, count=1)
            compared = compare_sentences(said, named, language, names)
        near.append(NearSentence(compared, page.cite(each.start, each.end)))
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


def _in_its_place(text: str, sentence: PageSentence) -> str:
    """A sentence without who says it; behind a mark, where it is quoted or made up, and so need not be so."""
    paragraph = text.rfind("\n\n", 0, sentence.start) + 1
    before = [each for each in prose_sentences(text) if paragraph <= each.start < sentence.start][-2:]
    words = [(word, each.language) for each in before for word in _WORD.findall(text[each.start : each.end].casefold())]
    made_up = any(word in cue_words("unreal", language) for word, language in words)
    said = text[sentence.start : sentence.end]
    is_open = made_up or len(QUOTE_MARK.findall(text, paragraph, sentence.start)) % 2
    return ("“" if is_open else "") + (without_label(said) if _is_talk(text) else said)


def find_difference(said: str, text: str) -> Difference | None:
    """The one thing in which a text has something else than what is said; None where it has the same, or nothing."""
    page = PageText(Page(0, 0, len(text), 0, "rest"), text, None)
    near = _near_sentences(said, [page])
    against = [each for each in near if each.compared.verdict == "contradicted"]
    if not against or any(each.compared.verdict == "supported" for each in near):
        return None
    return max(against, key=lambda each: each.compared.shared).compared.differs[0]


def _check_sentence(claim: Claim, pages: Sequence[PageText]) -> Claim:
    near = _near_sentences(claim["text"], pages)
    held = [each for each in near if each.compared.verdict == "supported"]
    if held:
        return _with_place(claim, [each.citation for each in held])
    against = [each for each in near if each.compared.verdict == "contradicted"]
    if against:
        best = max(against, key=lambda each: (each.compared.alike, each.compared.shared))
        told = any(_tells_otherwise(each.compared, best.compared) for each in near)
        if not told and not _goes_on_with(claim["text"], best, pages):
            return _decided(claim, "contradicted", best.compared.differs, [best.citation])
    if not near:
        return {**claim, "verdict": "not found"}
    best = max(near, key=lambda each: each.compared.shared)
    return {**claim, "verdict": "not decided", "missing": best.compared.missing, "evidence": [best.citation]}


def _tells_otherwise(other: Comparison, against: Comparison) -> bool:
    """Whether another sentence has all slots of the claim, and so much of its words that it may say what it says."""
    if other.verdict == "contradicted" or not other.has_all_slots:
        return False
    return other.shared > against.shared or (other.shared == against.shared and not against.alike)


def _goes_on_with(said: str, against: NearSentence, pages: Sequence[PageText]) -> bool:
    """Whether one of the next sentences has a claim's own value, and a word of it: "She won it again in 2003"."""
    start, draft = against.citation["end"], against.compared.differs[0]["draft"]
    page = next((each for each in pages if each.page.start < start <= each.page.start + len(each.text)), None)
    if page is None or against.compared.differs[0]["kind"] not in ("number", "date", "name"):
        return False
    behind = start - page.page.start
    following = [each for each in prose_sentences(page.text) if each.start >= behind][:SENTENCES_BEHIND]
    language = following[0].language if following else ""
    values = {each.value for each in tokens_of(draft, language)}
    words = {*content_words(said, language)} - {*content_words(draft, language)}
    also = cue_words("also", language)
    for each in following:
        tokens = tokens_of(page.text[each.start : each.end], language)
        alike = words & each.words or any(token.text.casefold() in also for token in tokens)
        if alike and values <= {token.value for token in tokens}:
            return True
    return False


def _decided(claim: Claim, verdict: str, differs: list[Difference], evidence: list[Citation]) -> Claim:
    return {**claim, "verdict": verdict, "by": "rules", "differs": differs, "evidence": evidence}  # type: ignore[typeddict-item]


def _with_place(claim: Claim, found: Sequence[Citation]) -> Claim:
    """A claim that stands in the text: supported where it stands in each place that it names, or names none."""
    outside, evidence = list[CitedPlace](), list[Citation]()
    unknown = next((place for place in claim["cited"] if not place["document"]), None)
    if unknown:
        return _decided(claim, "not decided", [Difference(kind="source", draft=unknown["name"], text="")], [found[0]])
    for place in claim["cited"]:
        inside = [each for each in found if place["start"] < each["end"] and each["start"] < place["end"]]
        evidence += inside[:1]
        outside += [] if inside else [place]
    if not outside or len(outside) < len(claim["cited"]):  # one place of several may be for another part of it
        return _decided(claim, "supported", [], evidence or [found[0]])
    differs = [Difference(kind="place", draft=place["name"], text="") for place in outside[:1]]
    return _decided(claim, "contradicted", differs, [found[0]])


def _check_quotes(claim: Claim, pages: Sequence[PageText]) -> Claim:
    """Whether what a claim quotes stands in the text so, in the place and by whom it says; then what else it says."""
    if as_it_stands := _find_all(claim["text"], pages):
        return _with_place(claim, as_it_stands)
    evidence, unseen = list[Citation](), list[str]()
    for quote in claim["quotes"]:
        found = _find_all(quote, pages)
        if not found:
            changed = _find_changed(quote, pages)
            if not changed:
                return {**claim, "verdict": "not found", "missing": [quote]}
            if _fold(_SAID_BETWEEN.sub(" ", changed["quote"])) != _fold(quote):
                differs = [Difference(kind="quote", draft=quote, text=changed["quote"])]
                return _decided(claim, "contradicted", differs, [changed])
            found = [changed]
        placed = _with_place(claim, found)
        if placed["verdict"] != "supported":
            return placed
        evidence += placed["evidence"]
        judged = [_check_speaker(claim, each, pages) for each in found]
        if True not in judged:
            other = judged[0]
            if other and len(found) == 1:
                return _decided(claim, "contradicted", [other], placed["evidence"])  # type: ignore[list-item]
            unseen.append(" ".join(without_quotes(claim["text"]).replace("…", " ").split()).strip(" ,.:"))
    if unseen:
        return {**claim, "verdict": "not decided", "missing": unseen, "evidence": evidence}
    frame = content_words(without_quotes(claim["text"]))
    if claim["text"] in claim["quotes"] or len(frame) < FRAME_WORDS:
        return _decided(claim, "supported", [], evidence)
    whole = _check_sentence({**claim, "cited": []}, pages)
    if whole["by"]:
        return {**whole, "evidence": [*evidence, *whole["evidence"]][:2]}
    return {**claim, "verdict": "not decided", "missing": whole["missing"], "evidence": evidence}


_GAP = re.compile(r"\[[^\]]*\]|\(?…\)?|\(?\.\.\.\)?")


def _find_all(quote: str, pages: Sequence[PageText]) -> list[Citation]:
    """Where a quote stands; what is left out of it ("…", "[he]") may be anything, within a page."""
    pieces = [piece.strip(" ,;:") for piece in _GAP.split(quote) if len(piece.split()) > 1 or not _GAP.search(quote)]
    found = dict[int, Citation]()
    for each in pages:
        spans, at = list[tuple[int, int]](), 0
        for piece in pieces:
            if not (span := find_quote(piece, each.text, at, len(each.text))):
                break
            spans.append(span)
            at = span[1]
        else:
            if spans:
                citation = each.cite(spans[0][0], spans[-1][1])
                found.setdefault(citation["start"], citation)
    return [*found.values()]


_WORD = re.compile(r"[^\W_]+")
_SAID_BETWEEN = re.compile(r"[\"”’»“][^\"“”«»„]{1,80}[\"“‘«„”]")
"""What stands between two parts of what somebody says: he said."""


def _fold(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _find_changed(quote: str, pages: Sequence[PageText]) -> Citation | None:
    """The passage that has most of a quote's words in their order; None where none has enough."""
    wanted = [found.group().casefold() for found in _WORD.finditer(quote)]
    best: tuple[float, Citation] | None = None
    for each in pages:
        words = [*_WORD.finditer(each.text)]
        matcher = SequenceMatcher(None, wanted, [found.group().casefold() for found in words], False)
        longest = matcher.find_longest_match()
        if longest.size < 2:
            continue
        first = max(longest.b - longest.a - 2, 0)
        last = min(longest.b + len(wanted) - longest.a + 2, len(words))
        part = SequenceMatcher(None, wanted, [found.group().casefold() for found in words[first:last]], False)
        blocks = [block for block in part.get_matching_blocks() if block.size]
        share = sum(block.size for block in blocks) / len(wanted)
        if share >= CHANGED and (best is None or share > best[0]):
            begin = first + max(blocks[0].b - blocks[0].a, 0)
            end = min(first + blocks[-1].b - blocks[-1].a + len(wanted), last) - 1
            best = share, each.cite(words[begin].start(), words[end].end())
    return best[1] if best else None


def _check_speaker(claim: Claim, quote: Citation, pages: Sequence[PageText]) -> Difference | bool:
    page = next((each for each in pages if each.page.start <= quote["start"] < each.page.end), None)
    if page is None:
        return True
    span = quote["start"] - page.page.start, quote["end"] - page.page.start
    at = [each for each in prose_sentences(page.text) if each.start <= span[0] < each.end]
    speaker, language = (at[0].speaker, at[0].language) if at else ("", language_of(page.text))
    said = find_attribution(page.text, span, sentence_spans(page.text), speaker)
    frame = without_quotes(claim["text"]).replace("…", " ")
    return check_speaker(frame if claim["text"] not in claim["quotes"] else "", said, language, names_in(page.text))
