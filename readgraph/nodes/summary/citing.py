"""Say where each sentence of a summary stands in the source, and find the quotes that show it."""

from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.models.metering import fell_back
from readgraph.nodes.answering.quotes import find_quotes
from readgraph.nodes.step import step
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.reading import Citation, Sentence, Status, Usage
from readgraph.state.summary import ShownPart, joined_sentences


class CiteSummaryState(TypedDict):
    """What citing reads."""

    document: str
    memory: str
    shown: list[ShownPart]
    sentences: list[Sentence]
    status: NotRequired[Status]
    usage: NotRequired[Usage]


class CiteSummaryUpdate(TypedDict):
    """What citing writes: the citations, the sentences with their places, and their text as the summary."""

    answer: str | None
    citations: list[Citation]
    sentences: list[Sentence]
    step_summary: str


@step
async def cite_summary(state: CiteSummaryState, runtime: Runtime[ReaderContext]) -> CiteSummaryUpdate:
    """Name the places of each sentence's pages, and find its quotes; one that stands nowhere is dropped and counted.

    The summary is joined anew, since marks stand where its sentences end: a step in between may have changed these.
    """
    store, sentences = page_store(runtime), state["sentences"]
    document = await store.document(state["document"])
    starts = [each["start"] for each in state["shown"]]
    named = await store.place_names(document, starts)
    places = {each["page"]: place for each, place in zip(state["shown"], named, strict=True)}
    placed: list[Sentence] = [{**each, "places": [places.get(page) for page in each["pages"]]} for each in sentences]
    text, ends = joined_sentences(sentences)
    quoted = [(quote, end) for each, end in zip(sentences, ends, strict=True) for quote in each["quotes"]]
    found = await find_quotes(store, document.id, state["memory"], [quote for quote, _ in quoted]) if quoted else []
    pairs = zip(found, quoted, strict=True)
    citations = [Citation(**{**each, "mark_at": end}) for each, (_, end) in pairs if each]
    if lost := len(quoted) - len(citations):
        fell_back("quote_not_found", lost)
    unique = {(each["start"], each["end"], each["mark_at"]): each for each in citations}
    did = f"found {len(citations)} of {len(quoted)} quotes in the text" if quoted else "nothing was quoted"
    return {
        "answer": text or None,
        "citations": list(unique.values()),
        "sentences": placed,
        "step_summary": did,
    }
