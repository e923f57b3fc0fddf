"""BLEU-1 as in the LoCoMo rows of GAM's tables."""

import re

from readgraph.evaluation.metrics.references import best_of_references
from readgraph.evaluation.metrics.squad import ARTICLES
from readgraph.evaluation.optional_imports import library
from readgraph.evaluation.records import Item, Outcome


def bleu_1(item: Item, outcome: Outcome) -> float | None:
    """The share of the answer's words that the reference contains, with a penalty for short answers; the best score.

    Words are in lower case, separated by white space and punctuation, without articles. None without references, and
    for unanswerable questions.
    """
    return best_of_references(item, outcome, _bleu_1)


def _bleu_1(answer: str, reference: str) -> float:
    bleu = library("nltk.translate.bleu_score").sentence_bleu
    return float(bleu([_words(reference)], _words(answer), weights=(1.0,)))


def _words(text: str) -> list[str]:
    return [word for word in re.sub(r"[^\w\s]", " ", text.lower()).split() if word not in ARTICLES]
