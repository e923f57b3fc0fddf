"""Answers about a whole text: counts with partial credit, lists, dates and labels (OOLONG's official evaluation)."""

import re

from readgraph.evaluation.metrics.references import best_of_references
from readgraph.evaluation.metrics.squad import normalised
from readgraph.evaluation.records import Item, Outcome
from readgraph.nodes.survey.values import date_value
from readgraph.state.survey import without_unread

SEPARATOR = "; "
"""Between the entries of a reference that is a list; answers may have commas or lines there, too."""

NEAR = 0.75
"""A count loses a quarter of its score for each by which it is wrong."""

COMPARED = ("more common", "less common", "same frequency")
"""What a comparison says, whatever words are around it."""

MOST_DIGITS = 18
"""A longer number is no count."""

USER = "user"
"""The group of answers that are numbers of users: one is right, and none is nearly right."""

_COUNT, _DATE = re.compile(r"-?\d+"), re.compile(r"\d{4}-\d\d-\d\d")
_SLASHED = re.compile(r"\b(\d\d?)/(\d\d?)/(\d{4})\b")
_BOXED = re.compile(r"\\boxed\{(?:\\text\{)?([^{}]*)\}")
_NUMBER, _AROUND = re.compile(r"-?\d[\d,]*"), " \t\n*[]'\"`."


def aggregation(item: Item, outcome: Outcome) -> float | None:
    """The best score over the references, in percent; None without references, and for unanswerable questions.

    Of a list it is the share of the reference's entries that the answer has. What stands in a box, behind the answer's
    last colon ("Label: spam"), or as its last word, is taken for the answer where that is better.
    """

    def score(answer: str, reference: str) -> float:
        boxed = _BOXED.search(answer)
        answer = without_unread(answer)
        parts = [boxed[1]] if boxed else [answer, answer.rpartition(":")[2], *answer.split()[-1:]]
        return max(_score_of(part.strip(_AROUND), reference, near=USER not in item.groups) for part in parts)

    return best_of_references(item, outcome, score)


def _score_of(answer: str, reference: str, *, near: bool) -> float:
    said = [phrase for phrase in COMPARED if phrase in answer.lower()]
    if any(phrase in reference.lower() for phrase in COMPARED):
        return float(len(said) == 1 and said[0] in reference.lower())
    if near and _COUNT.fullmatch(reference):
        numbers = _NUMBER.findall(answer)
        if not numbers or len(numbers[-1]) > MOST_DIGITS:
            return 0.0
        return float(NEAR ** abs(int(numbers[-1].replace(",", "")) - int(reference)))
    if _DATE.fullmatch(reference):
        return float(_date_in(answer) == reference)
    if SEPARATOR in reference:
        entries = {tuple(normalised(part)) for part in re.split(r"[;\n]", answer)}
        entries |= {tuple(normalised(part)) for part in re.split(r"[;,\n]", answer)}
        wanted = [tuple(normalised(part)) for part in reference.split(SEPARATOR)]
        return sum(part in entries for part in wanted) / len(wanted)
    return float(normalised(answer) == normalised(reference))


def _date_in(answer: str) -> str | None:
    """The date that an answer gives, as year, month and day; between slashes the month comes first."""
    if slashed := _SLASHED.search(answer):
        month, day, year = map(int, slashed.groups())
        return f"{year}-{month:02}-{day:02}"
    return date_value(answer)
