"""Memory gisting: the model shortens each page (ReadAgent, section 3.1)."""

from collections.abc import Callable

from langgraph.runtime import Runtime

from readgraph.models.asking import ask_text
from readgraph.models.metering import fell_back
from readgraph.models.prompt import Prompt
from readgraph.nodes.building.interfaces import WriteNote
from readgraph.nodes.extractive import extract_for
from readgraph.nodes.prompts.building.notes import gist_prompt
from readgraph.nodes.prompts.style import note_line
from readgraph.nodes.purpose import purpose_of
from readgraph.state.context import ReaderContext
from readgraph.state.errors import NoUsableReply
from readgraph.state.records import FEWEST_NOTE_WORDS, Note, Page
from readgraph.state.words import count_words

__all__ = ["gist_page"]


def no_longer_than(page: Page) -> Callable[[str], str | None]:
    """The complaint about a note that is longer than its page."""
    most = max(page.words, FEWEST_NOTE_WORDS)
    return lambda note: "it is longer than the passage" if count_words(note) > most else None


def gisting(
    make_prompt: Callable[[str, ReaderContext], Prompt], extract: Callable[[ReaderContext, str], str] = extract_for
) -> WriteNote:
    """Gisting with the prompt that is made of a page's text; `extract` makes the gist that replaces a missing one."""

    async def gist(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
        """The page's gist, never longer than the page; after three unusable replies, an extractive gist."""
        fallback = False
        try:
            prompt = make_prompt(text, runtime.context).adding(note_line(runtime.context.language))
            said = await ask_text(runtime, prompt, no_longer_than(page))
        except NoUsableReply:
            fell_back("gist")
            said, fallback = extract(runtime.context, text), True
        return Note(page.number, said, count_words(said), fallback)

    return gist


gist_page = gisting(lambda text, context: gist_prompt(text, context.gist_words, purpose_of(context)))
