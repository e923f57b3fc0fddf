"""Benchmarks of long texts: ∞Bench, LongBench v2, OOLONG and OOLONG-Pairs, SCROLLS.

∞Bench (Zhang et al., 2024): twelve tasks over more than 100,000 tokens. A file's name tells its task (`passkey.jsonl`).
A folder of them is one dataset, whose categories are the tasks; the summaries, whose answers are far longer, are
another. LongBench v2 (Bai et al., 2024): multiple-choice questions over long texts, code, tables and dialogues. OOLONG
(Bertsch et al., 2025): questions that need every part of a text: labels of hundreds of short texts (synthetic), or
transcripts of games (real), exported from the Hugging Face hub. OOLONG-Pairs (Zhang et al., 2025): for windows of its
set trec_coarse, all pairs of users whose texts have certain labels. SCROLLS (Shaham et al., 2022): sets in one form;
the folder or the file names the set. Of summaries, the input is the text; `readgraph_evaluation.who_questions` makes
questions of them, as MemWalker did. Of questions, it is the question, an empty line, and the text, with QuALITY's
options in between. ContractNLI is not supported: it asks whether a contract entails a sentence.
"""

import ast
import json
import re
from collections.abc import Iterator
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from readgraph import BadInput
from readgraph.library.documents import document_id
from readgraph.library.stored_items import replace_surrogates
from readgraph.sources.loading import fault_of, printable_path
from readgraph.state.files import read_package_toml
from readgraph_evaluation.datasets.forms import Asked, DatasetRecord, Form, build_dataset, form, records
from readgraph_evaluation.metrics.benchmarks import SEPARATOR
from readgraph_evaluation.records import Dataset, Item, Text

SUMMARIES = "longbook_sum_eng"

IN_ORDER = "math_calc"  # the task whose answer is many values, one after the other

QUESTIONS = read_package_toml(__package__, "infinite_bench.toml")
"""The tasks by the names of their files, with the question where a record has none."""

LETTERS = "ABCD"

_TASK = re.compile("|".join(sorted(QUESTIONS, key=len, reverse=True)))


class _InfiniteBenchLine(DatasetRecord):
    context: str
    input: str = ""  # the question
    answer: Any  # a right one, or a list of them
    options: tuple[str, ...] = ()


def _load_infinite_bench(path: Path, items: int | None = None) -> Dataset:
    """The questions of a file, or of a folder of tasks without the summaries; a text may have several."""
    tasks = {file: _task(file) for file in infinite_bench.files(path)}
    asked = {file: task for file, task in tasks.items() if task != SUMMARIES} or tasks
    left = f"{SUMMARIES} is left out: its answers are long, so name that file by itself." if asked != tasks else ""

    def read() -> Iterator[Asked]:
        for file, task in asked.items():
            for number, (where, line) in enumerate(records(file, _InfiniteBenchLine)):
                text = replace_surrogates(line.context)
                identity = document_id(text)
                yield where, Text(identity, task, text), [_item(line, task, identity, number, where)]

    name = "infinite-bench-sum" if [*asked.values()] == [SUMMARIES] else "infinite-bench"
    return build_dataset(path, read(), items, name, note=left)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.glob("*")) if path.is_file() and path.name.partition(".")[0] in QUESTIONS)


infinite_bench = Form("infinite-bench", _load_infinite_bench, _files)


def _task(path: Path) -> str:
    match = _TASK.search(path.name) or _TASK.search(path.absolute().parent.name)
    if not match:
        raise fault_of(path, f"doesn't name its task: name it as ∞Bench does ({', '.join(QUESTIONS)}).")
    return match[0]


