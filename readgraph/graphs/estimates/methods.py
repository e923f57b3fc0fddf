"""What a reading will use, for each method, before any call is made; and the check of a long answer."""

import math

from readgraph.graphs.estimates.arithmetic import QUOTES, SENTENCE_WORDS, VERDICT_WORDS, Estimate, EstimateCase, Range
from readgraph.graphs.method import Method
from readgraph.graphs.method_facts import settings_of
from readgraph.graphs.methods import METHODS, builder_of
from readgraph.library.page_store import PageStore
from readgraph.nodes.answering.cite import CHECK_ANSWER, MOST_CHECKED, MOST_SHOWN, WORDS_SHOWN
from readgraph.nodes.answering.in_view import set_long
from readgraph.nodes.answering.verdicts import MOST_SENTENCES, check_sentences_prompt
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput
from readgraph.state.records import Document

__all__ = ["estimate_reading"]

CITES = {"answer_length", "check_sentences"}  # the settings of a method that checks long answers


def estimate_answer_check(method: Method, case: EstimateCase) -> Estimate:
    """The check of the answer to a question; nothing where answers are short."""
    context = case.context
    wanted = case.asks and context.check_sentences and set_long(context)
    if not wanted or not settings_of(method, asks=True) >= CITES:
        return Estimate()
    sentences = math.ceil((case.answer_words() - QUOTES) / SENTENCE_WORDS)
    calls = Range(0, math.ceil(sentences / MOST_SENTENCES), MOST_CHECKED)
    words = case.document.words
    each = min(WORDS_SHOWN * min(sentences, MOST_SENTENCES) / 2, words)
    asked = Range.frame(check_sentences_prompt(CHECK_ANSWER, "", [], "").words)
    shown = Range(0, each + case.question_words, MOST_SENTENCES * MOST_SHOWN * words + context.window_words)
    return Estimate.of(calls, (asked + shown).at_most(context.window_words), MOST_SENTENCES * VERDICT_WORDS)


async def estimate_reading(
    method: Method, store: PageStore, document: Document, context: ReaderContext, question_words: int | None
) -> Estimate:
    """What reading the document will use, and answering a question of `question_words` (None: reading only).

    Makes no call. The bounds hold for any model that replies at all, however bad its replies are. A method that is not
    ours has its own estimate, or without a question that of its memory's builder.

    Args:
        method: The method.
        store: The page store of the library.
        document: The document.
        context: The settings of the run.
        question_words: Words of the question.

    Raises:
        BadInput: If the method has no estimate.
    """
    estimator = method.estimator()
    if not estimator and question_words is None and (builder := METHODS.get(builder_of(method))):
        estimator = builder.estimator()
    if not estimator:
        raise BadInput(f"'{method.name}' has no estimate: leave --estimate out, or write an estimate beside its build.")
    case = EstimateCase(store, document, context, question_words)
    estimate: Estimate = await estimator(case)
    return await case.bound(estimate + estimate_answer_check(method, case))
