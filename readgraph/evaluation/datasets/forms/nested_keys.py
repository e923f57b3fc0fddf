"""Nested key-value retrieval (MemGPT, section 3.2.2): a value may be a key itself; the question is for the last value.

The paper's numbers: 140 pairs, 0 to 4 nestings, 30 orders of each. It is generated, always the same, without a file.
"""

import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from readgraph.evaluation.datasets.assembling import Asked, assembled
from readgraph.evaluation.records import Dataset, Item, Span, Text

NAME = "nested-keys"

PAIRS, LEVELS, ORDERS = 140, range(5), 30

QUESTION = (
    "The value of a key may be a key itself, and so on. Beginning with key {key}: what is the last value, which is no "
    "key itself?"
)


@dataclass(frozen=True)
class Task:
    """The pairs as a text with one pair in each paragraph, the keys on the way to the last value, and that value."""

    text: str
    keys: tuple[str, ...]
    value: str

    @property
    def question(self) -> str:
        """The question for the last value."""
        return QUESTION.format(key=self.keys[0])

    @property
    def evidence(self) -> tuple[Span, ...]:
        """The paragraphs that lead to the value, in order."""
        starts = [self.text.index(f"Key: {key},") for key in self.keys]
        return tuple(Span(start, self.text.index(".", start) + 1) for start in starts)


def made_task(pairs: int, levels: int, order: int) -> Task:
    """Pairs of random ids; `levels` values are keys themselves. Each order has other ids and other positions."""
    rng = random.Random(f"{pairs} {levels} {order}")
    keys, values = ([str(uuid.UUID(int=rng.getrandbits(128), version=4)) for _ in range(pairs)] for _ in range(2))
    chain = rng.sample(range(pairs), levels + 1)
    for current, following in pairwise(chain):
        values[current] = keys[following]
    lines = [f"Key: {key}, value: {value}." for key, value in zip(keys, values, strict=True)]
    return Task("\n\n".join(lines), tuple(keys[place] for place in chain), values[chain[-1]])


def load(items: int | None = None) -> Dataset:
    """All tasks, those without nestings first."""
    return assembled(None, _asked(), items, NAME)


def _asked() -> Iterator[Asked]:
    for levels in LEVELS:
        for order in range(ORDERS):
            task, identity = made_task(PAIRS, levels, order), f"keys-{levels}-{order}"
            category = f"{levels} nestings" if levels != 1 else "1 nesting"
            item = Item(f"{identity}-q", identity, task.question, (task.value,), (), None, task.evidence, category)
            yield identity, Text(identity, "Pairs of keys and values", task.text), [item]
