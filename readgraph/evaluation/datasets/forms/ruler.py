"""RULER: synthetic tasks over texts of any length (Hsieh et al., 2024).

A record's input is one prompt: optionally a worked example, then the task, its text, and the question. Text and
question are taken from it, and show which task it is. The task's full name ("niah_multikey_1") is taken from the file
or its folder, as RULER's own script names them (`niah_multikey_1/validation.jsonl`). A folder of such folders is one
dataset, whose categories are the groups of tasks that papers give figures for.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from readgraph.evaluation.datasets.assembling import Asked, assembled
from readgraph.evaluation.datasets.record_files import Record, records
from readgraph.evaluation.records import Dataset, Item, Text
from readgraph.sources.loading import shown
from readgraph.state.errors import BadInput
from readgraph.state.store.stored_items import storable

KEYS = frozenset({"index", "input", "outputs"})

TASK_NAME = re.compile(r"niah_(?:single|multikey|multivalue|multiquery)(?:_\d)?|\bvt|\bcwe|\bfwe|\bqa_\d")

QA = "qa"

TASKS = {
    "niah": (
        r"I will quiz you about the .{1,60}? afterwards\.\s",
        r"What (?:is|are all) the special magic .{1,2000}? mentioned in the provided text\?",
    ),
    "vt": (
        r"chain\(s\) of variable assignment hidden in the following text\.\s",
        r"Find all variables that are assigned the value \S+ in the text above\.?",
    ),
    "cwe": (r"Memorize the ones that appear most often\.\s", r"What are the 10 most common words in the above list\?"),
    "fwe": (
        r"Find the three most frequently appeared coded words\.\s",
        r"Do not provide any explanation\..{1,300}? in the above coded text\?",
    ),
    QA: (
        r"The following are given documents\.\s",
        r"(?<=Question: )(?:(?!Question: ).)+?(?=\s*(?:\n|\[/INST\]|<\||Answer:|$))",
    ),
}
"""Patterns for each task: the end of the words before the text, and the question. The last match in a prompt counts,
since a worked example may come before the task."""

BEFORE_QUESTION = re.compile(
    r"(?:Answer the question based on the given documents\..{1,200}?)?Question:\s*$|\s+$", re.DOTALL
)
"""The separator between text and question."""


GROUPS = {"cwe": "cwe and fwe", "fwe": "cwe and fwe"}
"""The groups of tasks that are named otherwise than their only task."""


class SyntheticTask(Record):
    """A task; in question answering each output is right, in other tasks the answer must contain all outputs."""

    index: int
    input: str
    outputs: list[str] = Field(min_length=1)


def recognise(path: Path) -> bool:
    """Whether this is a folder of tasks."""
    return path.is_dir() and any(True for _ in _files(path))


def load(path: Path, items: int | None = None) -> Dataset:
    """The questions of a file, or of a folder of tasks; each has its own text."""
    files = [*_files(path)] if path.is_dir() else [path]
    if not files:
        raise BadInput(f"{shown(path)} holds no tasks of RULER, such as niah_multikey_1/validation.jsonl.")
    return assembled(path, (asked for file in files for asked in _asked(file)), items, "ruler", licence="Apache 2.0")


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.glob("*/*.jsonl")) if TASK_NAME.fullmatch(path.parent.name))


def _asked(path: Path) -> Iterator[Asked]:
    named = TASK_NAME.search(path.stem) or TASK_NAME.search(path.parent.name)
    for where, task_record in records(path, SyntheticTask):
        family, text, question = _parts(storable(task_record.input), where)
        task = named[0] if named else family
        identity = f"{task}-{task_record.index}"
        outputs = tuple(dict.fromkeys(task_record.outputs))
        item = Item(
            f"{identity}-q", identity, question, outputs, category=GROUPS.get(family, family), together=family != QA
        )
        yield where, Text(identity, identity, text), [item]


def _parts(prompt: str, where: str) -> tuple[str, str, str]:
    """The task, the text, and the question of a prompt."""
    for family, (before, question) in TASKS.items():
        for asked in list(re.finditer(question, prompt, re.DOTALL))[-1:]:
            for start in [match.end() for match in re.finditer(before, prompt[: asked.start()])][-1:]:
                text = BEFORE_QUESTION.sub("", prompt[start : asked.start()]).strip()
                return family, text, " ".join(asked[0].split())
    raise BadInput(
        f"In {where}, the input has none of RULER's questions: was it task_record with RULER's own templates?"
    )
