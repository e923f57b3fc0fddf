"""Read the pages that were found, add what they say to the notes, and answer from these (GAM, 2.2.2 and 3.5)."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, NotRequired

from pydantic import BeforeValidator, Field
from typing_extensions import TypedDict

from readgraph.language.passages import passages_of
from readgraph.library.document_languages import document_languages
from readgraph.library.page_store import page_store
from readgraph.library.search.hits import score_by_place
from readgraph.library.search.okapi import rank
from readgraph.models.asking import ask_reply, can_ask
from readgraph.models.metering import current_meter
from readgraph.models.prompt import DATA_RULE, Prompt, declare_wording, fenced
from readgraph.models.reply import LenientReply, Numbers
from readgraph.nodes.answering.citations import (
    cite_picture,
    cite_pictures,
    find_citation_on_page,
    find_quotes,
    identity_of,
    make_citation,
    mark_seen,
)
from readgraph.nodes.answering.in_view import (
    QUOTED,
    STYLE,
    UNQUOTED,
    QuotedText,
    Quotes,
    all_quotes,
    answer_from_notes_prompt,
    answer_request,
    format_finding,
    instead_of_reply,
    quotes_from,
    read_answer,
    write_answer,
)
from readgraph.nodes.beside import ShownPart, settings_beside, show_beside
from readgraph.nodes.contracts import AnswerDraft, AnswerUpdate, AskedState, ReaderRuntime, StepUpdate
from readgraph.nodes.extractive import query_of
from readgraph.nodes.extractive.nearest import nearest_sentences
from readgraph.nodes.extractive.quoting import MOST_QUOTES, quote_pages
from readgraph.nodes.meaning import passage_cosines
from readgraph.nodes.memory import OpenedMemory, ShownPage, format_pages, format_parts, load_memory, pages_text
from readgraph.nodes.prompts import question_part, with_reasons
from readgraph.nodes.research.plan import memos_in_view
from readgraph.nodes.search import fuse_hits
from readgraph.nodes.step import node
from readgraph.state.channels import NotMemorised, Plan, Round, SearchHit, no_plan, pages_of_round
from readgraph.state.reading import Citation, Finding, Quote, Step, with_finding
from readgraph.state.settings import Reasoning, Reflecting, Research, Window
from readgraph.state.words import count_words, first_words

NOTES_WORDS = 400  # words that the notes are asked to have at most

INTEGRATE = declare_wording(
    "integrate",
    "You collect what a long text says on a question. You keep notes, and add to them what is on the pages that were "
    "found: facts with names, numbers, dates and places, nothing that doesn't stand there. A line in brackets at the "
    "top of a page says where it stands; it is no part of the text. " + DATA_RULE,
    "{think}{at_once} the notes anew, in at most {most_words} words: keep what they hold and bears on the question, "
    "and add what the pages say on it. They must be understood without the pages. Don't answer the question yet.",
    version=2,
    think="Think about which facts of the pages bear on the question. Then write",
    at_once="Write",
)


class Integrated(LenientReply):
    """The notes with what the pages add to them."""

    DECIDES: ClassVar[tuple[str, ...]] = ("content",)
    content: Annotated[
        str,
        BeforeValidator(lambda value: "" if value is None else value),
        Field(description="The new notes: all facts that bear on the question; empty if there are none."),
    ]
    sources: Annotated[Numbers, Field(description="Numbers of the pages that these facts stand on.")]
    quotes: Annotated[
        Quotes,
        Field(description="One to three quotes from the new pages that show the facts; empty if there are none."),
    ]


def integrate_prompt(
    pages: str, notes: str, question: str, choices: dict[str, str], *, reasoning: bool = True
) -> Prompt:
    """Ask for the notes, brought up to date with the pages."""
    parts = [fenced("pages", pages), fenced("notes", notes) if notes else "", question_part(question, choices)]
    return INTEGRATE.ask(*parts, think=reasoning, at_once=not reasoning, most_words=NOTES_WORDS)


EVIDENCE_SHARE = 0.5  # the pages of a round take at most this share of the model's window
LONGEST_NOTES = 2 * NOTES_WORDS  # most words of notes; longer ones are cut, because they are kept in the state
PASSAGES = 3  # passages that are quoted from a round's pages without a model


class Gathered(TypedDict):
    """The notes, the pages that they rest on, and what shows them there."""

    notes: str
    sources: list[int]
    snippets: list[Citation]


class IntegrateState(AskedState, Gathered):
    hits: list[SearchHit]
    findings: list[Finding]


class IntegrateUpdate(StepUpdate, Gathered):
    """The notes, what was quoted on each page that they rest on, and all pages whose text was shown, in order."""

    findings: list[Finding]
    pages_read: list[int]


async def integrate_without_model(state: IntegrateState, runtime: ReaderRuntime) -> IntegrateUpdate:
    """Without a model: the notes are the passages that best match the question."""
    memory = await load_memory(runtime, state)
    shown = await _pack_hits(state, memory, most_words=sys.maxsize)  # no window has to hold them
    return await _with_passages(state, memory, shown) if shown else _keep_state(state, "no part to read")


@node(without_model=integrate_without_model, settings=(Reasoning, *settings_beside(), Window))
async def integrate(state: IntegrateState, runtime: ReaderRuntime) -> IntegrateUpdate:
    """Add what the pages say to the notes, with sources and quotes; passages of them without a usable reply."""
    memory = await load_memory(runtime, state)
    shown = await _pack_hits(state, memory, most_words=int(runtime.context.window_words * EVIDENCE_SHARE))
    if not shown:
        return _keep_state(state, "no part to read")
    reasoning, notes = runtime.context.reasoning, state["notes"]
    prompt = integrate_prompt(pages_text(shown), notes, state["question_text"], state["choices"], reasoning=reasoning)
    prompt = await show_beside(prompt, memory.document, _parts(shown), runtime)
    reply = await ask_reply(
        runtime, prompt, with_reasons(Integrated) if reasoning else Integrated, fallback="integrate"
    )
    if reply is None:
        return await _with_passages(state, memory, shown)
    numbers = [page.number for page in shown]
    read = [*dict.fromkeys([*state["pages_read"], *numbers])]
    if not reply.content.strip():
        did = f"read {format_parts(numbers)}: nothing on the question"
        return {**_keep_state(state, did), "pages_read": read}
    snippets = list[Citation]()
    for quote in reply.quotes:  # on the page that it names, else on any that was shown
        pages = sorted(shown, key=lambda page: page.number != quote.page)
        places = (find_citation_on_page(page.number, page.start, page.text, quote.quote) for page in pages)
        if citation := next(filter(None, places), None) or _read_off_picture(quote, shown):
            snippets.append(citation)
    told = [page for page in reply.sources if page in read]
    return await _add_to_notes(state, memory, shown, reply.content.strip(), snippets, told)


def _read_off_picture(quoted: QuotedText, shown: Sequence[ShownPage]) -> Citation | None:
    """A quote that doesn't stand in the text of the page that it names, of which the model saw a picture, too."""
    seen, named = current_meter().places_seen(quoted.page), (page for page in shown if page.number == quoted.page)
    return next((cite_picture(page.number, quoted.quote, page.start, page.text, seen) for page in named), None)


