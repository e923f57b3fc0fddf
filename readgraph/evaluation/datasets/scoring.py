"""How each known dataset is scored, as its paper or its official script does."""

from typing import NamedTuple


class Scoring(NamedTuple):
    """The metrics of a dataset, the leading one first, and the profile of the papers' settings for it."""

    metrics: tuple[str, ...]
    profile: str = ""


SCORING = {
    "quality": Scoring(("accuracy",), "quality"),
}

CHOICES = Scoring(("accuracy", "evidence_recall"))
FREE = Scoring(("f1", "rouge_l", "evidence_recall"))


def scoring(dataset: str, *, choices: bool) -> Scoring:
    """The scoring of a dataset's name; of an unknown one by whether its questions are multiple choices."""
    return SCORING.get(dataset) or (CHOICES if choices else FREE)
