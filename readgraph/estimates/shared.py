"""Parts of estimates that several methods share."""

import math
from dataclasses import replace

from readgraph.estimates.arithmetic import Estimate, Range, asks, exactly, fixed
from readgraph.nodes.building.even_pages import FEWEST_SHARE
from readgraph.nodes.prompts.answer import answer_prompt

ANSWER_REPLY = 60
"""Expected words of an answer with its quotes."""

TAG_WORDS = 2
"""Words of the tag before a page."""

ONCE = exactly(1)


def answering(shown: Range, times: Range = ONCE) -> Estimate:
    """An answer; `shown`: the words of the memory and of the question."""
    return asks(times, fixed(answer_prompt("", "", {"A": "", "B": ""}).words) + shown, ANSWER_REPLY)


def pages_of(words: float, most: int) -> Range:
    """Number of even pages, of at most `most` words each, in a text (see `readgraph.nodes.building.even_pages`)."""
    fewest = math.ceil(words / most)
    return Range(fewest, fewest, 1 if words <= most else math.ceil(words / max(1, round(FEWEST_SHARE * most))) + 1)


def sending(words: int, pages: Range, without_pages: Estimate) -> Estimate:
    """The estimate with the words of the pages added: the whole text is sent once, as this many pages."""
    assert pages.high is not None
    # A word that is cut by the end of a page counts for both pages.
    shown = asks(ONCE, Range(words, words, words + pages.high), 0).input_words
    return replace(without_pages, input_words=without_pages.input_words + shown)
