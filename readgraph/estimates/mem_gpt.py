"""What the agents will use for a question: function calls until they answer; for MemGPT's, summaries too.

A step shows the instructions with the functions, which are counted, and what the searches before it found: pages in
full for MemGPT's agent, excerpts for the plain reader. How often it searches is the model's affair.
"""

from readgraph.estimates.arithmetic import Estimate, Range, asks, unread
from readgraph.estimates.shared import SHORT_ANSWER, TAG_WORDS, answer_words
from readgraph.nodes.agent.event_text import most_event_words
from readgraph.nodes.agent.filing import filing_recipe
from readgraph.nodes.agent.function_calls import Functions
from readgraph.nodes.agent.functions import READING_FUNCTIONS, archival_search
from readgraph.nodes.agent.memory import PER_PAGE
from readgraph.nodes.agent.memory_parts import usable
from readgraph.nodes.agent.reader_functions import EXCERPT_WORDS, READER_FUNCTIONS
from readgraph.nodes.prompts.agent.instructions import reader_system, reading_system
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document
from readgraph.state.words import count_words

EXPECTED_CHAIN = 4
"""Expected calls of functions: three searches and an answer."""

PLAIN_STEP, PLAIN_READER_STEP = Range(1, 2, 4), Range(1, 2, 2)
"""Calls to the model for one step in plain words: the function, then each of its arguments. The reader's functions
need one."""

STEP_REPLY, SUMMARY_REPLY = 40, 200
"""Expected words of a step's reply, and of a summary."""

CALL_WORDS = 40
"""Expected words of a call in the queue, beside what it found: its tag, the thoughts, the query, the count."""

AROUND_QUESTION, MEMORY_LINES = 60, 40
"""Expected words of tags, the upload and the calls that are left; and of MemGPT's notes and storages."""

FULL_PAGES = 0.9
"""Expected words of a page that is cut by rule, as a share of the most: it ends before that, with a paragraph."""

MATCHING = 0.5
"""Pages on which words of a query stand, as a share of all; embeddings rank every page."""

EXCERPT_SHARE = 3 / 4
"""Expected words of an excerpt, as a share of the most: on some pages fewer than three sentences have a word of the
query."""


async def estimate_mem_gpt(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What MemGPT will use: reading makes no call, and no prompt is longer than the window."""
    if question_words is None or not context.model:
        return Estimate()
    functions = usable(Functions([*READING_FUNCTIONS, archival_search]), context)
    frame = count_words(reading_system(functions.described)) + MEMORY_LINES + question_words
    pages = await _pages(store, document, context)
    found = pages if context.embeddings else MATCHING * pages
    shown = _prompt(frame, _result(document, found, document.words / pages, context), context)
    return _steps(context, shown, PLAIN_STEP) + asks(Range(0, 0, context.max_chain), shown, SUMMARY_REPLY)


async def estimate_reader_agent(
    store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What the plain reader will use: its steps alone."""
    if question_words is None or not context.model:
        return Estimate()
    frame = count_words(reader_system(usable(Functions(READER_FUNCTIONS), context).described)) + question_words
    pages = await _pages(store, document, context)
    excerpt = min(EXCERPT_SHARE * EXCERPT_WORDS, document.words / pages)
    return _steps(
        context, _prompt(frame, _result(document, MATCHING * pages, excerpt, context), context), PLAIN_READER_STEP
    )


async def _pages(store: PageStore, document: Document, context: ReaderContext) -> float:
    """How many pages the agent can search."""
    left = await unread(store, document, filing_recipe(context), context)
    new = left.words / min(max(left.words, 1), FULL_PAGES * context.max_page_words)
    return max(1, left.pages + left.notes + new)


def _result(document: Document, found: float, each: float, context: ReaderContext) -> float:
    """Words of a search in the queue: one page of the results, `each` of so many words beside its name."""
    name = 2 * TAG_WORDS + 1 + count_words(document.title)
    items = min(PER_PAGE, max(1, found))
    return CALL_WORDS + min(items * (each + name), most_event_words(context.window_words))


def _steps(context: ReaderContext, prompt: Range, in_plain_words: Range) -> Estimate:
    steps = Range(1, min(EXPECTED_CHAIN, context.max_chain), context.max_chain)
    longer = Estimate(output_words=Range(0, max(0, answer_words(context, quotes=False) - SHORT_ANSWER), None))
    return longer + asks(steps * in_plain_words if context.reply_form == "plain" else steps, prompt, STEP_REPLY)


def _prompt(frame: float, result: float, context: ReaderContext) -> Range:
    """Words of a step's prompt: the frame, and on average what half of the searches found."""
    searches = (min(EXPECTED_CHAIN, context.max_chain) - 1) / 2
    window = context.window_words
    return Range(0, min(AROUND_QUESTION + frame + searches * result, window), window)
