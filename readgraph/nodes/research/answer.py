"""How research answers: from its notes, with evidence (GAM, sections 2.2.2 and 3.5)."""

from dataclasses import dataclass, field
from typing import NotRequired

from langgraph.runtime import Runtime

from readgraph.library.search.okapi import rank
from readgraph.nodes.answering.ask import STYLE, answer_from_notes_prompt, ask_for_answer
from readgraph.nodes.answering.in_view import AnswerSource, ready_answer, write_answer
from readgraph.nodes.contracts import AnswerDraft, AnswerUpdate, AskedState
from readgraph.nodes.extractive import MOST_QUOTES, quote_pages
from readgraph.nodes.memory import OpenedMemory, load_memory, pages_text, snippets_text
from readgraph.nodes.research.integrate import EVIDENCE_SHARE
from readgraph.nodes.research.plan import memos_in_view
from readgraph.nodes.step import node
from readgraph.state.channels import NotMemorised
from readgraph.state.context import ReaderContext
from readgraph.state.reading import Citation, Quote, Step
from readgraph.state.settings import Reflecting, Research, Window
from readgraph.state.words import count_words

SEARCHING = frozenset({"triage", "leaf", "plan", "integrate"})
"""Fall-backs of steps that look for what the answer is made from."""


class FoundState(AskedState):
    """What an answer from notes reads."""

    notes: str
    sources: list[int]
    snippets: list[Citation]
    not_memorised: NotRequired[NotMemorised]
    steps: NotRequired[list[Step]]


class FoundUpdate(AnswerUpdate):
    """What an answer from notes writes: the context that it was made from, too."""

    context: str


@dataclass(frozen=True)
class Context:
    """What a client gets: notes, and parts of the text as evidence; `words` counts both without tags.

    `memos`: those that the notes are, by their pages, where no research was wanted.
    """

    memory: OpenedMemory
    notes: str
    evidence: str
    words: int
    memos: dict[int, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Notes and evidence."""
        return "\n\n".join(filter(None, [self.notes, self.evidence]))


@node(settings=(*STYLE, Reflecting, Research, Window))
async def answer_from_notes(state: FoundState, runtime: Runtime[ReaderContext]) -> FoundUpdate:
    """Make the context, and answer from it unless the context alone is wanted.

    Where nothing was found nobody is asked: status `no_answer`, by rule where the model's last replies were unusable.
    An answer from notes alone is cited with the snippets that the notes rest on. Without a model, and where no usable
    reply came, the answer quotes what was read.
    """
    context = await _context(state, runtime)
    if context.notes and not runtime.context.context_only:
        source = _source_of_context(context, state, runtime)
    else:
        found = bool(context.notes)
        asked = [step for step in state.get("steps", []) if step["usage"]["calls"] + step["usage"]["cached_calls"]]
        gave_up = state["status"] == "budget" or any(SEARCHING & step["fallbacks"].keys() for step in asked[-1:])
        did = f"gave {context.words} words of context" if found else "nothing was found"
        nothing = AnswerDraft(None, None, [], context.words, did, context_alone=found, nearest=not found and gave_up)
        source = ready_answer(context.memory.document, nothing)
    return {**await write_answer(source, state, runtime), "context": context.text}


def _source_of_context(context: Context, state: FoundState, runtime: Runtime[ReaderContext]) -> AnswerSource:
    """Notes and evidence to answer from."""

    async def ask() -> AnswerDraft:
        prompt = answer_from_notes_prompt(context.notes, context.evidence, state["question_text"], state["choices"])
        said = await ask_for_answer(runtime, prompt, state, quoting=bool(context.evidence))
        did = f"answered from {context.words} words of context" if said.answer else "found no answer in the context"
        quotes = said.quotes if context.evidence else _nearest(state, said)
        return said._replace(quotes=quotes, words=context.words, summary=did)

    async def quote() -> AnswerDraft:
        texts = context.memos or await context.memory.texts(state["pages_read"])  # whatever their size
        said = await quote_pages(texts, context.memory.document, state, runtime)
        return said._replace(words=sum(map(count_words, texts.values())))

    return AnswerSource(context.memory.document, quote, ask)


async def _context(state: FoundState, runtime: Runtime[ReaderContext]) -> Context:
    memory = await load_memory(runtime, state)
    if not runtime.context.rounds and not state["notes"]:
        memos = await memos_in_view(memory, {}, state["question_text"])
        by_page = {note.page: note.text for note in memos.notes}
        return Context(memory, memos.text, "", memos.words, by_page)
    notes, wanted = state["notes"], runtime.context.evidence
    evidence, words = "", count_words(notes)
    if wanted == "pages":
        most_words = int(runtime.context.window_words * EVIDENCE_SHARE)
        pages = await memory.pack(state["sources"], most_words)
        evidence, words = pages_text(pages), words + sum(count_words(page.text) for page in pages)
    elif wanted == "snippets":
        evidence = snippets_text(state["snippets"])
        words += sum(count_words(snippet["quote"]) for snippet in state["snippets"])
    return Context(memory, notes, evidence, words)


def _nearest(state: FoundState, said: AnswerDraft) -> list[Quote]:
    """The snippets that an answer without quotes rests on most."""
    quotes = [Quote(page=snippet["page"], quote=snippet["quote"]) for snippet in state["snippets"]]
    if not said.answer:
        return []
    ranked = rank(f"{state['question_text']} {said.answer}", [quote["quote"] for quote in quotes])
    return ([quotes[number] for number, _ in ranked] or quotes)[:MOST_QUOTES]