def _quote_of(snippet: Citation) -> Quote:
    """The snippet as a quote that is looked up again."""
    quote = Quote(page=snippet["page"], quote=snippet["quote"])
    return Quote(**{**quote, "pictures": [snippet["place"] or ""]}) if "seen" in snippet else quote


def _parts(shown: Iterable[ShownPage]) -> list[ShownPart]:
    return [ShownPart(page.number, page.start, page.start + len(page.text)) for page in shown]


async def _pack_hits(state: IntegrateState, memory: OpenedMemory, *, most_words: int) -> list[ShownPage]:
    numbers = [hit["page"] for hit in state["hits"] if hit["page"] not in state["pages_read"]]
    return await memory.pack(numbers, most_words)


async def _with_passages(state: IntegrateState, memory: OpenedMemory, shown: list[ShownPage]) -> IntegrateUpdate:
    texts = {page.number: page.text for page in shown}
    query, passages = query_of(state), passages_of(texts)
    spans = [(passage.page, passage.start, passage.end) for passage in passages]
    cosines = await passage_cosines(spans, memory.document, memory.record.id, query, memory.runtime)
    page_sentences = nearest_sentences(query, passages, cosines=cosines)[:PASSAGES]
    starts = {page.number: page.start for page in shown}
    snippets = [
        make_citation(
            page_sentence.page,
            starts[page_sentence.page],
            texts[page_sentence.page],
            (page_sentence.start, page_sentence.end),
        )
        for page_sentence in page_sentences
    ]
    notes = "\n".join([state["notes"], *(snippet["quote"] for snippet in snippets)]).strip()
    return await _add_to_notes(state, memory, shown, notes, snippets)


