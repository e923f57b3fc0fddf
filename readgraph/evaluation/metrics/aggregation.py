"""Answers about a whole text: counts with partial credit, lists, dates and labels (OOLONG's official evaluation)."""

import re

from readgraph.evaluation.metrics.references import best_of_references
from readgraph.evaluation.metrics.token_f1 import normalised
from readgraph.evaluation.records import Item, Outcome
from readgraph.nodes.survey.values import date_value

SEPARATOR = "; "
"""Between the entries of a reference that is a list; answers may have commas or lines there, too."""

NEAR = 0.75
"""A count loses a quarter of its score for each by which it is wrong."""

_COUNT, _DATE = re.compile(r"-?\d+"), re.compile(r"\d{4}-\d\d-\d\d")
_NUMBER, _AROUND = re.compile(r"-?\d[\d,]*"), " \t\n*[]'\"`."


def aggregation(item: Item, outcome: Outcome) -> float | None:
    """The best score over the references, in percent; None without references, and for unanswerable questions.

    Of a list it is the share of the reference's entries that the answer has. What stands behind the answer's last colon
    ("Label: spam") is taken for the answer where that is better.
    """
    return best_of_references(item, outcome, _score)


def _score(answer: str, reference: str) -> float:
    return max(_score_of(part.strip(_AROUND), reference) for part in (answer, answer.rpartition(":")[2]))


def _score_of(answer: str, reference: str) -> float:
    if _COUNT.fullmatch(reference):
        numbers = _NUMBER.findall(answer)
        return float(NEAR ** abs(int(numbers[-1].replace(",", "")) - int(reference))) if numbers else 0.0
    if _DATE.fullmatch(reference):
        return float(date_value(answer) == reference)
    if SEPARATOR in reference:
        said = {tuple(normalised(part)) for part in re.split(r"[;\n]", answer)}
        said |= {tuple(normalised(part)) for part in re.split(r"[;,\n]", answer)}
        wanted = [tuple(normalised(part)) for part in reference.split(SEPARATOR)]
        return sum(part in said for part in wanted) / len(wanted)
    return float(normalised(answer) == normalised(reference))
