"""Find each quote in the document, so that every citation is a real span of its text."""

from langgraph.runtime import Runtime

from readgraph.models.metering import fell_back
from readgraph.nodes.answering.checking import checked_sentences, is_checked
from readgraph.nodes.answering.quotes import find_quotes
from readgraph.nodes.contracts import CiteState, CiteUpdate
from readgraph.nodes.step import step_with
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.reading import Citation
from readgraph.state.settings import AnswerForm, Checking
from readgraph.state.words import counted

__all__ = ["cite"]


@step_with(settings=(AnswerForm, Checking))
async def cite(state: CiteState, runtime: Runtime[ReaderContext]) -> CiteUpdate:
    """Give each quote its document, page and character span; one that stands in none is dropped and counted.

    Quotes are looked for in the question's document, and then in `more_documents`. Of a long answer, as the settings
    ask for it, each sentence is then checked against the text (`readgraph.nodes.answering.checking`).
    """
    checking = is_checked(state, runtime.context)
    if not (state["quotes"] or checking):
        return {"citations": [], "step_summary": "nothing was quoted"}
    memories = await _memories(state, runtime)
    citations, did = await _citations(state, memories, runtime)
    if not checking:
        return {"citations": citations, "step_summary": did}
    sentences = await checked_sentences(state, citations, memories, runtime)
    unsupported = sum(each["supported"] is False for each in sentences)
    unchecked = sum(each["supported"] is None for each in sentences)
    did += f"; {len(sentences) - unsupported - unchecked} of {counted(len(sentences), 'sentence')} supported"
    did += f", {unchecked} not checked" if unchecked else ""
    return {
        "citations": citations,
        "sentences": sentences,
        "unsupported": unsupported,
        "unchecked": unchecked,
        "step_summary": did,
    }


async def _citations(
    state: CiteState, memories: dict[str, str], runtime: Runtime[ReaderContext]
) -> tuple[list[Citation], str]:
    """The quotes that stand in these documents, by their memories, and a line on them; the others are counted."""
    lost, citations = state["quotes"], list[Citation]()
    if not lost:
        return [], "nothing was quoted"
    store = page_store(runtime)
    for document, memory in memories.items():
        found = await find_quotes(store, document, memory, lost)
        own = document == state["document"]
        citations += [each if own else Citation(**each, document=document) for each in filter(None, found)]
        lost = [quote for quote, citation in zip(lost, found, strict=True) if citation is None]
    if lost:
        fell_back("quote_not_found", len(lost))
    unique = {(each.get("document"), each["start"], each["end"]): each for each in citations}
    where = "the text" if len(memories) == 1 else f"{len(memories)} documents"
    return [*unique.values()], f"found {len(citations)} of {len(state['quotes'])} quotes in {where}"


async def _memories(state: CiteState, runtime: Runtime[ReaderContext]) -> dict[str, str]:
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
