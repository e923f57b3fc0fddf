"""Memory for agents of `create_agent` and deepagents: gists for long results, and tools for what left the window."""

import json
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, NotRequired

from langchain.agents.middleware import AgentMiddleware, AgentState, ToolCallRequest
from langchain.agents.middleware.types import PrivateStateAttr
from langchain.tools import ToolRuntime
from langchain_core.messages import HumanMessage, RemoveMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.config import get_config
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.types import Command

from readgraph.api.finding import passages
from readgraph.api.functions import pages_of, research
from readgraph.doors.middleware.history import NOTE, OURS, History, split
from readgraph.library.histories import history
from readgraph.library.library import Library
from readgraph.library.page_store import PageStore
from readgraph.models.prompt import fenced
from readgraph.nodes.memory import describe_missing
from readgraph.sources.places import shorten_label
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, BudgetSpent, ModelUnavailable, NoUsableReply
from readgraph.state.loops import in_background
from readgraph.state.records import Document
from readgraph.state.words import LONGEST_WORD, count_words, end_after_words, first_words

if TYPE_CHECKING:
    from readgraph.features.compression.engine import CompressionEngine

LOOK_UP = "look_up"  # the tool that looks into a kept result


@dataclass(frozen=True)
class KeptResults:
    """Keeps results of more than `most` words, and leaves gists of at most `gist_words`, made by the engine."""

    engine: "CompressionEngine"
    most: int
    gist_words: int

    async def shorten_result(
        self, result: ToolMessage | Command[Any], call: dict[str, Any]
    ) -> ToolMessage | Command[Any]:
        """The result of a tool call, where long texts have become documents with gists in their places."""
        if isinstance(result, ToolMessage):
            return await self._keep_message(result, call)
        if isinstance(result.update, dict) and isinstance(messages := result.update.get("messages"), list):
            kept = [
                await self._keep_message(message, call) if isinstance(message, ToolMessage) else message
                for message in messages
            ]
            result.update["messages"] = kept
        return result

    async def _keep_message(self, message: ToolMessage, call: dict[str, Any]) -> ToolMessage:
        blocks = [] if isinstance(message.content, str) else message.content
        plain = all(isinstance(block, str) or block.get("type") == "text" for block in blocks)  # no picture beside it
        text = message.content if isinstance(message.content, str) else str(message.text)
        if not plain or count_words(text) <= self.most:
            return message
        arguments = json.dumps(call.get("args", {}), ensure_ascii=False, default=str)
        title = shorten_label(f"{call.get('name')}({arguments})")
        document = await self.engine.pages.add_document(text, title=title, source=f"tool {title}")
        gist, made = await self._gist(document, text)
        what = "Its gist" if made == "gist" else "Its beginning"
        content = (
            f"The result has {document.words:,} words, and is kept as document {document.id}. {what} follows. "
            f"{LOOK_UP} looks into the document.\n{fenced('gist', gist)}"
        )
        about = {"document": document.id, "words": document.words, "gist": made}
        return message.model_copy(
            update={"content": content, "additional_kwargs": {**message.additional_kwargs, OURS: about}}
        )

    async def _gist(self, document: Document, text: str) -> tuple[str, str]:
        """A gist and "gist"; where none can be made, as of a table without sentences, the beginning and "beginning"."""
        try:
            compressed, _ = await self.engine.compress_document(document, -(-4 * self.gist_words // 3))  # in tokens
        except (BadInput, BudgetSpent, ModelUnavailable, NoUsableReply):
            return first_words(text, self.gist_words), "beginning"
        return compressed.text, "gist"


MOST_PASSAGES = 5  # passages that a look-up shows


async def look_up_document(pages: PageStore, identity: str, query: str, start: int, words: int) -> str:
    """What a kept document says on a query, word for word; without a query, its text from an offset on."""
    document = await pages.find_document(identity.strip())
    if document is None:
        raise BadInput(f"There is no document {identity}: give the id that stands in the place of a result.")
    if query.strip():
        passage_hits = await passages(pages, query, [document], None, MOST_PASSAGES)
        if not passage_hits:
            return f"No passage shares a word with '{query}': use other words, or leave the query out to read it."
        in_order = sorted(passage_hits, key=lambda passage: passage.start)
        texts = await pages.spans(document, [(passage.start, passage.end) for passage in in_order])
        return "\n\n".join(f"[start={passage.start}] {text}" for passage, text in zip(in_order, texts, strict=True))
    start = min(max(start, 0), document.characters)
    reach = min(document.characters, start + words * (LONGEST_WORD + 1))
    (text,) = await pages.spans(document, [(start, reach)])
    text = text[: end_after_words(text, 0, words)]
    end = start + len(text)
    on = f" Go on with start={end}." if end < document.characters else ""
    return f"Characters {start} to {end} of {document.characters}:{on}\n{text}"


RECALL = "recall"  # the tool that researches messages that left the window


class AgentMemoryState(AgentState[Any]):
    """What the middleware keeps in the agent's state: the name of the history, and how many messages it holds."""

    readgraph_history: NotRequired[Annotated[str, PrivateStateAttr]]
    readgraph_messages: NotRequired[Annotated[int, PrivateStateAttr]]


class AgentMemory(AgentMiddleware[AgentMemoryState, Any, Any]):
    """Long tool results become documents, and messages that leave the window become a history; nothing is dropped.

    - A tool result of more than `result_words` becomes a document, with a gist of at most `gist_words` in its place
      (of the compression `engine`); the tool `look_up` searches the document and reads on in it.
    - When the messages have more than `window_words`, the older ones are memorised by GAM (section 2.2.1), tool results
      whole, until about `keep_words` stay. In their place stand the newest notes, at most `notes_words`; the tool
      `recall` researches the rest (section 2.2.2). A call of tools stays with its results, and what the user said
      last stays in view.

    `history` names the history in the library, which threads with the same name share; without it each thread has one.
    None instead of `result_words` or `window_words` leaves that half out. `context` holds the settings of gists, notes
    and research: without a model they are made of the texts' own sentences. Raises `BadInput` for sizes that don't
    fit together.
    """

    state_schema = AgentMemoryState

    def __init__(
        self,
        library: Library | BaseStore,
        *,
        context: ReaderContext | None = None,
        history: str | None = None,
        result_words: int | None = 500,
        gist_words: int = 100,
        window_words: int | None = 6000,
        keep_words: int = 2000,
        notes_words: int = 400,
        engine: str = "readagent_gist",
    ) -> None:
        super().__init__()
        sizes = [gist_words, keep_words, notes_words, *filter(None, [result_words, window_words])]
        if min(sizes) < 1 or result_words == 0 or window_words == 0:
            raise BadInput("Sizes are numbers of words, at least 1; None leaves long results or the window alone.")
        if result_words is not None and gist_words >= result_words:
            raise BadInput(
                f"A gist of {gist_words} words is no shorter than a result of {result_words}: make it shorter."
            )
        if window_words is not None and keep_words + notes_words >= window_words:
            raise BadInput(
                f"{keep_words} words that stay and {notes_words} of notes don't fit the window of {window_words} "
                "words: make it larger, or the others smaller."
            )
        self.pages, self.context, self.history = pages_of(library, context), context or ReaderContext(), history
        self.window_words, self.keep_words, self.notes_words = window_words, keep_words, notes_words
        self.look_up_words = result_words or 500
        self.results: KeptResults | None = None
        self.tools: list[BaseTool] = []
        if result_words is not None:
            self.results = KeptResults(self._engine(engine), result_words, gist_words)
            self.tools.append(_look_up_tool(self))
        if window_words is not None:
            self.tools.append(_recall_tool(self))

    def _engine(self, name: str) -> "CompressionEngine":
        try:
            from readgraph.features.compression.engines import engine_named
        except ImportError:
            raise BadInput("Gists of long results need readgraph's compression: give result_words=None.") from None
        return engine_named(name)(library=self.pages.store, context=self.context)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """Run the tool, and keep a long result as a document; results of our own tools stay as they are."""
        return await self._shorten_result(await handler(request), request)

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """As `awrap_tool_call`, for synchronous runs."""
        return in_background(self._shorten_result, handler(request), request)

    async def abefore_model(self, state: AgentMemoryState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Memorise the messages that leave the window, and put notes in their place."""
        return await self._move_to_history(state, _thread())

    def before_model(self, state: AgentMemoryState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """As `abefore_model`, for synchronous runs."""
        return in_background(self._move_to_history, state, _thread())

    async def _shorten_result(
        self, result: ToolMessage | Command[Any], request: ToolCallRequest
    ) -> ToolMessage | Command[Any]:
        if self.results is None or request.tool_call["name"] in {tool.name for tool in self.tools}:
            return result
        return await self.results.shorten_result(result, dict(request.tool_call))

    async def _move_to_history(self, state: AgentMemoryState, thread: str | None) -> dict[str, Any] | None:
        if self.window_words is None:
            return None
        leaving, staying = split(state["messages"], self.window_words, self.keep_words)
        if not leaving:
            return None
        name = self.history or state.get("readgraph_history") or f"conversation {thread or uuid.uuid4().hex}"
        before = state.get("readgraph_messages", 0)
        title = f"{thread or 'conversation'}, messages {before + 1} to {before + len(leaving)}"
        told = await History(self.pages, name, self.context, self.notes_words).remember(leaving, title)
        note = HumanMessage(f"{told}\n{RECALL} looks up what was said.", additional_kwargs={OURS: NOTE})
        return {
            "messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), note, *staying],
            "readgraph_history": name,
            "readgraph_messages": before + len(leaving),
        }


def _look_up_tool(memory: AgentMemory) -> BaseTool:
    async def look_up(document: str, query: str = "", start: int = 0) -> str:
        """Look into a tool result that is kept as a document.

        Give words to search for as query. Or leave the query out, and the text is read from the character start on.
        """
        try:
            return await look_up_document(memory.pages, document, query, start, memory.look_up_words)
        except BadInput as problem:
            return str(problem)

    def look_up_and_wait(document: str, query: str = "", start: int = 0) -> str:
        return in_background(look_up, document, query, start)

    return StructuredTool.from_function(look_up_and_wait, look_up, name=LOOK_UP, description=look_up.__doc__)


def _recall_tool(memory: AgentMemory) -> BaseTool:
    async def recall(question: str, runtime: ToolRuntime) -> str:
        """Look up what was said or found earlier in this conversation, and is no longer in view.

        Give one question in full words, with full names.
        """
        name = memory.history or runtime.state.get("readgraph_history")
        context = replace(memory.context, evidence="snippets")
        try:
            document = await history(memory.pages, name) if name else None
            if document is None:
                return "Nothing has left this conversation: all of it is in view."
            researched = await research(memory.pages.store, question, document=document.id, context=context)
        except BadInput as problem:
            return str(problem)
        told = researched.context or f"Nothing was found on this among earlier messages: {question}"
        missing = describe_missing(researched.not_memorised)
        return f"{told}\n\n{missing}." if missing else told

    def recall_and_wait(question: str, runtime: ToolRuntime) -> str:
        return in_background(recall, question, runtime)

    return StructuredTool.from_function(recall_and_wait, recall, name=RECALL, description=recall.__doc__)


def _thread() -> str | None:
    """The id of the running thread; None without a checkpointer."""
    thread = get_config().get("configurable", {}).get("thread_id")
    return str(thread) if thread else None
