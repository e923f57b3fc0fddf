"""Comparison of an answer with the reference answers, shared by the metrics of free answers."""

import re
from collections.abc import Callable, Sequence

from readgraph.evaluation.records import Item, Outcome

_LETTERED = re.compile(r"\s*\(?([A-Z])(?:\)|[.:](?=\s|$)|$)\s*(.*)", re.DOTALL)
"""A text that begins with an option's letter: "B", "B.", "(B) The goat"."""


def best_of_references(item: Item, outcome: Outcome, score: Callable[[str, str], float]) -> float | None:
    """The best score of (answer, reference) over the references, in percent; `score` is from 0 to 1.

    An empty answer is compared, too; where there is none, the score is 0. None without references, and for unanswerable
    questions. Of a multiple choice, texts of options are compared (see `compared`).
    """
    if item.unanswerable or not item.references:
        return None
    if outcome.answer is None and outcome.choice is None:
        return 0.0
    answer, references = compared(item, outcome)
    return 100 * max(score(answer.strip(), reference) for reference in references)


def compared(item: Item, outcome: Outcome) -> tuple[str, tuple[str, ...]]:
    """The answer ("" for none) and the references that it is compared with.

    An option's letter is no word of an answer: where a question has options, a text that names one by its letter, or
    begins with the letter, stands for the option without it.
    """
    answer = outcome.answer or ""
    if not item.options:
        return answer, item.references
    options = _without_letters(item.options)
    if outcome.choice is not None and 0 <= outcome.choice < len(options):
        answer = options[outcome.choice]
    return _as_option(answer, item.options, options), tuple(
        _as_option(reference, item.options, options) for reference in item.references
    )


def _without_letters(options: Sequence[str]) -> list[str]:
    """The options' texts without their letters, where each begins with its own and has more than that."""
    found = [_LETTERED.fullmatch(option) for option in options]
    bare = [match[2] for place, match in enumerate(found) if match and match[1] == option_letter(place) and match[2]]
    return bare if len(bare) == len(options) else [*options]


def _as_option(text: str, options: Sequence[str], bare: Sequence[str]) -> str:
    """The bare option that a text names, by its words, its letter, or both; another text as it is."""
    if text in options:
        return bare[options.index(text)]
    match = _LETTERED.fullmatch(text)
    for place, option in enumerate(bare if match else ()):
        if match and match[1] == option_letter(place) and match[2].strip() in ("", option):
            return option
    return text


def option_letter(place: int) -> str:
    """The letter of the option at this place, from 0."""
    return chr(ord("A") + place)
