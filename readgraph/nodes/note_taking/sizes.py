"""How much of the window the parts of a prompt may take: the page, the notes, and what is found of earlier notes.

The sizes depend on settings alone, so pages are cut once for all questions. A question that is longer than its share
makes the prompt too long: then it is cut where all prompts are (`readgraph.models.fitting`), and that is counted.
"""

from readgraph.nodes.bounds import INSTRUCTION_WORDS
from readgraph.state.context import ReaderContext

REPLY_WORDS = 100
"""Kept free for the form of the reply."""

NOTES_SHARE, QUESTION_SHARE, LEAST_SHARE = 5, 10, 4
"""The notes take at most a fifth of the window, the question a tenth; a page may always have a quarter."""


def most_note_words(context: ReaderContext) -> int:
    """Most words of the notes, with their page numbers: `note_words`, and a fifth of the window."""
    return min(context.note_words, context.window_words // NOTES_SHARE)


def most_found_words(context: ReaderContext) -> int:
    """Most words of earlier notes that are shown with a page: half as many as of the notes."""
    return most_note_words(context) // 2


def chunk_words(context: ReaderContext) -> int:
    """Most words of a page: `chunk_words`, or as many as the window holds beside all else."""
    window = context.window_words
    beside = INSTRUCTION_WORDS + REPLY_WORDS + most_note_words(context) + most_found_words(context)
    return min(context.chunk_words, max(window - window // QUESTION_SHARE - beside, window // LEAST_SHARE))
