"""SCROLLS: sets of long texts in one form (Shaham et al., 2022); the folder or the file names the set.

In the two sets of summaries (SummScreenFD and GovReport, which MemWalker uses), the input is the text, and the question
is for its summary; `readgraph.evaluation.who_questions` makes questions from the summaries, as MemWalker did. In the
sets of questions, the input is the question, an empty line, and the text; QuALITY's options are in between. ContractNLI
is not supported: it asks whether a contract entails a sentence.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from readgraph.evaluation.datasets.assembling import Asked, build_dataset
from readgraph.evaluation.datasets.forms import Form
from readgraph.evaluation.datasets.record_files import DatasetRecord, records
from readgraph.evaluation.records import Dataset, Item, Text
from readgraph.library.documents import document_id
from readgraph.library.stored_items import replace_surrogates
from readgraph.sources.loading import printable_path
from readgraph.state.errors import BadInput

SUMMARY_TASKS = {
    "summ_screen_fd": ("summscreenfd", "What happens in this episode? Sum it up."),
    "gov_report": ("govreport", "What does this report find? Sum it up."),
}
"""The sets of summaries: our names and the question for each."""

QUESTION_TASKS = {"qasper": "qasper", "narrative_qa": "narrativeqa", "qmsum": "qmsum", "quality": "quality"}
"""The sets of questions, and our names."""

OPTIONS = re.compile(r"\s*\(A\)(.+?)\(B\)(.+?)\(C\)(.+?)\(D\)(.+?)\n\n", re.DOTALL)
"""QuALITY's options at the beginning of a text."""

UNANSWERABLE = "unanswerable"
"""Qasper's answer to a question that the text doesn't answer."""


class ScrollsLine(DatasetRecord):
    """An input with one right output; an input with several outputs has several lines."""

    id: str
    pid: str
    input: str
    output: str


def _load(path: Path, items: int | None = None) -> Dataset:
    """The questions of a file; the outputs of one input are the references of one question."""
    found = re.search("|".join((*SUMMARY_TASKS, *QUESTION_TASKS)), f"{path.absolute().parent.name}/{path.name}")
    if not found:
        names = ", ".join((*SUMMARY_TASKS, *QUESTION_TASKS))
        raise BadInput(
            f"{printable_path(path)} doesn't name its set: put it into a folder named as SCROLLS does ({names})."
        )
    task = found[0]
    name = SUMMARY_TASKS[task][0] if task in SUMMARY_TASKS else QUESTION_TASKS[task]
    return build_dataset(path, _read_scrolls(path, task), items, name)


SCROLLS = Form("scrolls", "SCROLLS, such as summ_screen_fd/validation.jsonl.", _load, {"id", "pid", "input", "output"})


def _read_scrolls(path: Path, task: str) -> Iterator[Asked]:
    for where, lines in _inputs(path):
        outputs = tuple(dict.fromkeys(" ".join(line.output.split()) for line in lines))
        if task in SUMMARY_TASKS:
            (_, question), text = SUMMARY_TASKS[task], lines[0].input
        else:
            question, _, text = lines[0].input.partition("\n\n")
        options = tuple[str, ...]()
        if task == "quality":
            options, text = _options(text, outputs[0], where)
        text = replace_surrogates(text.strip())
        identity = document_id(text)
        item = Item(
            id=lines[0].id,
            text=identity,
            question=question.strip(),
            references=() if options else outputs,
            options=options,
            correct=options.index(outputs[0]) if options else None,
            unanswerable=outputs == (UNANSWERABLE,),
            summary=task in SUMMARY_TASKS,
        )
        yield where, Text(identity, f"{task} {lines[0].id}", text), [item]


def _options(text: str, right: str, where: str) -> tuple[tuple[str, ...], str]:
    """The options at the beginning of a text, and the text after them."""
    found = OPTIONS.match(text)
    options = tuple(" ".join(option.split()) for option in found.groups()) if found else ()
    if found is None or right not in options:
        raise BadInput(f"In {where}, the output is not one of four options, (A) to (D), between question and text.")
    return options, text[found.end() :]


def _inputs(path: Path) -> Iterator[tuple[str, list[ScrollsLine]]]:
    """The lines of each input, which follow one another."""
    held, place = list[ScrollsLine](), ""
    for where, line in records(path, ScrollsLine):
        if held and line.id != held[0].id:
            yield place, held
            held = []
        place = place if held else where
        held.append(line)
    if held:
        yield place, held
