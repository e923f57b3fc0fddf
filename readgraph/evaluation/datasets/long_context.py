"""Benchmarks of long texts: ∞Bench, LongBench v2, OOLONG.

∞Bench (Zhang et al., 2024): twelve tasks over texts of more than 100,000 tokens. Each task is a file, which its name
tells (`passkey.jsonl`). A folder of such files is one dataset, whose categories are the tasks, as in the paper's table.
The summaries are a dataset of their own, since their answers are far longer.

LongBench v2 (Bai et al., 2024): multiple-choice questions over long texts, code, tables and dialogues.

OOLONG (Bertsch et al., 2025): questions that need every part of a long text. The synthetic set counts and compares
labels of hundreds of short texts; the real one asks about transcripts of games. Both are exported from the Hugging Face
hub as JSON lines or Parquet.
"""

import ast
import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from readgraph.evaluation.datasets.assembling import Asked, build_dataset
from readgraph.evaluation.datasets.forms import Form, files_of, folder_with, form_of
from readgraph.evaluation.datasets.record_files import DatasetRecord, records
from readgraph.evaluation.metrics.benchmarks import SEPARATOR
from readgraph.evaluation.records import Dataset, Item, Text
from readgraph.library.documents import document_id
from readgraph.library.stored_items import replace_surrogates
from readgraph.sources.loading import printable_path
from readgraph.state.errors import BadInput

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


class InfiniteBenchLine(DatasetRecord):
    """A question over its text; `answer` is one right answer, or a list of them."""

    context: str
    input: str = ""
    answer: Any
    options: tuple[str, ...] = ()


def _load_infinite_bench(path: Path, items: int | None = None) -> Dataset:
    """The questions of a file, or of a folder of tasks without the summaries; a text may have several."""
    files = files_of(path, _files, "holds no tasks of ∞Bench, such as passkey.jsonl.")
    tasks = {file: _task(file) for file in files}
    asked = [file for file in files if tasks[file] != SUMMARIES] or files
    summaries = [tasks[file] for file in asked] == [SUMMARIES]
    left = f"{SUMMARIES} is left out: its answers are long, so name that file by itself." if asked != files else ""
    found = (each for file in asked for each in _read_infinite_bench(file, tasks[file]))
    name = "infinite-bench-sum" if summaries else "infinite-bench"
    return build_dataset(path, found, items, name, note=left)


def _files(folder: Path) -> Iterator[Path]:
    """The tasks' files, in the order of their names."""
    return (path for path in sorted(folder.iterdir()) if path.is_file() and path.name.partition(".")[0] in QUESTIONS)


INFINITE_BENCH = Form(
    "infinite-bench",
    "∞Bench, such as passkey.jsonl, or its folder.",
    _load_infinite_bench,
    {"context", "input", "answer", "options"},
    folder_with(_files),
)


def _task(path: Path) -> str:
    found = _TASK.search(path.name) or _TASK.search(path.absolute().parent.name)
    if not found:
        raise BadInput(
            f"{printable_path(path)} doesn't name its task: name it as ∞Bench does ({', '.join(QUESTIONS)})."
        )
    return found[0]


def _read_infinite_bench(path: Path, task: str) -> Iterator[Asked]:
    for number, (where, line) in enumerate(records(path, InfiniteBenchLine)):
        text = replace_surrogates(line.context)
        identity = document_id(text)
        yield where, Text(identity, task, text), [_item(line, task, identity, number, where)]


def _item(line: InfiniteBenchLine, task: str, text: str, number: int, where: str) -> Item:
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
        correct=_index_of_right_option(answers, options, where) if options else None,
        category=task,
        together=task == IN_ORDER,
        summary=task == SUMMARIES,
    )


def _index_of_right_option(answers: tuple[str, ...], options: tuple[str, ...], where: str) -> int:
    """The index of the right option: the answer is its text, or text and letter."""
    for answer in answers:
        if answer.strip() in options:
            return options.index(answer.strip())
    if answers and answers[-1] in LETTERS[: len(options)]:
        return LETTERS.index(answers[-1])
    raise BadInput(f"In {where}, the answer is none of the options: correct it there, or leave it out.")


def _as_text(answer: Any) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


OPTION_LETTERS = "ABCD"


class LongBenchLine(DatasetRecord):
    """A question, its four options, and its context."""

    id: Annotated[str, Field(alias="_id")]
    context: str
    question: str
    choice_A: str
    choice_B: str
    choice_C: str
    choice_D: str
    answer: Literal["A", "B", "C", "D"]
    domain: str = ""
    difficulty: str = ""
    length: str = ""


def _read_long_bench(path: Path) -> Iterator[Asked]:
    """The questions of a file; as in the paper, each counts by its difficulty, its length and its domain."""
    for where, line in records(path, LongBenchLine):
        context = replace_surrogates(line.context)
        name = sha256(context.encode()).hexdigest()[:16]
        item = Item(
            id=line.id,
            text=name,
            question=line.question.strip(),
            options=tuple(getattr(line, f"choice_{letter}").strip() for letter in OPTION_LETTERS),
            correct=OPTION_LETTERS.index(line.answer),
            category=line.difficulty,
            groups=tuple(filter(None, [line.length, line.domain])),
        )
        yield where, Text(name, line.domain or name, context), [item]


LONG_BENCH = form_of(
    "longbench-v2",
    "LongBench v2, data.json.",
    _read_long_bench,
    {"_id", "context", "question", "choice_A", "choice_B", "choice_C", "choice_D"},
    licence="Apache 2.0",
)


ANSWER_TYPE = "ANSWER_TYPE."
"""Before the type of an answer in the synthetic set."""

_DATE = re.compile(r"\[?datetime\.date\((\d+), (\d+), (\d+)\)\]?")


class OolongLine(DatasetRecord):
    """A question about a window; `answer` is a list as Python writes it, or, in the real set, plain text."""

    id: str
    context_window_id: str
    context_window_text: str
    question: str
    answer: str
    task_group: str = ""
    question_type: str = ""
    answer_type: str = ""
    dataset: str = ""


def _read_oolong(path: Path) -> Iterator[Asked]:
    """The questions of a file, in its order."""
    for where, line in records(path, OolongLine):
        window = f"{line.dataset} {line.context_window_id}".strip()
        item = Item(
            id=line.id,
            text=window,
            question=line.question.strip(),
            references=(_reference(line.answer),),
            category=line.task_group or line.question_type,
            groups=tuple(filter(None, [line.answer_type.removeprefix(ANSWER_TYPE).lower().replace("_", " ")])),
        )
        yield where, Text(window, window, replace_surrogates(line.context_window_text)), [item]


OOLONG = form_of(
    "oolong",
    "OOLONG, synthetic or real, such as test.jsonl.",
    _read_oolong,
    {"context_window_text", "context_window_id", "question", "answer"},
)


def _reference(answer: str) -> str:
    """The answer as plain text: a date as YYYY-MM-DD, a list of the real set with "; " between its entries.

    Of a list as Python writes it (the synthetic set) the first entry is the answer, as in the official script.
    """
    if found := _DATE.fullmatch(answer.strip()):
        year, month, day = map(int, found.groups())
        return f"{year:04}-{month:02}-{day:02}"
    try:
        value = ast.literal_eval(answer)
    except (ValueError, SyntaxError):
        return SEPARATOR.join(part.strip() for part in answer.split(",")) if ", " in answer else answer.strip()
    return str(value[0] if isinstance(value, list | tuple) and value else value)
