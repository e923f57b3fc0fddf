"""Messages that leave the window become a history by GAM's memorizer (section 2.2.1); LangChain's summarizer."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.store.base import BaseStore

from readgraph.api.functions import pages_of
from readgraph.api.running import builder_for, run_method
from readgraph.graphs.methods import PARTS
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.library import Library
from readgraph.library.page_store import PageStore
from readgraph.models.prompt import fenced
from readgraph.state.context import ReaderContext
from readgraph.state.loops import in_background
from readgraph.state.records import Note, digest
from readgraph.state.words import count_words, format_count

OURS = "readgraph"  # the key of `additional_kwargs` for our messages' kind, or a result's document


def message_words(message: BaseMessage) -> int:
    """The size of a message in words, with the arguments of its calls."""
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return count_words(str(message.text)) + sum(count_words(_arguments(call)) for call in calls)


async def transcript(pages: PageStore, messages: Sequence[AnyMessage]) -> str:
    """The messages as a text: who said what, calls of tools, and their whole results; what is no text has its kind."""
    names = {call["id"]: call["name"] for message in messages for call in getattr(message, "tool_calls", [])}
    return "\n\n".join([await _format_message(pages, message, names) for message in messages])


async def _format_message(pages: PageStore, message: AnyMessage, names: dict[str | None, str]) -> str:
    if isinstance(message, ToolMessage):
        name = message.name or names.get(message.tool_call_id, "a tool")
        # The whole text of a tool result, which a document may hold in place of the message.
        ours = message.additional_kwargs.get(OURS)
        identity = ours.get("document") if isinstance(ours, dict) else None
        document = await pages.find_document(identity) if identity else None  # it may have been forgotten since
        return f"Result of {name}: {(await pages.text(document) if document else _text(message))}"
    who = "User" if isinstance(message, HumanMessage) else "Agent" if isinstance(message, AIMessage) else "System"
    said = [f"{who}: {_text(message)}"] if _text(message) else []
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return "\n".join([*said, *(f"{who} calls {call['name']}({_arguments(call)})" for call in calls)])


def _text(message: BaseMessage) -> str:
    """A message's text; other content is named by its kind."""
    blocks = message.content if isinstance(message.content, list) else []
    others = [str(block.get("type")) for block in blocks if isinstance(block, dict) and block.get("type") != "text"]
    shown = [f"[{kind}]" for kind in others if kind not in ("tool_use", "tool_call", "reasoning", "thinking")]
    return " ".join(filter(None, [str(message.text).strip(), *shown]))


def _arguments(call: Any) -> str:
    return json.dumps(call["args"], ensure_ascii=False, default=str)


NOTE = "notes"  # what a message with the notes on earlier messages is marked with


def split(messages: Sequence[AnyMessage], most: int, keep: int) -> tuple[list[AnyMessage], list[AnyMessage]]:
    """The messages that leave so that about `keep` words stay (none while there are at most `most`), and the others.

    The last message stays, and so does what the user said last, if it takes at most half of `keep`. A call of tools
    and its results stay or leave together.
    """
    said = [message for message in messages if message.additional_kwargs.get(OURS) != NOTE]
    sizes = [message_words(message) for message in said]
    if sum(map(message_words, messages)) <= most:
        return [], said
    cut = len(said) - 1
    kept = sizes[cut] if said else 0
    while cut > 0 and kept + sizes[cut - 1] <= keep:
        cut -= 1
        kept += sizes[cut]
    cut = _between_calls(said, max(cut, 0))
    asked = next((at for at in reversed(range(cut)) if isinstance(said[at], HumanMessage)), None)
    later = any(isinstance(message, HumanMessage) for message in said[cut:])
    stays = asked if asked is not None and not later and sizes[asked] <= keep // 2 else None
    leaving = [message for at, message in enumerate(said[:cut]) if at != stays]
    return leaving, [*([said[stays]] if stays is not None else []), *said[cut:]]


def _between_calls(said: Sequence[AnyMessage], cut: int) -> int:
    """The cut, moved to before the call whose results it would part from it."""
    results = {message.tool_call_id for message in said[cut:] if isinstance(message, ToolMessage)}
    for at in range(cut):
        message = said[at]
        if isinstance(message, AIMessage) and results & {call["id"] for call in message.tool_calls}:
            return at
    return cut


AT_ONCE = 20  # notes that are fetched at a time


@dataclass(frozen=True)
class History:
    """The history of one conversation, by its name in the library, and how much of its notes is shown."""

    pages: PageStore
    name: str
    context: ReaderContext
    notes_words: int

    async def remember(self, messages: Sequence[AnyMessage], title: str) -> str:
        """Append messages as a session, memorise them, and return the notes that stand for all that left so far.

        The same session again, after a killed step, is not appended again.
        """
        session = SessionText(await transcript(self.pages, messages), title)
        document = (await append_sessions(self.pages, self.name, [session])).document
        output = await run_method(self.pages, builder_for(PARTS["gam-memorize"]), "gam", document, {}, self.context)
        memory = await self.pages.memory(document.id, output["memory"])
        shown, words = list[Note](), 0
        for last in range(memory.pages, 0, -AT_ONCE):
            notes = await self.pages.notes(memory.id, range(max(0, last - AT_ONCE), last))
            for note in reversed(notes):
                words += note.words
                if words > self.notes_words and shown:
                    return _format_notes(shown[::-1], memory.pages)
                shown.append(note)
        return _format_notes(shown[::-1], memory.pages)


def _format_notes(notes: Sequence[Note], pages: int) -> str:
    older = pages - len(notes)
    which = f" Notes on the first {format_count(older, 'page')} are not shown." if older else ""
    body = "\n".join(f"{note.page}: {note.text}" for note in notes)
    return f"Earlier messages are remembered, in {format_count(pages, 'page')}.{which}\n{fenced('notes', body)}"


SUMMARY = "summarization"  # what LangChain marks a message with that holds an earlier summary


def as_summarizer(
    library: Library | BaseStore, history: str, *, context: ReaderContext | None = None, notes_words: int = 400
) -> Runnable[list[AnyMessage], str]:
    """A `summarizer=` that memorises the messages it gets, and returns the newest notes of the history.

    The messages become a session of the history of this name, by GAM's memorizer (section 2.2.1); `research_tool` with
    this name looks up what was said. Give the middleware `trim_tokens_to_summarize=None`: otherwise it leaves messages
    out before the summarizer sees them.

    Args:
        library: The library, or a plain LangGraph store.
        history: The history's name.
        context: The settings of the run; by default those of `ReaderContext()`, without a model.
        notes_words: Most words of the notes that are returned.
    """
    kept = History(pages_of(library, context), history, context or ReaderContext(), notes_words)

    async def summarize(messages: Sequence[AnyMessage]) -> str:
        said = [message for message in messages if message.additional_kwargs.get("lc_source") != SUMMARY]
        if not said:
            return "No earlier messages."
        return await kept.remember(said, f"messages {digest([message.id for message in said], 8)}")

    def summarize_and_wait(messages: Sequence[AnyMessage]) -> str:
        return in_background(summarize, messages)

    return RunnableLambda(summarize_and_wait, summarize)
