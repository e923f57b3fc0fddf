"""Answer from the notes and the pages read again, with quotes (ReadAgent, section 3.2)."""

from collections.abc import Callable

from langgraph.runtime import Runtime

from readgraph.models.metering import used_notes
from readgraph.models.prompt import Prompt
from readgraph.nodes.answering.in_view import InView, View, answering
from readgraph.nodes.answering.said import ask_for_answer
from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import AnswerState, AnswerUpdate, SaidAnswer
from readgraph.nodes.extractive import FEWEST_WORDS, quote_pages, quote_passages, sentences_as_passages
from readgraph.nodes.memory_view import MemoryView, view_memory
from readgraph.nodes.prompts.answering.answer import answer_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.settings import Retrieval, Segments, Window
from readgraph.state.text.sentences import sentence_spans
from readgraph.state.words import count_words, counted

__all__ = ["answer", "answer_from"]

MakePrompt = Callable[[str, str, dict[str, str]], Prompt]
"""Makes the prompt of a memory's text, the question and its choices."""


def memory_shown_by(make_prompt: MakePrompt) -> View[AnswerState]:
    """A memory in view, with this prompt."""

    async def memory_in_view(state: AnswerState, runtime: Runtime[ReaderContext]) -> InView:
        """Answer from the notes of all pages, with those read again in full in their place.

        Without a model, and where no usable reply came, the answer quotes the pages that were read again.
        """
        return await memory_with(state["pages_read"], state, runtime, make_prompt)

    return memory_in_view


async def memory_with(
    pages: list[int], state: AnswerState, runtime: Runtime[ReaderContext], make_prompt: MakePrompt = answer_prompt
) -> InView:
    """A memory with these pages in full."""
    return answer_from(
        await view_memory(runtime, state["document"], state["memory"], pages), state, runtime, make_prompt
    )


def answer_from(
    view: MemoryView, state: AnswerState, runtime: Runtime[ReaderContext], make_prompt: MakePrompt = answer_prompt
) -> InView:
    """What is seen of a memory; without a model, its pages in full are quoted."""

    async def ask() -> SaidAnswer:
        prompt = make_prompt(view.text, state["question_text"], state["choices"])
        said = await ask_for_answer(runtime, prompt, state)
        did = f"answered from {_counts(view)}" if said.answer else "found no answer in the text"
        return said._replace(words=view.words, summary=did)

    async def quote() -> SaidAnswer:
        return (await quote_pages(view.full, view.document, state, runtime))._replace(words=view.words)

    return InView(view.document, quote, ask)


def _counts(view: MemoryView) -> str:
    gists = sum(note.words > 0 for number, note in view.notes.items() if number not in view.full)
    return f"{counted(gists, 'gist')} and {counted(len(view.full), 'part')} in full"


async def notes_in_view(state: AnswerState, runtime: Runtime[ReaderContext]) -> InView:
    """Without a model: quote, of the document's sentences, those that a note kept, but for very short ones."""
    view = await view_memory(runtime, state["document"], state["memory"], [])

    async def quote() -> SaidAnswer:
        used_notes(view.notes.values())
        noted = [page for page in view.pages if page.number in view.notes]
        texts = await page_store(runtime).spans(view.document, [(page.start, page.end) for page in noted])
        full = {page.number: text for page, text in zip(noted, texts, strict=True)}
        kept = [
            passage
            for page, text in full.items()
            for passage in sentences_as_passages(page, text, sentence_spans(text))
            if count_words(passage.text) >= FEWEST_WORDS and passage.text in view.notes[page].text
        ]
        return (await quote_passages(kept, view.document, state, runtime))._replace(words=view.words)

    return InView(view.document, quote)


async def segments_in_view(state: AnswerState, runtime: Runtime[ReaderContext]) -> InView:
    """Answer from the segments that were found; `cut_segments` cuts those that don't fit (MemGPT, section 3.2.1)."""
    view = await view_memory(runtime, state["document"], state["memory"], state["pages_read"])
    if runtime.context.cut_segments:
        view = view.cut_to(content_room(runtime.context, state["question_text"], state["choices"]))
    return answer_from(view, state, runtime)


async def retrieved_in_view(state: AnswerState, runtime: Runtime[ReaderContext]) -> InView:
    """Answer from the pages that were found and, if `show_gists` is set, the gists of the others."""
    view = await view_memory(runtime, state["document"], state["memory"], state["pages_read"])
    return answer_from(view if runtime.context.show_gists else view.without_notes(), state, runtime)


memory_in_view = memory_shown_by(answer_prompt)

answer = answering(memory_in_view, writes=AnswerUpdate)
answer_from_segments = answering(segments_in_view, writes=AnswerUpdate, settings=(Segments, Window))
answer_from_retrieved = answering(retrieved_in_view, writes=AnswerUpdate, settings=(Retrieval,))
answer_from_notes_alone = answering(memory_in_view, without_model=notes_in_view, writes=AnswerUpdate)
"""Answers where no page is opened; with a model, as `answer` does."""
