"""What the estimates of several methods are made of."""

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
    """An answer from so many words of memory and question."""
    return asks(times, fixed(answer_prompt("", "", {"A": "", "B": ""}).words) + shown, ANSWER_REPLY)


def pages_of(words: float, most: int) -> Range:
    """How many pages of at most so many words a text is cut into evenly (see `readgraph.nodes.building.even_pages`)."""
    fewest = math.ceil(words / most)
    return Range(fewest, fewest, 1 if words <= most else math.ceil(words / max(1, round(FEWEST_SHARE * most))) + 1)


def sending(words: int, pages: Range, foreseen: Estimate) -> Estimate:
    """Asks that were foreseen without the pages that they show, with these: all of a text once, in so many pages."""
    assert pages.high is not None
    # A word that a page's end cuts counts on both.
    shown = asks(ONCE, Range(words, words, words + pages.high), 0).input_words
    return replace(foreseen, input_words=foreseen.input_words + shown)
