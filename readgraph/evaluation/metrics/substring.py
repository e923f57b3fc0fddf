"""Whether the answer contains the reference answers: literally, or as "Lost in the Middle" normalises both."""

from readgraph.evaluation.metrics.references import best_of_references, compared
from readgraph.evaluation.metrics.squad import normalised
from readgraph.evaluation.records import Item, Outcome


def substring_accuracy(item: Item, outcome: Outcome) -> float | None:
    """100 if the answer contains any of the references (ignoring case), else 0 (RULER; Hsieh et al., 2024).

    If the references go together, the percentage that it contains. None without references, and for unanswerable
    questions.
    """
    if item.unanswerable or not item.references:
        return None
    answer, references = compared(item, outcome)
    found = [reference.lower() in answer.lower() for reference in references]
    return 100 * sum(found) / len(found) if item.together else 100.0 * any(found)


def subspan_accuracy(item: Item, outcome: Outcome) -> float | None:
    """100 if the answer's first line contains any of the references, else 0 (Liu et al., 2023).

    Both are in lower case, without ASCII punctuation, the words a, an and the, and needless spaces; a reference may
    begin or end within a word of the answer. Further lines don't count, as in the official script: an answer that
    copied the documents would be right. None without references, and for unanswerable questions.
    """
    return best_of_references(item, outcome, _contains)


def _contains(answer: str, reference: str) -> float:
    first, _, _ = answer.strip().partition("\n")
    return float(" ".join(normalised(reference)) in " ".join(normalised(first)))
