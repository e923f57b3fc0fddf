"""A summary carried from piece to piece to the end of the text: the recurrence baseline of MemWalker's paper.

Pieces have 2,500 tokens and the summary at most 500 (section 4.3). Each summary depends on the previous one, so the
calls are a chain; a resumed build uses the recorded replies.
"""

import asyncio
from collections.abc import Iterator

from langgraph.runtime import Runtime

from readgraph.models.asking import ask_text
from readgraph.models.metering import current_meter, fell_back
from readgraph.nodes.building.even_pages import even_ends
from readgraph.nodes.extractive import extract_gist
from readgraph.nodes.prompts.building.summaries import running_summary_prompt
from readgraph.nodes.prompts.style import note_line
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.records import Note, Page
from readgraph.state.words import count_words, first_words

PIECE_WORDS = 1875
SUMMARY_WORDS = 375


def piece_words(context: ReaderContext) -> int:
    """Words of a piece: as in the paper, or as many as fit the window together with the summary."""
    return min(PIECE_WORDS, context.window_words - SUMMARY_WORDS)


async def summarise_on(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
    """The summary at the end of the page. A reply beyond the limit is cut, like the paper's limit on tokens.

    After three unusable replies, an extractive summary is carried on instead.
    """
    summary, fallback = "", False
    for piece in _pieces(text, runtime.context):
        prompt = running_summary_prompt(summary, piece, SUMMARY_WORDS).adding(note_line(runtime.context.language))
        try:
            said = await ask_text(runtime, prompt)
            summary = first_words(said, SUMMARY_WORDS)
        except NoUsableReply:
            fell_back("running_summary")
            summary, fallback = _extended(summary, piece), True
    return Note(page.number, summary, count_words(summary), fallback)


async def extract_on(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
    """The same without a model: an extractive summary of the summary so far and the piece."""
    summary = ""
    for piece in _pieces(text, runtime.context):
        summary = _extended(summary, piece)
        await asyncio.sleep(0)  # lets others work between two pieces
    return Note(page.number, summary, count_words(summary))


def _pieces(text: str, context: ReaderContext) -> Iterator[str]:
    """The pieces of the text; reports the progress before each."""
    start = 0
    for end, _ in even_ends(text, 0, piece_words(context), context.paragraph_break):
        current_meter().report(done=start, of=len(text), pages=1, notes=0)
        yield text[start:end]
        start = end


def _extended(summary: str, piece: str) -> str:
    return extract_gist(f"{summary}\n\n{piece}", SUMMARY_WORDS)
