"""A question about documents for an agent with an empty memory (MemGPT, section 3.2)."""

import uuid
from dataclasses import replace
from typing import Annotated, NotRequired

from readgraph.features.agents.contracts import ActUpdate, AgentTurnState, BeginUpdate
from readgraph.features.agents.functions import Functions
from readgraph.features.agents.memory import queue_text
from readgraph.features.agents.receive import REACHED_BY, file_document, keep, most_block_words
from readgraph.features.agents.settings import Chaining, MemoryParts, MemoryPressure
from readgraph.features.agents.state import AgentState, Block, fresh_turn
from readgraph.features.agents.store import Agent, Event, agent_id, agent_store, initial_state, local_now
from readgraph.features.agents.think import run_call
from readgraph.library.page_store import page_store
from readgraph.nodes.answering.answer import quote_pages_read
from readgraph.nodes.answering.in_view import STYLE, answer_style, write_answer
from readgraph.nodes.contracts import PAGES_ALONE, AnswerDraft, AnswerUpdate, AskedPages, AskedQuestion, ReaderRuntime
from readgraph.nodes.prompts import question_part
from readgraph.nodes.step import StepNode, node
from readgraph.state.declaring import Groups
from readgraph.state.reading import Finding, Usage, with_finding
from readgraph.state.records import digest
from readgraph.state.settings import Embeddings, Window
from readgraph.state.words import count_words, format_count

__all__ = ["begin"]


class BeginState(AskedQuestion):
    """What the beginning of a question's agent reads; `more_documents` are further documents."""

    document: str
    memory: Annotated[str, PAGES_ALONE]
    more_documents: NotRequired[list[str]]
    usage: NotRequired[Usage]


def begin_with(*, notes: bool = True, reached_by: str = REACHED_BY) -> StepNode[BeginState, BeginUpdate]:
    """The node that begins a question. `notes`: the agent has a block to note in; `reached_by`: see `file_document`."""

    async def begin(state: BeginState, runtime: ReaderRuntime) -> BeginUpdate:
        """File the documents' pages with a new agent for this reading, whose name a resumed run finds again."""
        others, run = state.get("more_documents") or [], runtime.execution_info
        name = digest(["reading", run.task_id if run else uuid.uuid4().hex])
        blocks = list[Block]()
        if notes:
            limit = most_block_words(runtime.context)
            blocks.append(Block(label="notes", about="what you have found so far", limit=limit, text=""))
        life = initial_state(name, blocks)
        identity, store = agent_id(name), agent_store(runtime)
        question = question_part(state["question_text"], state["choices"])
        if runtime.context.model and (line := answer_style(state, runtime).line):
            question += f"\n\n{line} This counts more than what the function answer says."
        agent = Agent(identity, name, local_now(), life, "", question, reading=state["document"])
        await store.put_agent(agent)
        descriptions = []
        for document in [state["document"], *others]:
            kept = state["memory"] if document == state["document"] else await _like(state, document, runtime)
            life, line = await file_document(life, document, identity, runtime, kept, reached_by)
            descriptions.append(line)
        filed = await store.entries(identity, [start for start, _ in life["documents"]])
        index = f"documents {digest([[entry.memory, entry.pages] for entry in filed])}"
        await store.put_archive_index(index, {entry.document for entry in filed})  # shared by all that file these pages
        await store.put_agent(replace(agent, index=index))
        event = Event(0, "upload", local_now(), "\n".join(["Uploaded, for the question below:", *descriptions]))
        await keep(event, identity, runtime)
        with_event: AgentState = {**life, "events": 1}
        summary = f"filed {format_count(len(descriptions), 'document')}"
        return {**with_event, **fresh_turn(0, owes_reply=True), "step_summary": summary}

    async def begin_without_model(state: BeginState, runtime: ReaderRuntime) -> BeginUpdate:
        """Without a model: only file the documents; `answer` then quotes the nearest passages."""
        return {**await begin(state, runtime), "next_step": "yield", "step_summary": "began without a model"}

    groups = (*STYLE, Window, MemoryPressure) if notes else (*STYLE, Window)
    return node(without_model=begin_without_model, settings=groups)(begin)


begin = begin_with()


async def _like(state: BeginState, document: str, runtime: ReaderRuntime) -> str:
    """The memory of all of a further document, built as the question's own one was; "" if there is none."""
    store = page_store(runtime)
    own = await store.memory(state["document"], state["memory"])
    alike = [memory for memory in await store.memories(document) if memory.recipe == own.recipe]
    whole = alike and alike[-1].complete and alike[-1].read_to == (await store.document(document)).characters
    return alike[-1].id if whole else ""


class AgentQuestionTurnState(AgentTurnState):
    """What the steps of an agent read when it answers a question about a document."""

    memory: Annotated[str, PAGES_ALONE]
    question_text: str
    choices: dict[str, str]
    pages_read: list[int]
    findings: list[Finding]


class ReadingActUpdate(ActUpdate):
    """What acting writes in a reading; an answer is the last finding."""

    pages_read: list[int]
    findings: list[Finding]


def act_in_reading_with(
    functions: Functions, *, settings: Groups = (MemoryParts,)
) -> StepNode[AgentQuestionTurnState, ReadingActUpdate]:
    """The node that acts for the agent of a question; `settings`: further groups that decide what it may call."""

    @node(settings=(Chaining, Window, Embeddings, *settings), alone=True)
    async def act(state: AgentQuestionTurnState, runtime: ReaderRuntime) -> ReadingActUpdate:
        """Run the function, and note the pages of the document that it showed; an answer ends the reading."""
        update, memory = await run_call(state, functions, runtime)
        pages = [*dict.fromkeys([*state["pages_read"], *memory.pages_read])]
        findings = with_finding(state["findings"], memory.given) if memory.given else state["findings"]
        return {**update, "pages_read": pages, "findings": findings}

    return act


class AgentAnswerState(AskedPages):
    """What answering reads after an agent's reading: its queue, and whether it still owes the answer."""

    agent: str
    queue_from: int
    events: int
    owes_reply: bool
    findings: list[Finding]


@node(settings=(*STYLE, Window))
async def answer(state: AgentAnswerState, runtime: ReaderRuntime) -> AnswerUpdate:
    """The agent's own answer; without one, the best passages of the pages read. This ends the reading."""
    store, numbers = agent_store(runtime), range(state["queue_from"], state["events"])
    queue = await store.events(agent_id(state["agent"]), numbers)
    await store.end_reading(state["agent"])
    if state["owes_reply"] or not state["findings"]:
        return await quote_pages_read(state, runtime)
    finding = state["findings"][-1]
    text, did = (
        (finding["text"], "took the agent's answer") if finding["answers"] else (None, "the agent found no answer")
    )
    words = count_words(queue_text(queue, runtime.context.window_words, dated=False))
    draft = AnswerDraft(text, finding["choice"], finding["quotes"], words, did)
    return await write_answer(draft, await page_store(runtime).document(state["document"]), state, runtime)
