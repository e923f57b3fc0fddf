"""Messages that left the window become a history by GAM's memorizer (section 2.2.1), also as LangChain's summarizer."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AnyMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.store.base import BaseStore

from readgraph.api.functions import pages_of
from readgraph.api.running import run_method
from readgraph.graphs import gam
from readgraph.library.histories import SessionText, append_sessions
from readgraph.library.library import Library
from readgraph.library.page_store import PageStore
from readgraph.middleware.messages import transcript
from readgraph.models.prompt import fenced
from readgraph.state.context import ReaderContext
from readgraph.state.loops import in_background
from readgraph.state.records import Note, digest
from readgraph.state.words import format_count

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
        output = await run_method(self.pages, gam.build_memorize(), "gam", document, {}, self.context)
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
