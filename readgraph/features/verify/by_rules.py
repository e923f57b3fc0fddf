"""What rules say of each claim beside the sentences near it; what they can't be sure of they don't decide."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from readgraph.features.verify.claims import ClaimsUpdate, without_quotes
from readgraph.features.verify.finding import FindState, PageTexts, texts_of
from readgraph.features.verify.quotes import find_passages, keeps_sense
from readgraph.features.verify.speakers import check_speaker, find_attribution
from readgraph.features.verify.state import CitedPlace, Claim
from readgraph.language.compare import Difference, account, excludes, trim_equal
from readgraph.language.detection import language_of
from readgraph.language.sentences import sentence_spans
from readgraph.language.standing import stands
from readgraph.language.terms import content_words
from readgraph.language.tokens import cue_words, tokens_of
from readgraph.nodes.contracts import ReaderRuntime
from readgraph.nodes.evidence import NearSentence, PageText, names_in, near_sentences, prose_sentences
from readgraph.nodes.step import node
from readgraph.state.apart import apart
from readgraph.state.reading import Citation
from readgraph.state.words import format_count

FIRST_PAGES = 4  # pages that are looked at first: most of what is true stands there
CHANGED = 0.6  # the least share of a quote's words that a changed one still has
MOST_CHANGED = 300  # words of a quote that is looked for with other words
MOST_QUOTES, LONGEST_FRAME = 20, 1000  # quotes of a claim, and characters beside them, that rules look at
ENDING = ".,;:!?… "  # marks with which a quote may end
FEWEST_QUOTED = 6  # words of a quote in which another one is seen
ALIKE = 0.5  # the share of letters from which on two words may be one, written in two ways
MOST_PLACES = 20  # where a quote stands that are looked at
BESIDE, SENTENCES_BESIDE = 600, 2  # characters and sentences around one that may tell of the claim's own value


@node
@apart
async def compare_claims(state: FindState, runtime: ReaderRuntime) -> ClaimsUpdate:
    """Say of each claim what rules can decide (see `compare`): quotes, numbers, dates, what is denied."""
    texts, claims = await texts_of(state, runtime), list[Claim]()
    for claim in state["claims"]:
        checked = check_claim(claim, texts.read(claim["pages"][:FIRST_PAGES]), texts)
        if checked["verdict"] != "supported":
            checked = check_claim(claim, texts.read(claim["pages"]), texts)
        claims.append(checked)
    decided = sum(claim["by"] == "rules" for claim in claims)
    return {"claims": claims, "step_summary": f"decided {decided} of {format_count(len(claims), 'claim')} by rules"}


def check_claim(claim: Claim, pages: Sequence[PageText], texts: PageTexts) -> Claim:
    """The claim with what rules say of it beside these pages."""
    return (_check_quotes if claim["quotes"] else _check_sentence)(claim, pages, texts)


def _check_sentence(claim: Claim, pages: Sequence[PageText], texts: PageTexts) -> Claim:
    near = near_sentences(claim["text"], pages)
    held = [
        near_sentence
        for near_sentence in near
        if near_sentence.compared.verdict == "supported" and _stands(near_sentence, texts)
    ]
    if held:
        return _with_place(claim, [near_sentence.citation for near_sentence in held], near)
    if not near:
        return {**claim, "verdict": "not found"}
    best = max(near, key=lambda each: (bool(each.compared.differs), each.compared.shared))
    against = best.compared.verdict == "contradicted" and _stands(best, texts)
    if (
        against
        and not any(_may_hold(near_sentence) for near_sentence in near)
        and not _is_told_beside(claim["text"], best, texts)
    ):
        return _decided(claim, "contradicted", best.compared.differs, [best.citation])
    missing, differs = best.compared.missing, best.compared.differs
    return {**claim, "verdict": "not decided", "differs": differs, "missing": missing, "evidence": [best.citation]}


def _stands(near: NearSentence, texts: PageTexts) -> bool:
    start, end = near.citation["start"], near.citation["end"]
    return stands(texts.text, (start, end), texts.part_at(start), near.language)


def _may_hold(near: NearSentence) -> bool:
    """Whether a sentence has all slots of a claim, so that it may say what it says."""
    return near.compared.verdict != "contradicted" and near.compared.has_all_slots


def _is_told_beside(said: str, against: NearSentence, texts: PageTexts) -> bool:
    """Whether a sentence beside tells of a claim's own value, or of another number of the same: another race, a sum."""
    start, end = against.citation["start"], against.citation["end"]
    first, last = texts.part_at(start)
    before, behind = texts.text[max(first, start - BESIDE) : start], texts.text[end : min(end + BESIDE, last)]
    spans = [before[slice(*span)] for span in sentence_spans(before)[-SENTENCES_BESIDE:]]
    spans += [behind[slice(*span)] for span in sentence_spans(behind)[:SENTENCES_BESIDE]]
    language, (difference, *_) = against.language, against.compared.differs
    own, told = (tokens_of(difference[key], language) for key in ("draft", "text"))
    values, units = {each.value for each in own}, {each.value[1:] for each in (*own, *told) if each.kind == "number"}
    words = {*content_words(said, language)} - {*content_words(difference["draft"], language)}
    also = cue_words("also", language)
    for text in spans:
        tokens = tokens_of(text, language)
        alike = words & {*content_words(text, language)} or any(token.text.casefold() in also for token in tokens)
        counted = any(token.kind == "number" and token.value[1:] in units for token in tokens)
        if alike and (counted or (values and values <= {token.value for token in tokens})):
            return True
    return False


