"""LoCoMo's official scoring: token F1 of stemmed words, by the category of the question (Maharana et al., 2024)."""

from functools import cache
from statistics import fmean
from typing import Any

from readgraph.evaluation.metrics.references import best_of_references
from readgraph.evaluation.metrics.squad import ARTICLES, normalised, shared_f1
from readgraph.evaluation.optional_imports import library
from readgraph.evaluation.records import Item, Outcome


def locomo_f1(item: Item, outcome: Outcome) -> float | None:
    """The official score of the item's category.

    "multi-hop": reference and answer are split at commas; the mean, over the reference's parts, of the best F1 with a
    part of the answer. "open-domain": F1 with the reference up to its first semicolon. Others: F1. None without
    references, and for "adversarial" questions (see `abstention`).
    """
    if item.category == "adversarial":
        return None
    score = {"multi-hop": _parts_f1, "open-domain": _first_part_f1}.get(item.category, _stemmed_f1)
    return best_of_references(item, outcome, score)


def _parts_f1(answer: str, reference: str) -> float:
    parts = answer.split(",")
    return fmean(max(_stemmed_f1(part, wanted) for part in parts) for wanted in reference.split(","))


def _first_part_f1(answer: str, reference: str) -> float:
    return _stemmed_f1(answer, reference.partition(";")[0])


def _stemmed_f1(answer: str, reference: str) -> float:
    return shared_f1(_stems(answer), _stems(reference))


def _stems(text: str) -> list[str]:
    return [_stemmer().stem(word) for word in normalised(text, (*ARTICLES, "and"))]


@cache
def _stemmer() -> Any:
    return library("nltk.stem.porter").PorterStemmer()
