"""Scores of episodes, which have several steps: each step is a question of its own (Mind2Web, section 4.1)."""

from collections import defaultdict
from collections.abc import Mapping
from statistics import fmean

from readgraph.evaluation.records import Item


def whole_episodes(steps: Mapping[int, Mapping[str, float]], items: Mapping[str, Item]) -> dict[int, dict[str, float]]:
    """For each run, 100 for an episode whose steps all have 100, else 0, under the id of its last step.

    An episode of which a step has no score, or was not asked, has none.
    """
    found: dict[int, dict[str, float]] = {}
    for run, scores in steps.items():
        found[run] = {}
        for of in _steps_by_episode(scores, items).values():
            step = items[of[-1]].step
            if step and len(of) == step.steps:
                found[run][of[-1]] = 100.0 * all(scores[item] == 100 for item in of)
    return {run: scores for run, scores in found.items() if scores}


def by_episode(scores: Mapping[str, float], items: Mapping[str, Item]) -> dict[str, float]:
    """The scores, with one value for all steps of an episode: their mean; other questions stay as they are."""
    found = {item: score for item, score in scores.items() if items[item].step is None}
    return found | {
        episode: fmean(scores[item] for item in of) for episode, of in _steps_by_episode(scores, items).items()
    }


def _steps_by_episode(scores: Mapping[str, float], items: Mapping[str, Item]) -> dict[str, list[str]]:
    """The steps that have a score, by their episodes, in the order of the items."""
    found = defaultdict[str, list[str]](list)
    for item in items.values():
        if item.step and item.id in scores:
            found[item.step.episode].append(item.id)
    return found
