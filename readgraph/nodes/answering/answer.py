"""Answer from the notes and the pages read again (ReadAgent, section 3.2); or from each page, then weigh."""

from collections.abc import Callable

from readgraph.language.passages import FEWEST_WORDS, sentences_as_passages
from readgraph.language.sentences import sentence_spans
from readgraph.library.page_store import page_store
from readgraph.models.asking import ask_reply, can_ask
from readgraph.models.metering import count_fallback, current_meter, record_corrections, suppress_streaming
from readgraph.models.prompt import Prompt
from readgraph.nodes.answering.in_view import (
    STYLE,
    all_quotes,
    answer_prompt,
    answer_request,
    format_finding,
    instead_of_reply,
    quotes_from,
    read_answer,
    weigh_findings,
    write_answer,
)
from readgraph.nodes.beside import ShownPart, settings_beside, show_beside
from readgraph.nodes.bounds import content_room
from readgraph.nodes.contracts import AnswerDraft, AnswerState, AnswerUpdate, AskedState, ReaderRuntime
from readgraph.nodes.extractive.quoting import quote_pages, quote_passages
from readgraph.nodes.memory import MemoryView, format_pages, load_memory, memory_pages, view_memory
from readgraph.nodes.step import StepNode, node
from readgraph.state.loops import all_finished
from readgraph.state.reading import Finding
from readgraph.state.settings import Chunks, Retrieval, Segments, Window
from readgraph.state.words import count_words, first_words, format_count

__all__ = ["answer", "answer_from"]

MakePrompt = Callable[[str, str, dict[str, str]], Prompt]
"""Makes the prompt of a memory's text, the question and its choices."""


def make_answer_node(make_prompt: MakePrompt) -> StepNode[AnswerState, AnswerUpdate]:
    """A node that answers as `answer` does, with this prompt."""

    @node(settings=(*STYLE, *settings_beside()))
    async def answer(state: AnswerState, runtime: ReaderRuntime) -> AnswerUpdate:
        """Answer from all notes, or the pages read again in their place; without a model, quote these pages."""
        view = await view_pages(state["pages_read"], state, runtime)
        draft = await answer_from(view, state, runtime, make_prompt)
        return await write_answer(draft, view.document, state, runtime)

    return answer


answer = make_answer_node(answer_prompt)


async def view_pages(pages: list[int], state: AskedState, runtime: ReaderRuntime) -> MemoryView:
    """What is seen of a memory with these pages in full; without a model, nothing else of it."""
    memory = await load_memory(runtime, {"document": state["document"], "memory": state["memory"]})
    return await (memory.view(pages) if runtime.context.model else memory.view_without_model(pages))


async def answer_from(
    view: MemoryView, state: AskedState, runtime: ReaderRuntime, make_prompt: MakePrompt = answer_prompt
) -> AnswerDraft:
    """Answer from what is seen of a memory: by the model or, without a usable reply of it, by quotes.

    Raises:
        BudgetSpent: Inside of a node with a substitute (`without_model`), if the budget allows no further call.
        ModelUnavailable: If the server can't be used.
    """
    reply = None
    if can_ask(runtime):
        prompt = make_prompt(view.text, state["question_text"], state["choices"])
        shown = (ShownPart(page.number, page.start, page.end) for page in view.pages if page.number in view.full)
        prompt = await show_beside(prompt, view.document, shown, runtime)
        reply = await ask_reply(runtime, *answer_request(prompt, state, runtime), fallback="answer")
    if reply is None:
        return instead_of_reply(await quote_view(view, state, runtime), runtime)
    answer, letter = read_answer(reply, state["choices"])
    gists = sum(note.words > 0 for number, note in view.notes.items() if number not in view.full)
    seen = f"{format_count(gists, 'gist')} and {format_count(len(view.full), 'part')} in full"
    did = f"answered from {seen}" if answer else "found no answer in the text"
    return AnswerDraft(answer, letter, quotes_from(reply.quotes), view.words, did)


async def quote_view(view: MemoryView, state: AskedState, runtime: ReaderRuntime) -> AnswerDraft:
    """The sentences of the pages that stand in full which are nearest to the question."""
    return (await quote_pages(view.full, view.document, state, runtime))._replace(words=view.words)


async def quote_pages_read(state: AskedState, runtime: ReaderRuntime) -> AnswerUpdate:
    """Quote the pages that were read, where what a model did with them came to no answer, which is counted."""
    view = await view_pages(state["pages_read"], state, runtime)
    draft = await quote_view(view, state, runtime)
    if runtime.context.model:
        count_fallback("answer")
        draft = draft._replace(summary=f"gave no answer: {draft.summary}")
    return await write_answer(draft, view.document, state, runtime)


@node(settings=(*STYLE, *settings_beside(), Segments, Window))
async def answer_from_segments(state: AnswerState, runtime: ReaderRuntime) -> AnswerUpdate:
    """Answer from the segments that were found; `cut_segments` cuts those that don't fit (MemGPT, section 3.2.1)."""
    view = await view_memory(runtime, state["document"], state["memory"], state["pages_read"])
    if runtime.context.cut_segments:
        whole, view = view, view.cut_to(content_room(runtime.context, state["question_text"], state["choices"]))
        if left_out := whole.words - view.words:  # not all of what was read was seen
            count_fallback("prompt_cut")
            current_meter().remarks.left_out += left_out
    return await write_answer(await answer_from(view, state, runtime), view.document, state, runtime)


