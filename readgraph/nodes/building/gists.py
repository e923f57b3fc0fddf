"""Memory gisting: the model shortens each page (ReadAgent, section 3.1)."""

from collections.abc import Callable

from langgraph.runtime import Runtime

from readgraph.models.asking import ask_text
from readgraph.models.metering import fell_back
from readgraph.nodes.extractive import extract_gist
from readgraph.nodes.prompts.gist import gist_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.records import Note, Page
from readgraph.state.words import count_words

FEWEST_WORDS = 40
"""A note may always have this many words, because the note of a mere heading may be longer than the heading."""


def no_longer_than(page: Page) -> Callable[[str], str | None]:
    """The complaint about a note that is longer than its page."""
    most = max(page.words, FEWEST_WORDS)
    return lambda note: "it is longer than the passage" if count_words(note) > most else None


async def gist_page(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
    """The page's gist, never longer than the page; after three unusable replies, an extractive gist."""
    context, fallback = runtime.context, False
    prompt = gist_prompt(text, context.gist_words, context.gist_purpose)
    try:
        gist = await ask_text(runtime, prompt, no_longer_than(page))
    except NoUsableReply:
        fell_back("gist")
        gist, fallback = extract_gist(text), True
    return Note(page.number, gist, count_words(gist), fallback)