def _decided(claim: Claim, verdict: str, differs: list[Difference], evidence: list[Citation]) -> Claim:
    return {**claim, "verdict": verdict, "by": "rules", "differs": differs, "evidence": evidence}  # type: ignore[typeddict-item]


def _with_place(claim: Claim, citations: Sequence[Citation], near: Sequence[NearSentence] = ()) -> Claim:
    """A claim that stands in the text: supported where it stands in each place that it names, or names none.

    If a place that it names has one of the sentences `near`, that may say it in other words.
    """
    outside, evidence = list[CitedPlace](), list[Citation]()
    unknown = next((place for place in claim["cited"] if not place["document"]), None)
    if unknown:
        return _decided(
            claim, "not decided", [Difference(kind="source", draft=unknown["name"], text="")], [citations[0]]
        )
    for place in claim["cited"]:
        inside = [citation for citation in citations if _is_inside(citation, place)]
        evidence += inside[:1]
        outside += [] if inside else [place]
    if not outside or len(outside) < len(claim["cited"]):  # one place of several may be for another part of it
        return _decided(claim, "supported", [], evidence or [citations[0]])
    differs = [Difference(kind="place", draft=place["name"], text="") for place in outside[:1]]
    if any(_is_inside(near_sentence.citation, place) for near_sentence in near for place in outside):
        return {**claim, "verdict": "not decided", "differs": differs, "evidence": [citations[0]]}
    return _decided(claim, "contradicted", differs, [citations[0]])


def _is_inside(citation: Citation, place: CitedPlace) -> bool:
    return place["start"] < citation["end"] and citation["start"] < place["end"]


def _check_quotes(claim: Claim, pages: Sequence[PageText], texts: PageTexts) -> Claim:
    """Whether what a claim quotes stands in the text, where and by whom it says, and nothing else is claimed."""
    whole = _check_sentence(claim, pages, texts) if claim["text"] not in claim["quotes"] else None
    if whole and whole["by"]:
        return whole
    if len(claim["quotes"]) > MOST_QUOTES or len(without_quotes(claim["text"])) > LONGEST_FRAME:
        return {**(whole or claim), "verdict": "not decided"}
    evidence, open_frame = list[Citation](), list[str]()
    differs = list[Difference]()
    for quote in claim["quotes"]:
        citations = _find_all(quote, pages, texts)
        if not citations:
            return _check_changed(claim, quote, pages, texts, whole)
        placed = _with_place(claim, citations)
        if placed["verdict"] != "supported":
            return placed
        evidence += placed["evidence"]
        judged = [_check_speaker(claim, citation, texts) for citation in citations]
        if True not in judged:
            differs += [difference for difference in judged if isinstance(difference, dict)][:1]
            open_frame.append(" ".join(without_quotes(claim["text"]).replace("…", " ").split()).strip(" ,.:"))
    if open_frame:
        missing = [] if differs else open_frame
        return {**claim, "verdict": "not decided", "differs": differs, "missing": missing, "evidence": evidence}
    return _decided(claim, "supported", [], evidence)


def _check_changed(claim: Claim, quote: str, pages: Sequence[PageText], texts: PageTexts, whole: Claim | None) -> Claim:
    """A claim whose quote doesn't stand so in the text: contradicted if just one word is another one there."""
    changed = _find_changed(quote, pages)
    if not changed:
        return whole or {**claim, "verdict": "not found", "missing": [quote]}
    is_same = quote.rstrip(ENDING) == changed["quote"].rstrip(ENDING)  # and what stands around it leaves it open
    differs = [] if is_same else [Difference(kind="quote", draft=quote, text=changed["quote"])]
    same_speaker = _check_speaker(claim, changed, texts) is True and _holds_sense(changed, texts)
    if same_speaker and differs_in_a_word(quote, changed["quote"], _read_around(changed, texts).language):
        return _decided(claim, "contradicted", differs, [changed])
    return {**claim, "verdict": "not decided", "differs": differs, "missing": [], "evidence": [changed]}


