"""Read the pages that were found and add what they say to the notes (GAM, section 2.2.2)."""

import sys
from collections.abc import Iterable

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.models.asking import ask
from readgraph.models.metering import fell_back
from readgraph.nodes.answering.quotes import cited, quoted_on
from readgraph.nodes.contracts import AskedState
from readgraph.nodes.extractive import nearest_sentences, passages_of, query_of
from readgraph.nodes.memory_view import ShownPage, listed, pack_pages, pages_text, remembered
from readgraph.nodes.prompts.reasoned import reasoned
from readgraph.nodes.prompts.research.integrate import NOTES_WORDS, Integrated, integrate_prompt
from readgraph.nodes.step import step_with
from readgraph.state.channels.research import SearchHit
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.page_store import page_store
from readgraph.state.reading import Citation, Finding, Quote, with_finding
from readgraph.state.settings import Reasoning, Window
from readgraph.state.words import count_words, first_words

EVIDENCE_SHARE = 0.5
"""The pages of a round take at most this share of the model's window."""

LONGEST_NOTES = 2 * NOTES_WORDS
"""Most words of notes; longer ones are cut, because they are kept in the state."""

PASSAGES = 3
"""Passages that are quoted from a round's pages without a model."""


class IntegrateState(AskedState):
    """What integrating reads."""

    hits: list[SearchHit]
    findings: list[Finding]
    notes: str
    sources: list[int]
    snippets: list[Citation]


class IntegrateUpdate(TypedDict):
    """What integrating writes: the notes, and of each page that they rest on what was quoted there (`findings`).

    `pages_read` are all pages whose text was shown, in order.
    """

    findings: list[Finding]
    notes: str
    sources: list[int]
    snippets: list[Citation]
    pages_read: list[int]
    step_summary: str


async def integrate_without_model(state: IntegrateState, runtime: Runtime[ReaderContext]) -> IntegrateUpdate:
    """Without a model: the notes are the passages that best match the question."""
    shown = await _shown(state, runtime, most_words=sys.maxsize)  # no window has to hold them
    return await _with_passages(state, runtime, shown) if shown else _unchanged(state, "no part to read")


@step_with(without_model=integrate_without_model, settings=(Reasoning, Window))
async def integrate(state: IntegrateState, runtime: Runtime[ReaderContext]) -> IntegrateUpdate:
    """Add to the notes what the pages say, with the pages that they rest on and quotes that are found there.

    Sources are pages that were shown, in this round or earlier. An empty reply leaves the notes unchanged; without a
    usable reply, passages of the pages are added instead.
    """
    shown = await _shown(state, runtime, most_words=int(runtime.context.window_words * EVIDENCE_SHARE))
    if not shown:
        return _unchanged(state, "no part to read")
    reasoning, notes = runtime.context.reasoning, state["notes"]
    prompt = integrate_prompt(pages_text(shown), notes, state["question_text"], state["choices"], reasoning=reasoning)
    try:
        reply = await ask(runtime, prompt, reasoned(Integrated) if reasoning else Integrated)
    except NoUsableReply:
        fell_back("integrate")
        return await _with_passages(state, runtime, shown)
    read = _joined(state["pages_read"], (page.number for page in shown))
    if not reply.content.strip():
        return {**_unchanged(state, f"read {listed(_numbers(shown))}: nothing on the question"), "pages_read": read}
    located = [_located(quote.page, quote.quote, shown) for quote in reply.quotes]
    snippets = [snippet for snippet in located if snippet]
    told = [page for page in reply.sources if page in read]
    sources = _joined(state["sources"], told, (snippet["page"] for snippet in snippets))
    return await _integrated(state, runtime, reply.content.strip(), sources, snippets, shown)


async def _shown(state: IntegrateState, runtime: Runtime[ReaderContext], *, most_words: int) -> list[ShownPage]:
    document, memory = await remembered(runtime, state["document"], state["memory"])
    numbers = [hit["page"] for hit in state["hits"] if hit["page"] not in state["pages_read"]]
    return await pack_pages(page_store(runtime), document, memory, numbers, most_words)


async def _with_passages(
    state: IntegrateState, runtime: Runtime[ReaderContext], shown: list[ShownPage]
) -> IntegrateUpdate:
    texts = {page.number: page.text for page in shown}
    found = nearest_sentences(query_of(state), passages_of(texts))[:PASSAGES]
    starts = {page.number: page.start for page in shown}
    snippets = [cited(each.page, starts[each.page], texts[each.page], (each.start, each.end)) for each in found]
    notes = "\n".join([state["notes"], *(snippet["quote"] for snippet in snippets)]).strip()
    sources = _joined(state["sources"], (snippet["page"] for snippet in snippets))
    return await _integrated(state, runtime, notes, sources, snippets, shown)


async def _integrated(
    state: IntegrateState,
    runtime: Runtime[ReaderContext],
    notes: str,
    sources: list[int],
    snippets: list[Citation],
    shown: list[ShownPage],
) -> IntegrateUpdate:
    store = page_store(runtime)
    places = await store.place_names(
        await store.document(state["document"]), [snippet["start"] for snippet in snippets]
    )
    for snippet, place in zip(snippets, places, strict=True):
        snippet["place"] = place
    notes = first_words(notes, LONGEST_NOTES)
    unique = {(snippet["start"], snippet["end"]): snippet for snippet in [*state["snippets"], *snippets]}
    return {
        "findings": _findings(state, sources, snippets),
        "notes": notes,
        "sources": sources,
        "snippets": list(unique.values()),
        "pages_read": _joined(state["pages_read"], _numbers(shown)),
        "step_summary": f"read {listed(_numbers(shown))}; notes of {count_words(notes)} words from {listed(sources)}",
    }


def _findings(state: IntegrateState, sources: list[int], snippets: list[Citation]) -> list[Finding]:
    """The findings from each source that is new or quoted again."""
    findings, quoted = state["findings"], {snippet["page"] for snippet in snippets}
    for page in sources:
        if page in quoted or page not in state["sources"]:
            quotes = [Quote(page=page, quote=snippet["quote"]) for snippet in snippets if snippet["page"] == page]
            text = " … ".join(quote["quote"] for quote in quotes)
            findings = with_finding(findings, Finding(page=page, answers=False, text=text, choice=None, quotes=quotes))
    return findings


def _unchanged(state: IntegrateState, did: str) -> IntegrateUpdate:
    return {
        "findings": state["findings"],
        "notes": state["notes"],
        "sources": state["sources"],
        "snippets": state["snippets"],
        "pages_read": state["pages_read"],
        "step_summary": did,
    }


def _located(named: int, quote: str, shown: list[ShownPage]) -> Citation | None:
    """The quote's citation on the page that it names, else on any page that was shown."""
    for page in sorted(shown, key=lambda page: page.number != named):
        if found := quoted_on(page.number, page.start, page.text, quote):
            return found
    return None


def _numbers(pages: list[ShownPage]) -> list[int]:
    return [page.number for page in pages]


def _joined(*parts: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(number for part in parts for number in part))
