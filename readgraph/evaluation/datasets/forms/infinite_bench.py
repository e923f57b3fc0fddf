"""∞Bench: twelve tasks over texts of more than 100,000 tokens (Zhang et al., 2024).

Each task is a file, which its name tells (`passkey.jsonl`). A folder of such files is one dataset, whose categories are
the tasks, as in the paper's table. The summaries are a dataset of their own, since their answers are far longer.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from readgraph.evaluation.datasets.assembling import Asked, assembled
from readgraph.evaluation.datasets.record_files import Record, records
from readgraph.evaluation.records import Dataset, Item, Text
from readgraph.sources.loading import shown
from readgraph.state.errors import BadInput
from readgraph.state.store.documents import document_id
from readgraph.state.store.stored_items import storable

KEYS = frozenset({"context", "input", "answer", "options"})

SUMMARIES = "longbook_sum_eng"

CHOICES = frozenset({"code_debug", "longbook_choice_eng"})
"""The tasks with options."""

IN_ORDER = "math_calc"
"""The task whose answer is many values, one after the other."""

QUESTIONS = {
    "passkey": "What is the pass key?",
    "number_string": "What is the sequence of digits?",
    "kv_retrieval": "What is the value of the key that was asked for?",
    "longdialogue_qa_eng": (
        "In this script one name of a speaker is replaced by $$MASK$$. Whose name is it? "
        "Answer with the name as it stands before that speaker's lines."
    ),
    "longbook_qa_eng": "",
    "longbook_qa_chn": "",
    "longbook_choice_eng": "",
    SUMMARIES: "What happens in this book? Sum it up.",
    "math_find": "",
    IN_ORDER: (
        "What are the intermediate values of this expression, from left to right, after each operation? "
        "List all of them, with commas between them."
    ),
    "code_run": "",
    "code_debug": "Which of these functions has a deliberate error?",
}
"""The tasks by the names of their files, with the question where a record has none."""

LETTERS = "ABCD"

_TASK = re.compile("|".join(sorted(QUESTIONS, key=len, reverse=True)))


class Line(Record):
    """A question over its text; `answer` is one right answer, or a list of them."""

    context: str
    input: str = ""
    answer: Any
    options: tuple[str, ...] = ()


def recognise(path: Path) -> bool:
    """Whether this is a folder of tasks."""
    return path.is_dir() and any(True for _ in _files(path))


def load(path: Path, items: int | None = None) -> Dataset:
    """The questions of a file, or of a folder of tasks without the summaries; a text may have several."""
    files = [*_files(path)] if path.is_dir() else [path]
    tasks = {file: _task(file) for file in files}
    asked = [file for file in files if tasks[file] != SUMMARIES] or files
    if not files:
        raise BadInput(f"{shown(path)} holds no tasks of ∞Bench, such as passkey.jsonl.")
    summaries = [tasks[file] for file in asked] == [SUMMARIES]
    left = f"{SUMMARIES} is left out: its answers are long, so name that file by itself." if asked != files else ""
    found = (each for file in asked for each in _asked(file, tasks[file]))
    name = "infinite-bench-sum" if summaries else "infinite-bench"
    return assembled(path, found, items, name, note=left)


def _files(folder: Path) -> Iterator[Path]:
    """The tasks' files, in the order of their names."""
    return (path for path in sorted(folder.iterdir()) if path.is_file() and path.name.partition(".")[0] in QUESTIONS)


def _task(path: Path) -> str:
    found = _TASK.search(path.name) or _TASK.search(path.absolute().parent.name)
    if not found:
        raise BadInput(f"{shown(path)} doesn't name its task: name it as ∞Bench does ({', '.join(QUESTIONS)}).")
    return found[0]


def _asked(path: Path, task: str) -> Iterator[Asked]:
    for number, (where, line) in enumerate(records(path, Line)):
        text = storable(line.context)
        identity = document_id(text)
        yield where, Text(identity, task, text), [_item(line, task, identity, number, where)]


def _item(line: Line, task: str, text: str, number: int, where: str) -> Item:
    answers = tuple(_as_text(each) for each in (line.answer if isinstance(line.answer, list) else [line.answer]))
    options = tuple(option.strip() for option in line.options) if task in CHOICES else ()
    question = line.input.strip() or QUESTIONS[task]
    if not question:
        raise BadInput(f"In {where}, there is no question: 'input' is empty. Correct it there, or leave it out.")
    return Item(
        id=f"{task}-{number}",
        text=text,
        question=question,
        references=() if options else answers,
        options=options,
        correct=_chosen(answers, options, where) if options else None,
        category=task,
        together=task == IN_ORDER,
        summary=task == SUMMARIES,
    )


def _chosen(answers: tuple[str, ...], options: tuple[str, ...], where: str) -> int:
    """The index of the right option: the answer is its text, or text and letter."""
    for answer in answers:
        if answer.strip() in options:
            return options.index(answer.strip())
    if answers and answers[-1] in LETTERS[: len(options)]:
        return LETTERS.index(answers[-1])
    raise BadInput(f"In {where}, the answer is none of the options: correct it there, or leave it out.")


def _as_text(answer: Any) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
