"""A random part of a dataset's questions, so that a small evaluation says something about all of its texts."""

import random
from collections import defaultdict
from dataclasses import replace

from readgraph.evaluation.records import Dataset, Item


def sampled(dataset: Dataset, questions: int, seed: int = 0) -> Dataset:
    """At most this many questions drawn at random, and their texts; an episode's steps are drawn together.

    A larger sample of the same seed holds the smaller one, so that an evaluation can go on with more questions. One
    episode is drawn even where it has more steps than that.
    """
    units = defaultdict[tuple[bool, str], list[Item]](list)
    for item in dataset.items:
        units[(True, item.step.episode) if item.step else (False, item.id)].append(item)
    drawn, kept = [*units.values()], set[str]()
    random.Random(seed).shuffle(drawn)
    for unit in drawn:
        if kept and len(kept) + len(unit) > questions:
            break
        kept |= {item.id for item in unit}
    items = tuple(item for item in dataset.items if item.id in kept)
    texts = {item.text for item in items}
    note = f"{len(items):,} of {len(dataset.items):,} questions, drawn at random with seed {seed}."
    return replace(
        dataset,
        items=items,
        texts=tuple(text for text in dataset.texts if text.id in texts),
        note=" ".join(filter(None, [dataset.note, note])),
    )