@node(settings=(*STYLE, *settings_beside(), Retrieval))
async def answer_from_retrieved(state: AnswerState, runtime: ReaderRuntime) -> AnswerUpdate:
    """Answer from the pages that were found and, if `show_gists` is set, the gists of the others."""
    view = await view_memory(runtime, state["document"], state["memory"], state["pages_read"])
    view = view if runtime.context.show_gists else view.without_notes()
    return await write_answer(await answer_from(view, state, runtime), view.document, state, runtime)


async def answer_from_notes_alone_without_model(state: AnswerState, runtime: ReaderRuntime) -> AnswerUpdate:
    """Without a model: quote, of the document's sentences, those that a note kept, but for very short ones."""
    view = await view_memory(runtime, state["document"], state["memory"], [])
    record_corrections(view.notes.values())
    noted = [page for page in view.pages if page.number in view.notes]
    texts = await page_store(runtime).spans(view.document, [(page.start, page.end) for page in noted])
    passages = [
        passage
        for page, text in zip(noted, texts, strict=True)
        for passage in sentences_as_passages(page.number, text, sentence_spans(text))
        if count_words(passage.text) >= FEWEST_WORDS and passage.text in view.notes[page.number].text
    ]
    draft = await quote_passages(passages, view.document, state, runtime)
    return await write_answer(draft._replace(words=view.words), view.document, state, runtime)


@node(without_model=answer_from_notes_alone_without_model, settings=STYLE)
async def answer_from_notes_alone(state: AnswerState, runtime: ReaderRuntime) -> AnswerUpdate:
    """Answer where no page is opened; with a model, as `answer` does."""
    view = await view_pages(state["pages_read"], state, runtime)
    return await write_answer(await answer_from(view, state, runtime), view.document, state, runtime)


LONGEST_FINDING = 120  # most words of a page's answer and quotes that are weighed


class EachPageUpdate(AnswerUpdate):
    """What answering writes: also the answer of each page that has one."""

    findings: list[Finding]


async def answer_from_each_without_model(state: AnswerState, runtime: ReaderRuntime) -> EachPageUpdate:
    """Without a model: the passages of all pages that best match the question."""
    view = await view_pages(state["pages_read"], state, runtime)
    draft = await quote_view(view, state, runtime)
    return {**await write_answer(draft, view.document, state, runtime), "findings": []}


@node(without_model=answer_from_each_without_model, settings=(*STYLE, *settings_beside(), Chunks))
async def answer_from_each(state: AnswerState, runtime: ReaderRuntime) -> EachPageUpdate:
    """Answer from each page concurrently; if the answers differ, the model weighs them in one call.

    GAM's long-LLM baseline takes the best score over the chunks (section 3.1), which needs the gold answer: with
    `best_chunk` nothing is weighed, and an evaluation scores each of the `findings`. Quotes for lack of a usable reply
    count only where no page was answered. The compression rate counts the words of all chunks.
    """
    pages = state["pages_read"]
    with suppress_streaming():
        drafts = await all_finished(_answer_page(page, state, runtime) for page in pages)
    findings = [
        Finding(page=page, answers=True, text=draft.answer, choice=draft.choice, quotes=draft.quotes)
        for page, draft in zip(pages, drafts, strict=True)
        if draft.answer and not draft.nearest
    ]
    if not findings and any(draft.nearest for draft in drafts):
        return await answer_from_each_without_model(state, runtime)
    document, chunks = await memory_pages(runtime, state["document"], state["memory"])
    words = sum(page.words for page in chunks if page.number in pages)
    draft = await _draft_from_findings(findings, words, state, runtime)
    return {**await write_answer(draft, document, state, runtime), "findings": findings}


async def _answer_page(page: int, state: AnswerState, runtime: ReaderRuntime) -> AnswerDraft:
    return await answer_from(await view_pages([page], state, runtime), state, runtime)


async def _draft_from_findings(
    findings: list[Finding], words: int, state: AnswerState, runtime: ReaderRuntime
) -> AnswerDraft:
    """The one answer that they give, or what the model says of them; the first where it can't be asked."""
    if not findings:
        return AnswerDraft(None, None, [], words, "found no answer in the text")
    first = AnswerDraft(findings[0]["text"], findings[0]["choice"], all_quotes(findings), words)
    if runtime.context.best_chunk or len({finding["text"] for finding in findings}) == 1:
        return first._replace(
            summary=f"answered from {len(findings)} of {len(state['pages_read'])} parts, each by itself"
        )
    shown = dict[int, str]()
    for finding in findings:
        letter = f"{finding['choice']}. " if finding["choice"] else ""
        shown[finding["page"]] = first_words(letter + format_finding(finding), LONGEST_FINDING)
    if weighed := await weigh_findings(findings, format_pages(shown), state, runtime, words):
        return weighed
    first = first._replace(quotes=findings[0]["quotes"], summary=f"took the first of {len(findings)} answers")
    return instead_of_reply(first, runtime, "weigh")
