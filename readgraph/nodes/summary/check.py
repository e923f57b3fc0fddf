"""Check a summary sentence by sentence, and say where each stands in the source, with the quotes that show it."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from readgraph.library.page_store import page_store
from readgraph.models.metering import count_fallback
from readgraph.nodes.answering.citations import find_quotes
from readgraph.nodes.answering.verdicts import SentenceToCheck, check_summary_prompt, in_batches, verdicts_on
from readgraph.nodes.bounds import content_room
from readgraph.nodes.step import StepNode, node
from readgraph.nodes.summary.write import ShownState, material_of
from readgraph.nodes.tasks import all_finished
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Citation, Sentence
from readgraph.state.settings import Checking
from readgraph.state.summary import joined_sentences
from readgraph.state.words import format_count


class CheckState(ShownState):
    """What checking and citing read."""

    sentences: list[Sentence]


class CheckUpdate(TypedDict):
    """What checking writes: the sentences with what the pages say of them."""

    sentences: list[Sentence]
    unsupported: int
    unchecked: int
    step_summary: str


async def check_summary(state: CheckState, runtime: Runtime[ReaderContext]) -> CheckUpdate:
    """Ask of each sentence that was not extracted whether its pages support it; without a reply it stays unchecked."""
    sentences = state["sentences"]
    left = [number for number, each in enumerate(sentences) if not each["extracted"]]
    if not runtime.context.check_sentences or not left:
        return _update(sentences)
    material = await material_of(state, runtime)
    doubted = {number: SentenceToCheck(sentences[number]["text"], sentences[number]["pages"]) for number in left}
    batches = in_batches(doubted, material.texts, content_room(runtime.context))
    checked = [*sentences]
    for verdicts in await all_finished(
        verdicts_on({number: doubted[number] for number in batch}, material.texts, check_summary_prompt, runtime)
        for batch in batches
    ):
        for number, verdict in verdicts.items():
            quotes = verdict.quotes if verdict.supported else []
            checked[number] = {**sentences[number], "supported": verdict.supported, "quotes": quotes}
    return _update(checked)


async def check_without_model(state: CheckState, runtime: Runtime[ReaderContext]) -> CheckUpdate:
    """Nothing is asked: what was extracted is the text's own, and what was written stays unchecked."""
    return _update(state["sentences"])


def _update(sentences: list[Sentence]) -> CheckUpdate:
    unsupported = sum(each["supported"] is False for each in sentences)
    unchecked = sum(each["supported"] is None for each in sentences)
    supported = len(sentences) - unsupported - unchecked
    did = f"{supported} of {format_count(len(sentences), 'sentence')} supported"
    did += f", {unchecked} not checked" if unchecked else ""
    return {"sentences": sentences, "unsupported": unsupported, "unchecked": unchecked, "step_summary": did}


check = StepNode(check_summary, check_without_model, settings=(Checking,))


class CiteSummaryUpdate(TypedDict):
    """What citing writes: the citations, the sentences with their places, and their text as the summary."""

    answer: str | None
    citations: list[Citation]
    sentences: list[Sentence]
    step_summary: str


@node
async def cite_summary(state: CheckState, runtime: Runtime[ReaderContext]) -> CiteSummaryUpdate:
    """Name the places of each sentence's pages, and find its quotes; one that stands nowhere is dropped and counted."""
    store, sentences = page_store(runtime), state["sentences"]
    document = await store.document(state["document"])
    starts = [each["start"] for each in state["shown"]]
    named = await store.place_names(document, starts)
    places = {each["page"]: place for each, place in zip(state["shown"], named, strict=True)}
    placed: list[Sentence] = [{**each, "places": [places.get(page) for page in each["pages"]]} for each in sentences]
    text, ends = joined_sentences(sentences)
    quoted = [(quote, end) for each, end in zip(sentences, ends, strict=True) for quote in each["quotes"]]
    found = await find_quotes(store, document.id, state["memory"], [quote for quote, _ in quoted]) if quoted else []
    marked = zip(found, quoted, strict=True)
    citations = [Citation(**{**each, "mark_at": end}) for each, (_, end) in marked if each]
    if lost := len(quoted) - len(citations):
        count_fallback("quote_not_found", lost)
    unique = {(each["start"], each["end"], each["mark_at"]): each for each in citations}
    did = f"found {len(citations)} of {len(quoted)} quotes in the text" if quoted else "nothing was quoted"
    return {"answer": text or None, "citations": [*unique.values()], "sentences": placed, "step_summary": did}
