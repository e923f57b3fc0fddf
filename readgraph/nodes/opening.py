"""Begin a question: find or store the document, check the input, reset the question's channels."""

from typing import NotRequired

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config
from langgraph.store.memory import InMemoryStore
from langsmith.utils import tracing_is_enabled

from readgraph.library.page_store import PageStore, page_store
from readgraph.library.stored_items import base_of
from readgraph.models.prompt import read_own_words
from readgraph.models.watching import is_tracing_enabled
from readgraph.nodes.building.recipes import PurposeState, for_question, resolve_notes_language
from readgraph.nodes.contracts import ReaderRuntime, StepUpdate
from readgraph.nodes.memory import OpenedMemory, describe_missing
from readgraph.nodes.prompts import every_wording
from readgraph.nodes.step import MakeRecipe, StepNode, node
from readgraph.state import channels
from readgraph.state.channels import NotMemorised
from readgraph.state.context import OWN_STORE
from readgraph.state.declaring import Groups
from readgraph.state.errors import BadInput
from readgraph.state.reading import Question, QuestionTurn, exchanges_in, last_question
from readgraph.state.records import Document
from readgraph.state.variables import warn_caller
from readgraph.state.words import format_count

__all__ = ["open_document"]

LONGEST_TEXT_INPUT = 400_000  # characters of a text in graph input, which a checkpointer writes
MOST_OPTIONS = 26
MOST_NAMED = 10  # documents that are named to a person who has to choose one


class OpenUpdate(channels.FreshReading):
    document: str
    step_summary: str


class OpenState(Question):
    """What opening reads: the question, and the earlier questions and answers in the thread."""

    question_turns: NotRequired[list[QuestionTurn]]
    answer: NotRequired[str | None]


@node(starts_question=True)
async def open_document(state: OpenState, runtime: ReaderRuntime) -> OpenUpdate:
    """Open a question. The document of an earlier question stays; for a follow-up, so do earlier turns."""
    check_store(runtime)
    warn_of_tracing()
    check_types(state)
    if runtime.context.prompts:  # also those that this question does not need
        every_wording()
        read_own_words(runtime.context.prompts)
    given, options = state.get("question"), state.get("options") or []
    question = last_question(state.get("messages") or []) if given is None else given.strip()
    check_question(question, options, given=given is not None)
    before = _exchanges(state)
    document = await _document(state, page_store(runtime))
    summary = f"opened '{document.title or document.id}' ({document.words:,} words)"
    return {"document": document.id, "step_summary": summary, **channels.fresh_reading(question, options, before)}


def check_types(given: Question) -> None:
    """Refuse input of the wrong type, which would fail later or be misread."""
    for name in ("document", "text", "title", "question"):
        if not isinstance(value := given.get(name), str | None):
            raise BadInput(f"The input's '{name}' must be a string, not {type(value).__name__}.")
    options = given.get("options")
    if not isinstance(options, list | tuple | None) or not all(isinstance(option, str) for option in options or ()):
        raise BadInput("The input's 'options' must be a list of strings.")


def check_question(question: str, options: list[str], *, given: bool) -> None:
    """Refuse a question of white space, and too few or too many options."""
    if given and not question:
        raise BadInput("The question is empty: ask something, or leave it out to read only.")
    if options and not question:
        raise BadInput("There are options but no question.")
    if options and not 2 <= len(options) <= MOST_OPTIONS:
        raise BadInput(f"A multiple choice needs 2 to {MOST_OPTIONS} options; there are {len(options)}.")
    if not all(option.strip() for option in options):
        raise BadInput("An option is empty.")


def _exchanges(state: OpenState) -> list[QuestionTurn]:
    """The questions that this one follows, with their answers: of the conversation, or of the thread."""
    if state.get("question") is None and state.get("follow_up") is not False:
        said = exchanges_in(state.get("messages") or [])
        return [QuestionTurn(question=question, answer=answer) for question, answer in said]
    if not state.get("follow_up"):
        return []
    before = [exchange for exchange in state.get("question_turns", []) if exchange["question"]]
    if not before:
        raise BadInput("There is no question before this one in the thread: ask it without follow_up.")
    return [*before[:-1], QuestionTurn(question=before[-1]["question"], answer=state.get("answer"))]


