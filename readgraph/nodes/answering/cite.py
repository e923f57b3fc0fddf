"""Find each quote in the document, so that every citation is a real span; check long answers by sentence.

A sentence is checked against what the answer quotes for it, and against the pages nearest to its words (BM25): of those
that were opened or cited, and a few of the whole text, since notes of any page may have been in view.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readgraph.language.excerpts import cut_to_passages
from readgraph.language.sentences import ROW, sentences_by_language
from readgraph.language.terms import content_words
from readgraph.library.page_store import PageStore, page_store
from readgraph.library.search.hits import pages_of
from readgraph.library.search.okapi import rank
from readgraph.models.metering import count_fallback, current_meter
from readgraph.models.prompt import DATA_RULE, declare_wording
from readgraph.nodes.answering.absence import describe_absence, is_unanswered, prove_absence
from readgraph.nodes.answering.citations import (
    add_context,
    cite_pictures,
    find_quote,
    find_quotes,
    identity_of,
    mark_offsets,
)
from readgraph.nodes.answering.in_view import set_long
from readgraph.nodes.answering.verdicts import (
    Batch,
    SentenceToCheck,
    SupportVerdict,
    describe_verdicts,
    in_batches,
    make_sentence,
    verdicts_on,
)
from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import CiteState, CiteUpdate, ReaderRuntime
from readgraph.nodes.search import open_ranker
from readgraph.nodes.step import node
from readgraph.state.apart import compute
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BudgetSpent
from readgraph.state.loops import all_finished
from readgraph.state.reading import Citation, Quote, Sentence
from readgraph.state.settings import AnswerForm, Checking, Proving, Quoting
from readgraph.state.tables import without_unread
from readgraph.state.words import count_words

__all__ = ["cite"]

MOST_CHECKED = 40  # sentences of an answer that are checked; those after them stay unchecked
MOST_OPENED, MOST_OTHERS = 20, 4  # most pages near an answer's words: of those opened, and of all the text
MOST_SHOWN, WORDS_SHOWN = 4, 1000  # pieces that a sentence is checked against, and their words, beside its quotes
WHOLE_PAGE = 700  # words of a page that is shown as a whole; a longer one is cut to passages

_BREAK = re.compile(r"\n[ \t]*\n")

CHECK_ANSWER = declare_wording(
    "check_answer",
    "You check an answer to a question against passages of the text that it is about. You trust nothing but what these "
    "passages say. " + DATA_RULE,
    "Say of each numbered sentence of the answer whether the passages above, each after its page tag, support all that "
    "it says: a wrong name, number or order of events, or anything that they don't say, makes it not supported. Quote "
    "the words that show it.",
)


@dataclass(frozen=True, slots=True)
class EvidencePiece:
    """A page, or a passage of a long one, from an offset on; `opened`: it was opened for the question, or is cited."""

    document: str
    page: int
    start: int
    text: str
    opened: bool


def _is_checked(state: CiteState, context: ReaderContext) -> bool:
    if not (context.check_sentences and set_long(context)) or state.get("choice"):
        return False
    answer, table = without_unread(state.get("answer") or ""), state.get("table")
    first = table["rows"][0]["values"][0] if table and table["rows"] else None
    return bool(answer) and (first is None or not (answer == first or answer.startswith(("| ", f"{first}; "))))


async def check_answer_sentences(
    state: CiteState, citations: Sequence[Citation], memories: Mapping[str, str], runtime: ReaderRuntime
) -> list[Sentence]:
    """The sentences of the answer, with what the text says of them, by the model or, without one, by their words.

    A sentence stays unchecked without a usable reply or a budget. Without a model, one that stands in the text is
    supported. `memories` are those of the answer's documents, of which only the first is named in pages and quotes.
    """
    answer, store = without_unread(state.get("answer") or ""), page_store(runtime)
    spans = find_statements(answer)
    pieces = await _pieces(answer, state.get("pages_read") or [], citations, memories, store)
    shown = await compute(_choose_pieces, answer, spans, pieces, citations)
    named = [[pieces[each] for each in numbers if pieces[each].document == state["document"]] for numbers in shown]
    by_rule = not runtime.context.model or state.get("by_rule") or state.get("status") == "budget"
    own = {number: _own_words(answer[slice(*span)], named[number]) for number, span in enumerate(spans) if by_rule}
    left = {
        number: SentenceToCheck(" ".join(answer[start:end].split()), shown[number])
        for number, (start, end) in enumerate(spans[:MOST_CHECKED])
        if shown[number] and not by_rule
    }
    verdicts = await _verdicts(left, pieces, state.get("question_text") or "", runtime)
    quotes = await _find_verdict_quotes(verdicts, pieces, state, store)
    starts = sorted({piece.start for each in named for piece in each})
    described = await store.document(state["document"])
    places = dict(zip(starts, await store.place_names(described, starts), strict=True))
    sentences = [_sentence(answer, span, named[number], places) for number, span in enumerate(spans)]
    for number, sentence in enumerate(sentences):
        if quote := own.get(number):
            place = sentence["places"][sentence["pages"].index(quote["page"])]
            sentence.update({"pages": [quote["page"]], "places": [place], "quotes": [quote]})
            sentence.update({"supported": True, "extracted": True})
        elif number in verdicts:
            sentence.update({"supported": verdicts[number].supported, "quotes": quotes.get(number, [])})
    return sentences


def find_statements(answer: str) -> list[tuple[int, int]]:
    """The spans of an answer's sentences that say something: no headings, rows of tables, or "The reasons are:"."""
    spans = list[tuple[int, int]]()
    for start, end, _ in sentences_by_language(answer):
        sentence = answer[start:end]
        heading = sentence.startswith("#") or sentence.rstrip("*_ ").endswith((":", "："))
        if not heading and not ROW.match(sentence) and content_words(sentence):
            spans.append((start, end))
    return spans


