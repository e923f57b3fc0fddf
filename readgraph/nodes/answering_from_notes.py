"""Make the context that research found, and answer from it (GAM, sections 2.2.2 and 3.5)."""

from dataclasses import dataclass, field

from langgraph.runtime import Runtime

from readgraph.nodes.answering import SaidAnswer, ask_for_answer
from readgraph.nodes.contracts import AnswerUpdate, AskedState
from readgraph.nodes.evidence import ShownPage, pack_pages, pages_text, snippets_text
from readgraph.nodes.extractive import MOST_QUOTES, quoted_answer
from readgraph.nodes.integrating import EVIDENCE_SHARE
from readgraph.nodes.memory_text import MemoryView, remembered
from readgraph.nodes.memos import memos_in_view
from readgraph.nodes.metering import fell_back
from readgraph.nodes.prompts.answer_from_notes import answer_from_notes_prompt
from readgraph.nodes.step import step_with
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.page_store import page_store
from readgraph.state.reading import Citation, Quote
from readgraph.state.records import Document, Memory
from readgraph.state.search.okapi import rank
from readgraph.state.words import count_words


class FoundState(AskedState):
    """What an answer from notes reads."""

    notes: str
    sources: list[int]
    snippets: list[Citation]


class FoundUpdate(AnswerUpdate):
    """What an answer from notes writes: the context that it was made from, too."""

    context: str


@dataclass(frozen=True)
class Context:
    """What a client gets: notes, and parts of the text as evidence; `words` counts both without tags.

    `memos`: those that the notes are, by their pages, where no research was wanted.
    """

    document: Document
    memory: Memory
    notes: str
    evidence: str
    words: int
    memos: dict[int, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Notes and evidence."""
        return "\n\n".join(filter(None, [self.notes, self.evidence]))

    @property
    def compression_rate(self) -> float:
        """100 · (1 − words in context / words of the text) (ReadAgent, section 4)."""
        return round(100 * (1 - self.words / max(self.document.words, 1)), 2)


async def quote_what_was_found(state: FoundState, runtime: Runtime[ReaderContext]) -> FoundUpdate:
    """Without a model: the sentences of what was read that share most with the question, quoted."""
    context = await _context(state, runtime)
    return _given(context, runtime) or await _quoted(context, state, runtime)


@step_with(without_model=quote_what_was_found)
async def answer_from_notes(state: FoundState, runtime: Runtime[ReaderContext]) -> FoundUpdate:
    """Make the context, and answer from it unless the context alone is wanted.

    Where nothing was found nobody is asked: status `no_answer`. An answer from notes alone is cited with the snippets
    that the notes rest on. Where no usable reply came, the answer quotes what was read.
    """
    context = await _context(state, runtime)
    if given := _given(context, runtime):
        return given
    prompt = answer_from_notes_prompt(context.notes, context.evidence, state["asked"], state["choices"])
    try:
        said = await ask_for_answer(runtime, prompt, state["choices"], quoting=bool(context.evidence))
    except NoUsableReply:
        fell_back("answer")
        return {**await _quoted(context, state, runtime), "did": "gave no usable answer: quoted what was read"}
    quotes = said.quotes if context.evidence else _nearest(state, said)
    return {
        "answer": said.answer,
        "choice": said.choice,
        "quotes": quotes,
        "status": "answered" if said.answer else "no_answer",
        "compression_rate": context.compression_rate,
        "context": context.text,
        "did": f"answered from {context.words} words of context" if said.answer else "found no answer in the context",
    }


async def _context(state: FoundState, runtime: Runtime[ReaderContext]) -> Context:
    document, memory = await remembered(runtime, state["document"], state["memory"])
    if not runtime.context.rounds:
        memos = await memos_in_view(runtime, memory, {}, state["asked"])
        by_page = {note.page: note.text for note in memos.notes}
        return Context(document, memory, memos.text, "", memos.words, by_page)
    notes, wanted = state["notes"], runtime.context.evidence
    evidence, words = "", count_words(notes)
    if wanted == "pages":
        pages = await _packed(state["sources"], document, memory, runtime)
        evidence, words = pages_text(pages), words + sum(count_words(page.text) for page in pages)
    elif wanted == "snippets":
        evidence = snippets_text(state["snippets"])
        words += sum(count_words(snippet["quote"]) for snippet in state["snippets"])
    return Context(document, memory, notes, evidence, words)


async def _packed(
    numbers: list[int], document: Document, memory: Memory, runtime: Runtime[ReaderContext]
) -> list[ShownPage]:
    most_words = int(runtime.context.window_words * EVIDENCE_SHARE)
    return await pack_pages(page_store(runtime), document, memory, numbers, most_words)


def _given(context: Context, runtime: Runtime[ReaderContext]) -> FoundUpdate | None:
    """What there is to say without an answer: nothing was found, or the context alone is wanted."""
    if context.notes and not runtime.context.context_only:
        return None
    return {
        "answer": None,
        "choice": None,
        "quotes": [],
        "status": "researched" if context.notes else "no_answer",
        "compression_rate": context.compression_rate,
        "context": context.text,
        "did": f"gave {context.words} words of context" if context.notes else "nothing was found",
    }


async def _quoted(context: Context, state: FoundState, runtime: Runtime[ReaderContext]) -> FoundUpdate:
    read = [] if context.memos else await _packed(state["pages_read"], context.document, context.memory, runtime)
    view = MemoryView(context.document, [], {}, context.memos or {page.number: page.text for page in read})
    return {**quoted_answer(view, state), "context": context.text}


def _nearest(state: FoundState, said: SaidAnswer) -> list[Quote]:
    """The snippets that an answer without quotes rests on most."""
    quotes = [Quote(page=snippet["page"], quote=snippet["quote"]) for snippet in state["snippets"]]
    if not said.answer:
        return []
    ranked = [quotes[number] for number, _ in rank(f"{state['asked']} {said.answer}", [q["quote"] for q in quotes])]
    return (ranked or quotes)[:MOST_QUOTES]