def _item(line: _InfiniteBenchLine, task: str, text: str, number: int, where: str) -> Item:
    right = line.answer if isinstance(line.answer, list) else [line.answer]
    answers = tuple(each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in right)
    options = tuple(option.strip() for option in line.options) if task in ("code_debug", "longbook_choice_eng") else ()
    question = line.input.strip() or QUESTIONS[task]
    if not question:
        raise BadInput(f"In {where}, there is no question: 'input' is empty. Correct it there, or leave it out.")
    correct = None
    if options:  # the answer is an option's text, or text and letter
        correct = next((options.index(answer.strip()) for answer in answers if answer.strip() in options), None)
        if correct is None and answers and answers[-1] in LETTERS[: len(options)]:
            correct = LETTERS.index(answers[-1])
        if correct is None:
            raise BadInput(f"In {where}, the answer is none of the options: correct it there, or leave it out.")
    return Item(
        id=f"{task}-{number}",
        text=text,
        question=question,
        references=() if options else answers,
        options=options,
        correct=correct,
        category=task,
        together=task == IN_ORDER,
        summary=task == SUMMARIES,
    )


class _LongBenchLine(DatasetRecord):
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


@form("longbench-v2")
def long_bench(path: Path) -> Iterator[Asked]:
    """The questions of a file; as in the paper, each counts by its difficulty, its length and its domain."""
    for where, line in records(path, _LongBenchLine):
        context = replace_surrogates(line.context)
        name = sha256(context.encode()).hexdigest()[:16]
        item = Item(
            id=line.id,
            text=name,
            question=line.question.strip(),
            options=tuple(getattr(line, f"choice_{letter}").strip() for letter in LETTERS),
            correct=LETTERS.index(line.answer),
            category=line.difficulty,
            groups=tuple(filter(None, [line.length, line.domain])),
        )
        yield where, Text(name, line.domain or name, context), [item]


_DATE = re.compile(r"\[?datetime\.date\((\d+), (\d+), (\d+)\)\]?")


class _OolongLine(DatasetRecord):
    id: str
    context_window_id: str
    context_window_text: str
    question: str
    answer: str  # a list as Python writes it, or, in the real set, plain text
    task_group: str = ""
    question_type: str = ""
    answer_type: str = ""
    dataset: str = ""


@form("oolong")
def oolong(path: Path) -> Iterator[Asked]:
    """The questions of a file, in its order."""
    for where, line in records(path, _OolongLine):
        window = f"{line.dataset} {line.context_window_id}".strip()
        item = Item(
            id=line.id,
            text=window,
            question=line.question.strip(),
            references=(_reference(line.answer),),
            category=line.task_group or line.question_type,
            groups=tuple(filter(None, [line.answer_type.removeprefix("ANSWER_TYPE.").lower().replace("_", " ")])),
        )
        yield where, Text(window, window, replace_surrogates(line.context_window_text)), [item]


def _reference(answer: str) -> str:
    """The answer as plain text: YYYY-MM-DD, entries with "; " between them, or the first of a list as Python has it."""
    if match := _DATE.fullmatch(answer.strip()):
        year, month, day = map(int, match.groups())
        return f"{year:04}-{month:02}-{day:02}"
    try:
        value = ast.literal_eval(answer)
    except (ValueError, SyntaxError):
        return SEPARATOR.join(part.strip() for part in answer.split(",")) if ", " in answer else answer.strip()
    return str(value[0] if isinstance(value, list | tuple) and value else value)


_PAIRS_FILE = re.compile(r"oolong-pairs-(\d+)\.json(?:\.gz)?")


class _OolongPairsLine(DatasetRecord):
    id: str
    question: str
    answer: tuple[str, ...]  # all pairs of users that are right, each as "(22740, 35839)"


class _OolongWindow(DatasetRecord):
    dataset: str = ""
    context_len: int = 0
    context_window_text: str


def _pairs_files(path: Path) -> Iterator[Path]:
    paths = [path, *sorted((*path.glob("oolong-pairs-*"), *path.glob("data/oolong-pairs-*")))]
    return (file for file in paths if _PAIRS_FILE.fullmatch(file.name))