def _sentence(
    answer: str, span: tuple[int, int], pieces: Sequence[EvidencePiece], places: Mapping[int, str | None]
) -> Sentence:
    pages = {piece.page: places[piece.start] for piece in reversed(pieces)}
    sentence = make_sentence(answer[slice(*span)], [*reversed(pages)])
    paragraph = len(_BREAK.findall(answer, 0, span[0]))
    return {**sentence, "places": [*reversed(pages.values())], "paragraph": paragraph, "end": span[1]}


async def _pieces(
    answer: str, opened: Sequence[int], citations: Sequence[Citation], memories: Mapping[str, str], store: PageStore
) -> list[EvidencePiece]:
    pieces = list[EvidencePiece]()
    for place, (document, memory) in enumerate(memories.items()):
        described, kept = await store.document_and_memory(document, memory)
        ranked = pages_of(await (await open_ranker(store, described, kept)).find(answer, kept.pages))
        cited = [
            citation["page"]
            for citation in citations
            if citation.get("document", document if not place else "") == document
        ]
        were_open = {*opened} if not place else set[int]()
        nearest = [page for page in ranked if page in were_open][:MOST_OPENED]
        pages = await store.pages(memory, sorted({*cited, *nearest, *ranked[:MOST_OTHERS]}))
        texts = await store.spans(described, [(page.start, page.end) for page in pages])
        for page, text in zip(pages, texts, strict=True):
            spans = [(0, len(text))] if page.words <= WHOLE_PAGE else cut_to_passages(text)
            seen = page.number in {*cited, *were_open}
            pieces += [
                EvidencePiece(document, page.number, page.start + start, text[start:end], seen) for start, end in spans
            ]
    return pieces


def _choose_pieces(
    answer: str, spans: Sequence[tuple[int, int]], pieces: Sequence[EvidencePiece], citations: Sequence[Citation]
) -> list[list[int]]:
    """For each sentence its pieces: with its quotes, and nearest to its words, else those that were opened."""
    marks, texts = mark_offsets(answer, citations), [piece.text for piece in pieces]
    opened = [number for number, piece in enumerate(pieces) if piece.opened]
    shown = list[list[int]]()
    for start, end in spans:
        quoted = [citation for citation, at in zip(citations, marks, strict=True) if at == end]
        chosen = [number for number, piece in enumerate(pieces) if any(_holds(piece, each) for each in quoted)]
        ranked = [number for number, _ in rank(answer[start:end], texts)]
        first = [number for number in ranked if pieces[number].opened][:1]
        words = 0
        for number in [*dict.fromkeys([*first, *(ranked or opened)])][:MOST_SHOWN]:
            words += count_words(texts[number])
            if words > WORDS_SHOWN and chosen:
                break
            chosen.append(number)
        shown.append(sorted({*chosen}))
    return shown


def _holds(piece: EvidencePiece, citation: Citation) -> bool:
    same = citation.get("document", piece.document) == piece.document
    return same and piece.start < citation["end"] and citation["start"] < piece.start + len(piece.text)


def _own_words(sentence: str, pieces: Sequence[EvidencePiece]) -> Quote | None:
    for piece in pieces:
        if span := find_quote(sentence, piece.text, 0, len(piece.text)):
            return Quote(page=piece.page, quote=piece.text[slice(*span)], start=piece.start + span[0])
    return None


async def _verdicts(
    left: Batch, pieces: Sequence[EvidencePiece], question: str, runtime: ReaderRuntime
) -> dict[int, SupportVerdict]:
    texts, meter = {number: piece.text for number, piece in enumerate(pieces)}, current_meter()
    spent_before = meter.budget.spent

    async def of_batch(batch: Batch) -> dict[int, SupportVerdict]:
        try:
            return await verdicts_on(batch, texts, CHECK_ANSWER, runtime, question)
        except BudgetSpent:
            return {}

    found = await all_finished(map(of_batch, in_batches(left, texts, content_room(runtime.context, question))))
    meter.budget.spent = spent_before  # the answer was given within the budget; what is unchecked says so itself
    return {number: verdict for each in found for number, verdict in each.items()}


