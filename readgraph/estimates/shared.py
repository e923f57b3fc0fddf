"""Parts of estimates that several methods share."""

import math
from dataclasses import replace

from readgraph.estimates.arithmetic import Estimate, Range, asks, exactly, fixed
from readgraph.nodes.building.even_pages import FEWEST_SHARE
from readgraph.nodes.prompts.answering.answer import answer_prompt
from readgraph.nodes.prompts.style import MOST_ANSWER_LINE_WORDS, PARAGRAPH_WORDS
from readgraph.state.context import ReaderContext

SHORT_ANSWER, QUOTES = 15, 40
"""Expected words of a short answer, and of the quotes that show it."""

LONG_ANSWERS = {"paragraph": PARAGRAPH_WORDS, "free": 150}
"""Expected words of long answers."""

TAG_WORDS = 2
"""Words of the tag before a page."""

FORM_WORDS = 100
"""Words that the window keeps free beside a prompt for the form of the reply, or a few more."""

HALF_PARAGRAPH = 25
"""Words by which a full page is expected to end before its limit: it ends with a paragraph."""

ONCE = exactly(1)


def answer_words(context: ReaderContext, *, quotes: bool = True) -> int:
    """Expected words of an answer, with its quotes or alone, as far as settings tell its length."""
    words = context.answer_words or LONG_ANSWERS.get(context.answer_length or "", SHORT_ANSWER)
    return words + (QUOTES if quotes else 0)


def of_options(context: ReaderContext) -> ReaderContext:
    """The context of a question whose answer is one of its options: a letter, whatever the settings say of answers."""
    return replace(context, answer_length="phrase", answer_words=1)


def answering(shown: Range, context: ReaderContext, times: Range = ONCE) -> Estimate:
    """An answer; `shown`: the words of the memory and of the question. A prompt that doesn't fit the window is cut."""
    prompt = fixed(answer_prompt("", "", {"A": "", "B": ""}).words) + Range(0, 0, MOST_ANSWER_LINE_WORDS)
    room = max(0, context.window_words - FORM_WORDS)
    cut = Range(min(prompt.low + shown.low, room), min(prompt.expected + shown.expected, room), context.window_words)
    return asks(times, cut.at_most((prompt + shown).high), answer_words(context))


def pages_of(words: float, most: int) -> Range:
    """Number of even pages, of at most `most` words each, in a text (see `readgraph.nodes.building.even_pages`)."""
    if words <= most:
        return exactly(math.ceil(words / most))
    typical = most - min(HALF_PARAGRAPH, FEWEST_SHARE * most / 2)
    high = math.ceil(words / max(1, round(FEWEST_SHARE * most))) + 1
    return Range(math.ceil(words / most), min(math.ceil(words / typical), high), high)


def sending(words: int, pages: Range, without_pages: Estimate) -> Estimate:
    """The estimate with the words of the pages added: the whole text is sent once, as this many pages."""
    assert pages.high is not None
    # A word that is cut by the end of a page counts for both pages.
    shown = asks(ONCE, Range(words, words, words + pages.high), 0).input_words
    return replace(without_pages, input_words=without_pages.input_words + shown)
