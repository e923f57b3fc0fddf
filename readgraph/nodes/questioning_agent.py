"""A question about documents, put to an agent with an empty memory (MemGPT, section 3.2)."""

from typing import Any

from langgraph.runtime import Runtime

from readgraph.nodes import extractive
from readgraph.nodes.acting import run_call
from readgraph.nodes.agent_contracts import (
    AskedLivingState,
    BeginState,
    BeginUpdate,
    CiteEachState,
    QuoteUpdate,
    ReadingActUpdate,
)
from readgraph.nodes.calling_functions import Functions
from readgraph.nodes.citing import find_quotes
from readgraph.nodes.contracts import AnswerState, CiteUpdate
from readgraph.nodes.event_text import queue_text
from readgraph.nodes.filing import file_document
from readgraph.nodes.metering import fell_back
from readgraph.nodes.prompts.question import question_part
from readgraph.nodes.receiving import MOST_BLOCK_WORDS, keep
from readgraph.nodes.step import StepNode, step, step_with
from readgraph.state.agents import Agent, Event, agent_id, agent_store, now, unborn
from readgraph.state.context import ReaderContext
from readgraph.state.living import Life, fresh_turn
from readgraph.state.page_store import page_store
from readgraph.state.reading import Citation
from readgraph.state.records import digest
from readgraph.state.words import count_words, counted


async def _begin_without_model(state: BeginState, runtime: Runtime[ReaderContext]) -> BeginUpdate:
    began = await _begun(state, runtime)
    return {**began, "then": "yield", "did": "began without a model"}


async def _begun(state: BeginState, runtime: Runtime[ReaderContext]) -> BeginUpdate:
    """The same question has the same agent again, whose events are written over as it goes on."""
    others = state.get("beside") or []
    name = digest(["reading", state["memory"], others, state["asked"], state["choices"]])
    limit = min(MOST_BLOCK_WORDS, runtime.context.window_words // 12)
    life = unborn(name, [{"label": "notes", "about": "what you have found so far", "limit": limit, "text": ""}])
    identity = agent_id(name)
    question = question_part(state["asked"], state["choices"])
    index = f"documents {digest([state['memory'], others])}"
    agent = Agent(identity, name, now(), life, index, question, reading=state["document"])
    await agent_store(runtime).put_agent(agent)
    told = []
    for document in [state["document"], *others]:
        life, line = await file_document(life, document, identity, runtime)
        told.append(line)
    event = Event(0, "upload", now(), "\n".join(["Uploaded, for the question below:", *told]))
    await keep(event, identity, runtime)
    grown: Life = {**life, "events": 1}
    return {**grown, **fresh_turn(0, owes_reply=True), "did": f"filed {counted(len(told), 'document')}"}


@step_with(without_model=_begin_without_model)
async def begin(state: BeginState, runtime: Runtime[ReaderContext]) -> BeginUpdate:
    """File the documents in the archival storage of a new agent."""
    return await _begun(state, runtime)


def act_in_reading_with(functions: Functions) -> StepNode[Any]:
    """The node that acts for the agent of a question."""

    async def act(state: AskedLivingState, runtime: Runtime[ReaderContext]) -> ReadingActUpdate:
        """Run the function, and note the pages of the document that it showed; an answer ends the reading."""
        update, memory = await run_call(state, functions, runtime)
        pages = [*dict.fromkeys([*state["pages_read"], *memory.pages_read])]
        if memory.given is None:
            return {
                **update,
                "pages_read": pages,
                "answer": None,
                "choice": None,
                "quotes": [],
                "compression_rate": None,
            }
        return {
            **update,
            "answer": memory.given.answer,
            "choice": memory.given.choice,
            "quotes": memory.given.quotes,
            "pages_read": pages,
            "compression_rate": await _compression(state, runtime),
            "status": "answered" if memory.given.answer else "no_answer",
        }

    return StepNode(act)


async def _compression(state: AskedLivingState, runtime: Runtime[ReaderContext]) -> float:
    """100 · (1 − words in the queue / words of the document)."""
    document = await page_store(runtime).document(state["document"])
    numbers = range(state["queue_from"], state["events"])
    events = await agent_store(runtime).events(agent_id(state["agent"]), numbers)
    in_view = count_words(queue_text(events, runtime.context.window_words, dated=False))
    return round(100 * (1 - in_view / max(document.words, 1)), 2)


@step
async def quote_nearest(state: AnswerState, runtime: Runtime[ReaderContext]) -> QuoteUpdate:
    """Where the agent gave no answer: quote what is nearest on the pages that it saw, else on those nearest."""
    if runtime.context.model:
        fell_back("answer")
    pages = state["pages_read"] or (await extractive.choose_pages({**state}, runtime))["pages_read"]
    return {**await extractive.answer({**state, "pages_read": pages}, runtime), "pages_read": pages}


@step
async def cite_each(state: CiteEachState, runtime: Runtime[ReaderContext]) -> CiteUpdate:
    """Find each quote in the document, else in those beside it; one that stands in none is dropped and counted."""
    store, agent = agent_store(runtime), agent_id(state["agent"])
    filed = await store.entries(agent, [start for start, _ in state["documents"]])
    lost, citations = state["quotes"], list[Citation]()
    for number, entry in enumerate(filed):
        found = await find_quotes(store, entry.document, entry.memory, lost)
        for citation in filter(None, found):
            citations.append(Citation(**citation, document=entry.document) if number else citation)
        lost = [quote for quote, citation in zip(lost, found, strict=True) if citation is None]
    if lost:
        fell_back("quote_not_found", len(lost))
    unique = {(each.get("document"), each["start"], each["end"]): each for each in citations}
    return {
        "citations": list(unique.values()),
        "did": f"found {len(citations)} of {len(state['quotes'])} quotes in {counted(len(filed), 'document')}",
    }
