"""What reading with notes will use: a call for each part, and one for the answer, however long the text is."""

from dataclasses import replace

from readgraph.estimates.arithmetic import NONE, Estimate, Range, asks, exactly, fixed, unread
from readgraph.estimates.shared import answer_words, pages_of, sending
from readgraph.graphs.overwrite_memory import recipe
from readgraph.nodes.note_taking.sizes import QUESTION_SHARE, chunk_words, most_found_words, most_note_words
from readgraph.nodes.prompts.answering.answer import answer_from_notes_prompt
from readgraph.nodes.prompts.note_taking import take_notes_prompt
from readgraph.nodes.prompts.style import MOST_ANSWER_LINE_WORDS, MOST_NOTE_LINE_WORDS
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document

NOTES_SHARE, ADDED_WORDS = 0.25, 30
"""Expected words of the notes, as a share of the most that they may have; and words that a page adds until then."""


async def estimate_overwrite_memory(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What overwrite-memory will use: nothing without a question, since pages are cut without a model.

    The text is sent once for each question, with the notes and the question beside each part. Where the question takes
    more of the window than its share, prompts are cut, and there is no lower bound of the words sent.
    """
    if question_words is None or not context.model:
        return Estimate()
    left = await unread(store, document, recipe(context), context)
    pages = pages_of(document.words, chunk_words(context))
    if left.complete and left.memory:
        pages = exactly(left.memory.pages)
    beside, notes = _beside(context, question_words, pages), _notes(context, pages, halfway=True)
    reading = sending(document.words, pages, asks(pages, beside, notes.expected))
    if question_words > context.window_words // QUESTION_SHARE:
        reading = replace(reading, input_words=reading.input_words.perhaps_none())
    return reading + _answer(context, question_words, pages)


def _notes(context: ReaderContext, pages: Range, *, halfway: bool = False) -> Range:
    """The words of the notes after these pages; `halfway`: on average, while the pages are read."""
    most = most_note_words(context)
    full, read = NOTES_SHARE * most, pages.expected
    last = min(full, ADDED_WORDS * read)
    growing = last / ADDED_WORDS  # pages until the notes stay as long as they are
    mean = last * (1 - (growing - 1) / 2 / max(read, 1))
    return Range(0, mean if halfway else last, most)


def _beside(context: ReaderContext, question_words: int, pages: Range) -> Range:
    """The words of a prompt beside the page: with the first page there are no notes yet."""
    first, later = (
        take_notes_prompt("", shown, shown, "", {}, page=0, most_words=768, look_back=context.look_back).words
        for shown in ("", "…")
    )
    prompt = Range(fixed(first).low, (first + later) / 2, later + MOST_NOTE_LINE_WORDS)
    found = Range(0, 0, most_found_words(context)) if context.look_back else NONE
    return prompt + _notes(context, pages, halfway=True) + found + exactly(question_words)


def _answer(context: ReaderContext, question_words: int, pages: Range) -> Estimate:
    """The answer, for which nobody is asked where nothing was noted."""
    prompt = fixed(answer_from_notes_prompt("", "", "", {"A": "", "B": ""}).words) + Range(0, 0, MOST_ANSWER_LINE_WORDS)
    shown = _notes(context, pages) + Range(0, 0, most_found_words(context)) + exactly(question_words)
    return asks(Range(0, 1, 1), prompt + shown, answer_words(context, quotes=False))