def _find_all(quote: str, pages: Sequence[PageText], texts: PageTexts) -> list[Citation]:
    """Where a quote stands, and what stands around it doesn't take it back."""
    by_start = dict[int, Citation]()
    for page in pages:
        for span in find_passages(quote, page.text, language_of(page.text)):
            citation = page.cite(*span)
            if len(by_start) < MOST_PLACES and citation["start"] not in by_start and _holds_sense(citation, texts):
                by_start[citation["start"]] = citation
    return [*by_start.values()]


class _Around(NamedTuple):
    """What stands around a quote in its document, where that begins, and who speaks there, in which language."""

    text: str
    begin: int
    speaker: str
    language: str


def _read_around(quote: Citation, texts: PageTexts) -> _Around:
    first, last = texts.part_at(quote["start"])
    begin = max(first, quote["start"] - BESIDE)
    text = texts.text[begin : min(quote["end"] + BESIDE, last)]
    at = [sentence for sentence in prose_sentences(text) if sentence.start <= quote["start"] - begin < sentence.end]
    speaker, language = (at[0].speaker, at[0].language) if at else ("", language_of(text))  # a quote is short for it
    return _Around(text, begin, speaker, language)


def _holds_sense(quote: Citation, texts: PageTexts) -> bool:
    start, end = quote["start"], quote["end"]
    around, begin, _, language = _read_around(quote, texts)
    if not keeps_sense(around, start - begin, end - begin, language):
        return False
    bounds = [begin + stop for _, stop in sentence_spans(around, language=language)]
    span = start, next((stop for stop in bounds if stop >= end), end)
    return stands(texts.text, span, texts.part_at(start), language, quoted=True)


_WORD = re.compile(r"[^\W_]+")


def _find_changed(quote: str, pages: Sequence[PageText]) -> Citation | None:
    """The passage that has most of a quote's words in their order; None where none has enough."""
    wanted = [match.group().casefold() for match in _WORD.finditer(quote)][: MOST_CHANGED + 1]
    best: tuple[float, Citation] | None = None
    for page_text in pages if len(wanted) <= MOST_CHANGED else ():
        words = [*_WORD.finditer(page_text.text)]
        matcher = SequenceMatcher(None, wanted, [word.group().casefold() for word in words], False)
        longest = matcher.find_longest_match()
        if longest.size < 2:
            continue
        first = max(longest.b - longest.a - 2, 0)
        last = min(longest.b + len(wanted) - longest.a + 2, len(words))
        part = SequenceMatcher(None, wanted, [word.group().casefold() for word in words[first:last]], False)
        blocks = [block for block in part.get_matching_blocks() if block.size]
        share = sum(block.size for block in blocks) / len(wanted)
        if share >= CHANGED and (best is None or share > best[0]):
            begin = first + max(blocks[0].b - blocks[0].a, 0)
            end = min(first + blocks[-1].b - blocks[-1].a + len(wanted), last) - 1
            best = share, page_text.cite(words[begin].start(), words[end].end())
    return best[1] if best else None


def _check_speaker(claim: Claim, quote: Citation, texts: PageTexts) -> Difference | bool:
    if claim["text"] in claim["quotes"]:
        return True
    text, begin, speaker, language = _read_around(quote, texts)
    span = quote["start"] - begin, quote["end"] - begin
    attribution = find_attribution(text, span, sentence_spans(text), speaker)
    frame = without_quotes(claim["text"]).replace("…", " ")
    first, _ = texts.part_at(quote["start"])
    return check_speaker(frame, attribution, language, names_in(text), texts.titles.get(first, ""))


def differs_in_a_word(quote: str, passage: str, language: str) -> bool:
    """Whether a quote has another word or number in one place than a passage, and is the same otherwise.

    Two words that are alike may be ways to write one.
    """
    ours, theirs = account(quote, language), account(passage, language)
    _, one, other = trim_equal(ours, theirs)
    if len(one) != 1 or len(other) != 1 or len(ours) <= FEWEST_QUOTED:
        return False
    kinds = {one[0].kind, other[0].kind}
    if kinds & {"number", "date"}:
        return excludes(one[0], other[0])
    alike = SequenceMatcher(None, one[0].text.casefold(), other[0].text.casefold()).ratio() > ALIKE
    return not alike and not kinds & {"mark", "break"}