async def _document(state: OpenState, store: PageStore) -> Document:
    text, document = state.get("text"), state.get("document")
    if document and not text:
        return await store.document(document)
    if text is None:
        if question := last_question(state.get("messages") or []):
            return await _document_meant(question, store)
        raise BadInput("There is nothing to read: give the id of a document in the page store, or a text.")
    check_length(text)
    return await store.add_document(text, title=state.get("title") or "")


def check_length(text: str) -> None:
    """Refuse a text that is too long for graph input."""
    if len(text) > LONGEST_TEXT_INPUT:
        raise BadInput(
            f"A text of {len(text):,} characters is too long for graph input (at most {LONGEST_TEXT_INPUT:,}): "
            "add it to the page store and give its id as 'document'."
        )


async def _document_meant(message: str, store: PageStore) -> Document:
    """The document that a chat message names by its id or title, or the only one that there is."""
    documents = await store.documents()
    named = [
        document for document in documents if document.id in message or (document.title and document.title in message)
    ]
    for candidates in (named, documents):
        if len(candidates) == 1:
            return candidates[0]
    shown = "; ".join(
        f"{document.title or 'untitled'} ({document.id})" for document in (named or documents)[:MOST_NAMED]
    )
    raise BadInput(
        f"Say which document the question is about, by its title or id: {shown}."
        if shown
        else "There is nothing to read yet: give a text, or store a document first."
    )


def check_store(runtime: ReaderRuntime) -> None:
    """Warn if no store keeps what is read; refuse a durable checkpointer together with a store in memory."""
    given = get_config().get("configurable", {})
    saver = None if given.get(OWN_STORE) else given.get("__pregel_checkpointer")  # its threads are the outer run's
    durable = saver is not None and not isinstance(saver, bool | InMemorySaver)
    if durable and (runtime.store is None or type(base_of(runtime.store)) is InMemoryStore):
        raise BadInput(
            "The checkpointer is durable but the store is in memory: after a restart its threads would point at "
            "pages that are gone. Compile the graph with a durable store too, such as that of open_library()."
        )
    if runtime.store is None:
        warn_caller(
            "The graph has no store: what is read is kept in this process only. Compile it with a store to keep it."
        )


class TracingOn(UserWarning):
    """What is read is sent to a tracing service, because the environment enables it."""


def warn_of_tracing() -> None:
    """Warn if the environment sends what is read to a tracing service."""
    if tracing_is_enabled() is True:
        warn_caller("LangSmith tracing is on: questions, prompts and what is read are sent there.", TracingOn)


def is_traced() -> bool:
    """Whether something of a run leaves it without a model: to LangSmith, or to who collects OpenTelemetry's spans."""
    return tracing_is_enabled() is True or is_tracing_enabled()


class ResearchOpenUpdate(OpenUpdate, channels.FreshResearch):
    """What opening writes where a question is researched."""


class FindState(PurposeState):
    document: str


class FindUpdate(StepUpdate):
    memory: str
    not_memorised: NotMemorised


@node(starts_question=True)
async def open_for_research(state: OpenState, runtime: ReaderRuntime) -> ResearchOpenUpdate:
    """Open a question for research, and reset the research of earlier questions."""
    return {**await open_document(state, runtime), **channels.empty_channels(channels.FreshResearch)}


def make_find_memory(recipe: MakeRecipe, *, settings: Groups) -> StepNode[FindState, FindUpdate]:
    """A node that takes a memory of the recipe, else of its purpose, else of its method, and builds none."""

    @node(settings=settings, recipe=recipe)
    async def find_memory(state: FindState, runtime: ReaderRuntime) -> FindUpdate:
        """Use the memory that was built before."""
        store, runtime = page_store(runtime), for_question(state, runtime)
        document = await store.document(state["document"])
        wanted, _ = await resolve_notes_language(recipe(runtime.context), document, runtime.context, store)
        memories = [known for known in await store.memories(state["document"]) if known.recipe.method == wanted.method]
        if not memories:
            raise BadInput(f"The document has no memory of the method '{wanted.method}': read it first.")
        served = [known for known in memories if known.recipe.purpose == wanted.purpose]
        memory = [*memories, *served, *(known for known in memories if known.recipe == wanted)][-1]
        missing = await OpenedMemory(runtime, document, memory).find_missing()
        summary = f"took the memory of {format_count(memory.pages, 'part')}"
        if told := describe_missing(missing):
            warn_caller(f"'{document.title or document.id}': {told}, so nothing is found there.")
            summary += f"; {told}"
        return {"memory": memory.id, "not_memorised": missing, "step_summary": summary}

    return find_memory
