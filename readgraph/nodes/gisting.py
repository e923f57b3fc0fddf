"""Memory gisting: the model shortens each page (ReadAgent, section 3.1)."""

from langgraph.runtime import Runtime

from readgraph.nodes.asking import ask_text
from readgraph.nodes.extracts import extract_gist
from readgraph.nodes.metering import fell_back
from readgraph.nodes.prompts.gist import gist_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.records import Note, Page
from readgraph.state.words import count_words

FEWEST_WORDS = 40
"""A gist may have so many words whatever the page has: a heading alone is told in more words than it has."""


async def gist_page(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
    """The page's gist, never longer than the page; after three unusable replies, the sentences of an extractive one."""

    def complaint(gist: str) -> str | None:
        return "it is longer than the passage" if count_words(gist) > max(page.words, FEWEST_WORDS) else None

    fallback = False
    try:
        gist = await ask_text(runtime, gist_prompt(text, runtime.context.gist_words), complaint)
    except NoUsableReply:
        fell_back("gist")
        gist, fallback = extract_gist(text), True
    return Note(page.number, gist, count_words(gist), fallback)