async def _find_verdict_quotes(
    verdicts: Mapping[int, SupportVerdict], pieces: Sequence[EvidencePiece], state: CiteState, store: PageStore
) -> dict[int, list[Quote]]:
    """The quotes that show the supported sentences, as they stand in the first document; others are counted as lost."""
    given = list[tuple[int, Quote]]()
    for number, verdict in verdicts.items():
        for quote in verdict.quotes if verdict.supported else ():
            page = pieces[quote["page"]].page if 0 <= quote["page"] < len(pieces) else -1
            given.append((number, Quote(page=page, quote=quote["quote"])))
    if not given:
        return {}
    looked_up = await find_quotes(store, state["document"], state["memory"], [quote for _, quote in given])
    quotes = dict[int, list[Quote]]()
    for (number, _), citation in zip(given, looked_up, strict=True):
        if citation:
            quote = Quote(page=citation["page"], quote=citation["quote"], start=citation["start"])
            quotes.setdefault(number, []).append(quote)
    if (lost := looked_up.count(None)) and not state.get("more_documents"):
        count_fallback("quote_not_found", lost)
    return quotes


@node(settings=(AnswerForm, Checking, Quoting, Proving))
async def cite(state: CiteState, runtime: ReaderRuntime) -> CiteUpdate:
    """Give each quote its document, page and character span; one that stands in none is dropped and counted.

    Then each sentence of a long answer, if the settings want it, is checked against the text. Before it, if they want
    that and no answer was found, the parts that were not read are judged.
    """
    if not (runtime.context.prove_absence and is_unanswered(state)):
        earlier: CiteUpdate = {"citations": [], "absence": None} if state.get("absence") else {"citations": []}
        return {**earlier, **await _cite(state, runtime)}
    absence, found = await prove_absence(state, runtime)
    told: Any = found or {}
    cited = await _cite({**state, **told}, runtime)
    if quoted := sorted({citation["page"] for citation in cited["citations"]} if found else ()):
        absence["found"] = quoted
    return {**told, **cited, "absence": absence, "step_summary": describe_absence(absence)}


async def _cite(state: CiteState, runtime: ReaderRuntime) -> CiteUpdate:
    checking = _is_checked(state, runtime.context)
    if not (state["quotes"] or checking):
        return {"citations": [], "step_summary": "nothing was quoted"}
    memories = await _memories(state, runtime)
    citations, did = await _citations(state, memories, runtime)
    if not checking:
        return {"citations": citations, "step_summary": did}
    sentences = await check_answer_sentences(state, citations, memories, runtime)
    unsupported, unchecked, checked = describe_verdicts(sentences)
    return {
        "citations": citations,
        "sentences": sentences,
        "unsupported": unsupported,
        "unchecked": unchecked,
        "step_summary": f"{did}; {checked}",
    }


async def _citations(state: CiteState, memories: dict[str, str], runtime: ReaderRuntime) -> tuple[list[Citation], str]:
    """The quotes that stand in these documents, by their memories, and a line on them; the others are counted."""
    lost, citations = state["quotes"], list[Citation]()
    if not lost:
        return [], "nothing was quoted"
    store = page_store(runtime)
    for document, memory in memories.items():
        quotes = await find_quotes(store, document, memory, lost)
        there, own = [*filter(None, quotes)], document == state["document"]
        if there and (sentences := runtime.context.quote_context):
            await add_context(store, await store.document(document), there, sentences)
        citations += there if own else [Citation(**each, document=document) for each in there]
        lost = [quote for quote, citation in zip(lost, quotes, strict=True) if citation is None]
    seen = await cite_pictures(store, state["document"], state["memory"], lost)
    if missing := len(lost) - len(seen):
        count_fallback("quote_not_found", missing)
    unique = {identity_of(citation): citation for citation in [*citations, *seen]}
    where = "the text" if len(memories) == 1 else f"{len(memories)} documents"
    read_off = f"; {len(seen)} read off pictures, not checked" if seen else ""
    return [*unique.values()], f"found {len(citations)} of {len(state['quotes'])} quotes in {where}{read_off}"


async def _memories(state: CiteState, runtime: ReaderRuntime) -> dict[str, str]:
    """The memories whose pages citations name, by their documents; those of further documents share its recipe."""
    memories, more = {state["document"]: state["memory"]}, state.get("more_documents")
    if not more:
        return memories
    store = page_store(runtime)
    own = await store.memory(state["document"], state["memory"])
    for document in more:
        kept = await store.memories(document)
        alike = [memory for memory in kept if memory.recipe == own.recipe]
        memories.setdefault(document, [*kept, *alike][-1].id)
    return memories
