"""SQuAD's official evaluation: exact match, and token F1, the words that an answer and a reference share."""

import re
import string
from collections import Counter
from collections.abc import Sequence

from readgraph.evaluation.metrics.references import best_of_references
from readgraph.evaluation.records import Item, Outcome

ARTICLES = ("a", "an", "the")

_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


def exact_match(item: Item, outcome: Outcome) -> float | None:
    """100 if the answer equals a reference with SQuAD's normalisation, else 0; None without, and if unanswerable."""
    return best_of_references(item, outcome, lambda answer, reference: normalised(answer) == normalised(reference))


def f1(item: Item, outcome: Outcome) -> float | None:
    """Token F1 with SQuAD's normalisation, the best over the references; None without, and if unanswerable."""
    return best_of_references(item, outcome, _squad)


def normalised(text: str, dropped: Sequence[str] = ARTICLES) -> list[str]:
    """The words in lower case, without ASCII punctuation and without the `dropped` words."""
    bare = text.lower().translate(_WITHOUT_PUNCTUATION)
    return re.sub(rf"\b({'|'.join(dropped)})\b", " ", bare).split()


def shared_f1(answer: Sequence[str], reference: Sequence[str]) -> float:
    """The harmonic mean (0 to 1) of the shares of common words in both, counting repeated words."""
    shared = (Counter(answer) & Counter(reference)).total()
    return 2 * shared / (len(answer) + len(reference)) if shared else 0.0


def _squad(answer: str, reference: str) -> float:
    """Token F1; an empty text (after normalisation) matches only another empty text."""
    words, wanted = normalised(answer), normalised(reference)
    return shared_f1(words, wanted) if words and wanted else float(words == wanted)