@form("oolong-pairs", _pairs_files)
def oolong_pairs(path: Path) -> Iterator[Asked]:
    """The questions of a file, or of a folder's; each length has one window, the first in the folder."""
    for file in oolong_pairs.files(path):
        if not (named := _PAIRS_FILE.fullmatch(file.name)):
            raise fault_of(file, "doesn't tell its length: name it oolong-pairs-32768.json or alike.")
        length, folder = int(named[1]), path if path.is_dir() else file.parent
        text = Text(f"trec_coarse {length}", f"trec_coarse {length}", _window_of(folder, length))
        for where, line in records(file, _OolongPairsLine):
            pairs = SEPARATOR.join(line.answer) or "none"
            yield where, text, [Item(f"{length}/{line.id}", text.id, line.question.strip(), references=(pairs,))]


def _window_of(folder: Path, length: int) -> str:
    """The first window of trec_coarse of so many tokens in a folder's files."""
    suffixes = (".jsonl", ".jsonl.gz", ".parquet")
    for file in (path for path in sorted(folder.rglob("*")) if path.name.endswith(suffixes)):
        for _, row in records(file, _OolongWindow):
            if row.dataset == "trec_coarse" and row.context_len == length:
                return str(replace_surrogates(row.context_window_text))
    raise BadInput(
        f"There is no window of trec_coarse of {length:,} tokens in {printable_path(folder)}: put the validation files "
        "of oolongbench/oolong-synth there, as JSON lines or Parquet."
    )


SETS = {
    "summ_screen_fd": ("summscreenfd", "What happens in this episode? Sum it up."),
    "gov_report": ("govreport", "What does this report find? Sum it up."),
    **{name: (name.replace("_", ""), "") for name in ("qasper", "narrative_qa", "qmsum", "quality")},
}
"""Our names of the sets, and of those of summaries the question for each."""

OPTIONS = re.compile(r"\s*\(A\)(.+?)\(B\)(.+?)\(C\)(.+?)\(D\)(.+?)\n\n", re.DOTALL)
"""QuALITY's options at the beginning of a text."""


class _ScrollsLine(DatasetRecord):
    id: str  # of an input, which has a line for each output
    pid: str
    input: str
    output: str


def _load_scrolls(path: Path, items: int | None = None) -> Dataset:
    """The questions of a file; the outputs of one input are the references of one question."""
    match = re.search("|".join(SETS), f"{path.absolute().parent.name}/{path.name}")
    if not match:
        raise fault_of(path, f"doesn't name its set: put it into a folder named as SCROLLS does ({', '.join(SETS)}).")
    return build_dataset(path, _read_scrolls(path, match[0]), items, SETS[match[0]][0])


scrolls = Form("scrolls", _load_scrolls)


def _read_scrolls(path: Path, task: str) -> Iterator[Asked]:
    _, to_sum_up = SETS[task]
    for _, of_input in groupby(records(path, _ScrollsLine), lambda record: record[1].id):
        alike = [*of_input]
        where, first = alike[0]
        outputs = tuple(dict.fromkeys(" ".join(line.output.split()) for _, line in alike))
        question, _, text = (to_sum_up, "", first.input) if to_sum_up else first.input.partition("\n\n")
        options = tuple[str, ...]()
        if task == "quality":
            match = OPTIONS.match(text)
            options = tuple(" ".join(option.split()) for option in match.groups()) if match else ()
            if match is None or outputs[0] not in options:
                raise BadInput(
                    f"In {where}, the output is not one of four options, (A) to (D), between question and text."
                )
            text = text[match.end() :]
        text = replace_surrogates(text.strip())
        identity = document_id(text)
        item = Item(
            id=first.id,
            text=identity,
            question=question.strip(),
            references=() if options else outputs,
            options=options,
            correct=options.index(outputs[0]) if options else None,
            unanswerable=outputs == ("unanswerable",),  # in Qasper
            summary=bool(to_sum_up),
        )
        yield where, Text(identity, f"{task} {first.id}", text), [item]