async def _add_to_notes(
    state: IntegrateState,
    memory: OpenedMemory,
    shown: list[ShownPage],
    notes: str,
    snippets: list[Citation],
    told: Iterable[int] = (),
) -> IntegrateUpdate:
    """The update with these notes, and the snippets that show them; `told`: further pages that they rest on."""
    numbers = [page.number for page in shown]
    places = await memory.store.place_names(memory.document, [snippet["start"] for snippet in snippets])
    for snippet, place in zip(snippets, places, strict=True):
        if "seen" not in snippet:
            snippet["place"] = place
            mark_seen(snippet, current_meter().places_seen(snippet["page"]))
    notes = first_words(notes, LONGEST_NOTES)
    sources = [*dict.fromkeys([*state["sources"], *told, *(snippet["page"] for snippet in snippets)])]
    unique = {identity_of(snippet): snippet for snippet in [*state["snippets"], *snippets]}
    findings, quoted = state["findings"], {snippet["page"] for snippet in snippets}
    for page in sources:
        if page in quoted or page not in state["sources"]:  # it is new, or quoted again
            quotes = [_quote_of(snippet) for snippet in snippets if snippet["page"] == page]
            text = " … ".join(quote["quote"] for quote in quotes)
            findings = with_finding(findings, Finding(page=page, answers=False, text=text, choice=None, quotes=quotes))
    did = f"read {format_parts(numbers)}; notes of {count_words(notes)} words from {format_parts(sources)}"
    return {
        "findings": findings,
        "notes": notes,
        "sources": sources,
        "snippets": list(unique.values()),
        "pages_read": [*dict.fromkeys([*state["pages_read"], *numbers])],
        "step_summary": did,
    }


def _keep_state(state: IntegrateState, did: str) -> IntegrateUpdate:
    return {
        "findings": state["findings"],
        "notes": state["notes"],
        "sources": state["sources"],
        "snippets": state["snippets"],
        "pages_read": state["pages_read"],
        "step_summary": did,
    }


class NoteState(AskedState):
    findings: list[Finding]
    rounds: list[Round]


class NoteUpdate(StepUpdate, Gathered):
    """What noting writes: a round of research, as far as reflection judges it."""

    plan: Plan
    hits: list[SearchHit]


@node
async def note_findings(state: NoteState, runtime: ReaderRuntime) -> NoteUpdate:
    """The findings with their quotes become the notes, leaves read since the last round its hits, unasked."""
    findings, leaves = state["findings"], pages_of_round(state["pages_read"], state["rounds"])
    quotes, store = all_quotes(findings), page_store(runtime)
    found = await find_quotes(store, state["document"], state["memory"], quotes) if quotes else []
    lost = [quote for quote, citation in zip(quotes, found, strict=True) if not citation]
    citations = [*filter(None, found), *await cite_pictures(store, state["document"], state["memory"], lost)]
    snippets = {identity_of(snippet): snippet for snippet in citations}
    notes = first_words("\n\n".join(map(format_finding, findings)), LONGEST_NOTES)
    sources = [finding["page"] for finding in findings]
    did = f"walked to {format_parts(leaves)}; notes of {count_words(notes)} words from {format_parts(sources)}"
    return {
        "plan": no_plan(),
        "hits": fuse_hits({"walk": score_by_place(leaves)}),
        "notes": notes,
        "sources": sources,
        "snippets": [*snippets.values()],
        "step_summary": did,
    }


SEARCHING = frozenset({"triage", "leaf", "plan", "integrate"})  # fall-backs of steps that look for the answer


class FoundState(AskedState, Gathered):
    not_memorised: NotRequired[NotMemorised]
    steps: NotRequired[list[Step]]


class FoundUpdate(AnswerUpdate):
    """What an answer from notes writes: the context that it was made from, too."""

    context: str


