"""Answer from the notes and the pages read again, with quotes (ReadAgent, section 3.2)."""

from langgraph.runtime import Runtime

from readgraph.nodes.answering.in_view import InView, answering
from readgraph.nodes.answering.said import ask_for_answer
from readgraph.nodes.contracts import AnswerState, AnswerUpdate, SaidAnswer
from readgraph.nodes.extractive import FEWEST_PASSAGE_WORDS, quoted_answer, quoted_spans
from readgraph.nodes.memory_view import MemoryView, view_memory
from readgraph.nodes.prompts.answer import answer_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.sentences import sentence_spans
from readgraph.state.words import count_words, counted


async def memory_in_view(state: AnswerState, runtime: Runtime[ReaderContext]) -> InView:
    """Answer from the notes of all pages, with those read again in full in their place.

    Without a model, and where no usable reply came, the answer quotes the pages that were read again.
    """
    return await memory_with(state["pages_read"], state, runtime)


async def memory_with(pages: list[int], state: AnswerState, runtime: Runtime[ReaderContext]) -> InView:
    """A memory with these pages in full."""
    view = await view_memory(runtime, state["document"], state["memory"], pages)

    async def ask() -> SaidAnswer:
        said = await ask_for_answer(
            runtime, answer_prompt(view.text, state["question_text"], state["choices"]), state["choices"]
        )
        did = f"answered from {_counts(view)}" if said.answer else "found no answer in the text"
        return said._replace(words=view.words, summary=did)

    async def quote() -> SaidAnswer:
        return quoted_answer(view.full, state)._replace(words=view.words)

    return InView(view.document, quote, ask)


def _counts(view: MemoryView) -> str:
    gists = sum(note.words > 0 for number, note in view.notes.items() if number not in view.full)
    return f"{counted(gists, 'gist')} and {counted(len(view.full), 'page')} in full"


async def notes_in_view(state: AnswerState, runtime: Runtime[ReaderContext]) -> InView:
    """Without a model: quote, of the document's sentences, those that a note kept, but for very short ones."""
    view = await view_memory(runtime, state["document"], state["memory"], [])

    async def quote() -> SaidAnswer:
        noted = [page for page in view.pages if page.number in view.notes]
        texts = await page_store(runtime).spans(view.document, [(page.start, page.end) for page in noted])
        full = {page.number: text for page, text in zip(noted, texts, strict=True)}
        kept = [
            (page, start, end)
            for page, text in full.items()
            for start, end in sentence_spans(text)
            if count_words(text[start:end]) >= FEWEST_PASSAGE_WORDS and text[start:end] in view.notes[page].text
        ]
        return quoted_spans(full, kept, state)._replace(words=view.words)

    return InView(view.document, quote)


answer = answering(memory_in_view, writes=AnswerUpdate)
answer_from_notes_alone = answering(memory_in_view, without_model=notes_in_view, writes=AnswerUpdate)
"""Answers where no page is opened; with a model, as `answer` does."""
