"""What the check of a long answer will use."""

import math

from readgraph.estimates.arithmetic import Estimate, Range, asks, fixed
from readgraph.estimates.shared import QUOTES, answer_words
from readgraph.graphs.method_facts import settings_of
from readgraph.graphs.methods import Method
from readgraph.nodes.answering.checking import MOST_CHECKED, MOST_SHOWN, WORDS_SHOWN
from readgraph.nodes.answering.style import set_long
from readgraph.nodes.answering.verdicts import MOST_SENTENCES
from readgraph.nodes.prompts.answering.checking import check_answer_prompt
from readgraph.state.context import ReaderContext

SENTENCE_WORDS, VERDICT_WORDS = 20, 15
"""Expected words of a sentence, and of what is said of it, with a quote."""

CITES = {"answer_length", "check_sentences"}
"""The settings of a method that checks long answers."""


def checking_answer(method: Method, words: int, context: ReaderContext, question_words: int) -> Estimate:
    """The check of the answer to a question about a text of so many words; nothing where answers are short."""
    wanted = context.model and context.check_sentences and set_long(context)
    if not wanted or not settings_of(method, asks=True) >= CITES:
        return Estimate()
    sentences = math.ceil((answer_words(context) - QUOTES) / SENTENCE_WORDS)
    calls = Range(0, math.ceil(sentences / MOST_SENTENCES), MOST_CHECKED)
    each = min(WORDS_SHOWN * min(sentences, MOST_SENTENCES) / 2, words)
    asked = fixed(check_answer_prompt("", "", []).words)
    shown = Range(0, each + question_words, MOST_SENTENCES * MOST_SHOWN * words + context.window_words)
    return asks(calls, (asked + shown).at_most(context.window_words), MOST_SENTENCES * VERDICT_WORDS)