@dataclass(frozen=True)
class Context:
    """What a client gets: notes, or `memos` by their pages, and evidence; `words` counts both without tags."""

    memory: OpenedMemory
    notes: str
    evidence: str
    words: int
    memos: dict[int, str] = field(default_factory=dict)
    parts: list[ShownPart] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Notes and evidence."""
        return "\n\n".join(filter(None, [self.notes, self.evidence]))


@node(settings=(*STYLE, *settings_beside(), Reflecting, Research, Window))
async def answer_from_notes(state: FoundState, runtime: ReaderRuntime) -> FoundUpdate:
    """Make the context, and answer from it unless the context alone is wanted, or is empty.

    An answer from notes alone is cited with their snippets; without a model or a usable reply, what was read is quoted.
    """
    context = await _context(state, runtime)
    if context.notes and not runtime.context.context_only:
        draft = await _answer_from_context(context, state, runtime)
    else:
        found = bool(context.notes)
        steps = [step for step in state.get("steps", []) if step["usage"]["calls"] + step["usage"]["cached_calls"]]
        gave_up = state["status"] == "budget" or any(SEARCHING & step["fallbacks"].keys() for step in steps[-1:])
        did = f"gave {context.words} words of context" if found else "nothing was found"
        draft = AnswerDraft(None, None, [], context.words, did, context_alone=found, nearest=not found and gave_up)
    return {**await write_answer(draft, context.memory.document, state, runtime), "context": context.text}


async def _answer_from_context(context: Context, state: FoundState, runtime: ReaderRuntime) -> AnswerDraft:
    reply = None
    if can_ask(runtime):
        prompt = answer_from_notes_prompt(context.notes, context.evidence, state["question_text"], state["choices"])
        prompt = await show_beside(prompt, context.memory.document, context.parts, runtime)
        request = answer_request(prompt, state, runtime, QUOTED if context.evidence else UNQUOTED)
        reply = await ask_reply(runtime, *request, fallback="answer")
    if reply is None:
        texts = context.memos or await context.memory.texts(state["pages_read"])  # whatever their size
        quoted = await quote_pages(texts, context.memory.document, state, runtime)
        return instead_of_reply(quoted._replace(words=sum(map(count_words, texts.values()))), runtime)
    answer, letter = read_answer(reply, state["choices"])
    did = f"answered from {context.words} words of context" if answer else "found no answer in the context"
    quotes = quotes_from(reply.quotes) if context.evidence else await _nearest(context.memory, state, answer)
    return AnswerDraft(answer, letter, quotes, context.words, did)


async def _context(state: FoundState, runtime: ReaderRuntime) -> Context:
    memory = await load_memory(runtime, state)
    if not runtime.context.rounds and not state["notes"]:
        memos = await memos_in_view(memory, {}, state["question_text"])
        by_page = {note.page: note.text for note in memos.notes}
        return Context(memory, memos.text, "", memos.words, by_page)
    notes, wanted = state["notes"], runtime.context.evidence
    evidence, words, parts = "", count_words(notes), list[ShownPart]()
    if wanted == "pages":
        most_words = int(runtime.context.window_words * EVIDENCE_SHARE)
        pages = await memory.pack(state["sources"], most_words)
        parts = _parts(pages)
        evidence, words = pages_text(pages), words + sum(count_words(page.text) for page in pages)
    elif wanted == "snippets":
        quoted = dict[int, list[str]]()
        for snippet in sorted(state["snippets"], key=lambda snippet: snippet["start"]):
            quoted.setdefault(snippet["page"], []).append(snippet["quote"])
            words += count_words(snippet["quote"])
        evidence = format_pages({page: "\n…\n".join(quotes) for page, quotes in quoted.items()})
    return Context(memory, notes, evidence, words, parts=parts)


async def _nearest(memory: OpenedMemory, state: FoundState, answer: str | None) -> list[Quote]:
    snippets = state["snippets"]
    if not (answer and snippets):
        return []
    quotes = [*map(_quote_of, snippets)]
    language = (await document_languages(memory.store, memory.document)).at(snippets[0]["start"])
    ranked = rank(f"{state['question_text']} {answer}", [quote["quote"] for quote in quotes], language)
    return ([quotes[number] for number, _ in ranked] or quotes)[:MOST_QUOTES]
