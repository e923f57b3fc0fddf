"""Made-up tasks over texts of any length: RULER (Hsieh et al., 2024), and nested keys (MemGPT, section 3.2.2).

RULER: a record's input is one prompt: the task, its text, and the question, which show which task it is; a folder of
folders of tasks is one dataset. Nested keys: a value may be a key itself; the question is for the last value. They are
generated, always the same, with the paper's numbers: 140 pairs, 0 to 4 nestings, 30 orders of each.
"""

import random
import re
import uuid
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from pydantic import Field

from readgraph import BadInput
from readgraph.library.stored_items import replace_surrogates
from readgraph.state.files import read_package_toml
from readgraph_evaluation.datasets.forms import Asked, DatasetRecord, build_dataset, form, records
from readgraph_evaluation.records import Dataset, Item, Text, TextSpan

TASK_NAME = re.compile(r"niah_(?:single|multikey|multivalue|multiquery)(?:_\d)?|\bvt|\bcwe|\bfwe|\bqa_\d")
TASKS = read_package_toml(__package__, "ruler.toml")

BEFORE_QUESTION = re.compile(
    r"(?:Answer the question based on the given documents\..{1,200}?)?Question:\s*$|\s+$", re.DOTALL
)  # the separator between text and question


class _RulerTask(DatasetRecord):
    index: int
    input: str
    outputs: list[str] = Field(min_length=1)  # each is right in question answering, else an answer must contain all


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.glob("*/*.jsonl")) if TASK_NAME.fullmatch(path.parent.name))


@form("ruler", _files)
def ruler(path: Path) -> Iterator[Asked]:
    """The questions of a file, or of a folder of tasks; each has its own text."""
    for file in ruler.files(path):
        named = TASK_NAME.search(file.stem) or TASK_NAME.search(file.parent.name)
        for where, task in records(file, _RulerTask):
            family, text, question = _parts(replace_surrogates(task.input), where)
            identity = f"{named[0] if named else family}-{task.index}"
            item = Item(
                *(f"{identity}-q", identity, question, tuple(dict.fromkeys(task.outputs))),
                category=TASKS[family].get("group", family),
                together=family != "qa",
            )
            yield where, Text(identity, identity, text), [item]


def _parts(prompt: str, where: str) -> tuple[str, str, str]:
    for family, patterns in TASKS.items():
        for asked in list(re.finditer(patterns["question"], prompt, re.DOTALL))[-1:]:
            for start in [match.end() for match in re.finditer(patterns["before"], prompt[: asked.start()])][-1:]:
                text = BEFORE_QUESTION.sub("", prompt[start : asked.start()]).strip()
                return family, text, " ".join(asked[0].split())
    raise BadInput(f"In {where}, the input has none of RULER's questions: was it made with RULER's own templates?")


NESTED_KEYS = "nested-keys"
PAIRS, LEVELS, ORDERS = 140, range(5), 30

QUESTION = (
    "The value of a key may be a key itself, and so on. Beginning with key {key}: what is the last value, which is no "
    "key itself?"
)


def make_task(pairs: int, levels: int, order: int) -> tuple[Text, Item]:
    """Pairs of random ids, one a paragraph, and the question for the last value; `levels` values are keys themselves.

    Each order has other ids and other positions. The evidence is the paragraphs that lead to the value, in order.
    """
    rng = random.Random(f"{pairs} {levels} {order}")
    keys, values = ([str(uuid.UUID(int=rng.getrandbits(128), version=4)) for _ in range(pairs)] for _ in range(2))
    chain = rng.sample(range(pairs), levels + 1)
    for current, following in pairwise(chain):
        values[current] = keys[following]
    text = "\n\n".join(f"Key: {key}, value: {value}." for key, value in zip(keys, values, strict=True))
    starts = [text.index(f"Key: {keys[place]},") for place in chain]
    spans = tuple(TextSpan(start, text.index(".", start) + 1) for start in starts)
    category = f"{levels} nestings" if levels != 1 else "1 nesting"
    identity, question = f"keys-{levels}-{order}", QUESTION.format(key=keys[chain[0]])
    item = Item(f"{identity}-q", identity, question, (values[chain[-1]],), evidence=spans, category=category)
    return Text(identity, "Pairs of keys and values", text), item


def make_nested_keys(items: int | None = None) -> Dataset:
    """All tasks, those without nestings first."""
    tasks = (make_task(PAIRS, levels, order) for levels in LEVELS for order in range(ORDERS))
    return build_dataset(None, ((text.id, text, [item]) for text, item in tasks), items, NESTED_KEYS)
