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

SHORT = 20
"""Of an answer with fewer characters and no colon all counts, and of a longer one the last word."""

MOST_DIGITS = 18
"""A longer number is no count."""

USER = "user"
"""The group of answers that are numbers of users: one is right, and none is nearly right."""

_COUNT, _DATE = re.compile(r"-?\d+"), re.compile(r"\d{4}-\d\d-\d\d")
_BOXED = re.compile(r"\\boxed\{(?:\\text\{)?([^{}]*)\}")
_NUMBER, _AROUND = re.compile(r"-?\d[\d,]*"), " \t\n*[]'\"`."


def aggregation(item: Item, outcome: Outcome) -> float | None:
    """The best score over the references, in percent; None without references, and for unanswerable questions.

    Of a list it is the share of the reference's entries that the answer has. What a survey says of parts that could not
    be read is no part of its answer.
    """

    def score(answer: str, reference: str) -> float:
        said = without_unread(answer)
        said = said.removeprefix("at least ") if said != answer else said
        boxed = _BOXED.search(said)
        return _score_of((boxed[1] if boxed else said).strip(_AROUND), reference, near=USER not in item.groups)

    return best_of_references(item, outcome, score)


def _score_of(answer: str, reference: str, *, near: bool) -> float:
    if any(phrase in reference.lower() for phrase in COMPARED):
        said = [phrase for phrase in COMPARED if phrase in answer.lower()]
        return float(len(said) == 1 and said[0] in reference.lower())
    if SEPARATOR in reference:
        return max(_share_of_list(part, reference) for part in (answer, answer.rpartition(":")[2]))
    final = _final(answer)
    if near and _COUNT.fullmatch(reference):
        number = final.replace(",", "") if _NUMBER.fullmatch(final) else ""
        return float(NEAR ** abs(int(number) - int(reference))) if 0 < len(number) <= MOST_DIGITS else 0.0
    if _DATE.fullmatch(reference):
        return float(date_value(final, order="mdy") == reference)
    return float(bool(final) and normalised(reference) in (normalised(answer), normalised(final)))


def _final(answer: str) -> str:
    """What the official script takes for the answer: the rest after the last colon, a short answer, or a last word."""
    if ":" in answer or len(answer) < SHORT:
        return answer.rpartition(":")[2].strip(_AROUND)
    return answer.split()[-1].strip(_AROUND)


def _share_of_list(answer: str, reference: str) -> float:
    entries = {tuple(normalised(part)) for part in re.split(r"[;\n]", answer)}
    entries |= {tuple(normalised(part)) for part in re.split(r"[;,\n]", answer)}
    wanted = [tuple(normalised(part)) for part in reference.split(SEPARATOR)]
    return sum(part in entries for part in wanted) / len(wanted)
