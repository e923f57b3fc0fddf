"""The same nodes with no model: rule-based pages, extractive gists, retrieval look-ups, quoted answers.

The floor that every comparison shows, and what runs where no model is configured. Deterministic.
"""

import asyncio
from collections.abc import AsyncGenerator

from langgraph.runtime import Runtime

from readgraph.nodes.contracts import AnswerState, AnswerUpdate, AskedState, LookUpState, LookUpUpdate
from readgraph.nodes.extracts import FEWEST_PASSAGE_WORDS, extract_gist, nearest, passages_of
from readgraph.nodes.memory_text import MemoryView, listed, memory_pages, view_memory
from readgraph.nodes.page_ends import HEADING, candidate_ends, paragraph_ends, sentence_spans
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.reading import Quote
from readgraph.state.records import Note, Page
from readgraph.state.search.okapi import rank
from readgraph.state.search.terms import content_words
from readgraph.state.words import count_words

STOP_BELOW = 0.5
"""Looking up one by one ends where a page scores less than this share of the best one."""

MOST_QUOTES = 3


async def pages_by_rule(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
    """Pages that end before a heading where one is offered, else as late as they may."""
    context = runtime.context
    number, start = (last.number + 1, last.end) if last else (0, 0)
    ends = paragraph_ends(text, context.paragraph_break) if start < len(text) else []
    while start < len(text):
        offered = candidate_ends(text, ends, start, context.min_page_words, context.max_page_words)
        headed = [end for end in offered if end == len(text) or HEADING.match(text, end)]
        end = (headed or offered)[-1]
        yield Page(number, start, end, count_words(text[start:end]), "rest" if end == len(text) else "rule")
        number, start = number + 1, end


async def extract_note(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
    """A gist made of the page's own sentences."""
    gist = extract_gist(text)
    await asyncio.sleep(0)  # lets the page be stored meanwhile
    return Note(page.number, gist, count_words(gist))


async def choose_pages(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
    """The pages that keyword search ranks first, all at once; pages that were chosen before stay."""
    read = state["pages_read"]
    ranked = [page for page, _ in await ranked_pages(state, runtime) if page not in read]
    pages = ranked[: max(0, runtime.context.max_pages - len(read))]
    did = f"{listed(pages)}: they share words with the question" if pages else listed(pages)
    return {"pages_read": [*read, *pages], "looking": False, "did": did}


async def choose_next(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
    """The next page in the ranking, until the next one is far worse than the best."""
    ranked, read = await ranked_pages(state, runtime), state["pages_read"]
    left = [page for page, score in ranked if page not in read and score >= STOP_BELOW * ranked[0][1]]
    if not left or len(read) >= runtime.context.max_pages:
        return {"pages_read": read, "looking": False, "did": "stopped: no other page comes near"}
    read = [*read, left[0]]
    looking = len(left) > 1 and len(read) < runtime.context.max_pages
    return {"pages_read": read, "looking": looking, "did": f"{listed(read[-1:])}: it shares words with the question"}


async def look_up(state: LookUpState, runtime: Runtime[ReaderContext]) -> LookUpUpdate:
    """Look up as the context's strategy says."""
    choose = choose_pages if runtime.context.strategy == "parallel" else choose_next
    return await choose(state, runtime)


async def answer(state: AnswerState, runtime: Runtime[ReaderContext]) -> AnswerUpdate:
    """The sentences that share most with the question, quoted; with choices, the option they speak for."""
    view = await view_memory(runtime, state["document"], state["memory"], state["pages_read"])
    return quoted_answer(view, state)


async def answer_from_notes(state: AnswerState, runtime: Runtime[ReaderContext]) -> AnswerUpdate:
    """The same from the notes alone: of the document's sentences those that a note kept, but for very short ones."""
    view = await view_memory(runtime, state["document"], state["memory"], [])
    spans = [(page.start, page.end) for page in view.pages]
    texts = await page_store(runtime).spans(view.document, spans)
    full = {page.number: text for page, text in zip(view.pages, texts, strict=True) if page.number in view.notes}
    kept = [
        (page, start, end)
        for page, text in full.items()
        for start, end in sentence_spans(text)
        if count_words(text[start:end]) >= FEWEST_PASSAGE_WORDS and text[start:end] in view.notes[page].text
    ]
    return _quoted(full, kept, view.compression_rate, state)


def quoted_answer(view: MemoryView, state: AnswerState) -> AnswerUpdate:
    """An answer made of the words of the pages that were read again."""
    return _quoted(view.full, passages_of(view.full), view.compression_rate, state)


def _quoted(
    full: dict[int, str], found: list[tuple[int, int, int]], compression_rate: float, state: AnswerState
) -> AnswerUpdate:
    """An answer made of spans (page, start, end) of the pages' texts."""
    query, choice = state["asked"], None
    if state["choices"]:
        texts = [full[page][start:end] for page, start, end in found]
        choice = _spoken_for(state["asked"], state["choices"], texts)
        query = f"{query} {state['choices'][choice]}"
    quoted = nearest(query, full, found, MOST_QUOTES)
    quotes = [Quote(page=page, quote=full[page][start:end]) for page, start, end in quoted]
    best = quotes[0]["quote"] if quotes else None
    return {
        "answer": state["choices"][choice] if choice else best,
        "choice": choice,
        "quotes": quotes,
        "status": "answered" if choice or quotes else "no_answer",
        "compression_rate": compression_rate,
        "did": "quoted what is nearest to the question" if quotes else "found nothing near the question",
    }


def _spoken_for(question: str, choices: dict[str, str], sentences: list[str]) -> str:
    """The letter of the option whose words, with the question's, the best sentence holds."""
    only_in = {letter: {*content_words(option)} - {*content_words(question)} for letter, option in choices.items()}

    def support(letter: str) -> float:
        ranked = rank(f"{question} {choices[letter]}", sentences)[:MOST_QUOTES]
        return sum(score for number, score in ranked if only_in[letter] & {*content_words(sentences[number])})

    return max(choices, key=support)


async def ranked_pages(state: AskedState, runtime: Runtime[ReaderContext]) -> list[tuple[int, float]]:
    """(number, score) of the memory's pages that share a word with the question, best first."""
    document, pages = await memory_pages(runtime, state["document"], state["memory"])
    texts = await page_store(runtime).spans(document, [(page.start, page.end) for page in pages])
    return rank(query_of(state), texts)


def query_of(state: AskedState) -> str:
    """What pages are searched for: the question and its options."""
    return " ".join([state["asked"], *state["choices"].values()])
