"""Mind2Web (Deng et al., 2023): a step of a task on a web site, with its page, is a question; sets are categories."""

import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from readgraph.evaluation.datasets.forms import Asked, DatasetRecord, files_of, folder_with, form, records
from readgraph.evaluation.records import Item, Text, WebStep
from readgraph.library.documents import document_id
from readgraph.library.stored_items import replace_surrogates
from readgraph.sources.web_page import web_page
from readgraph.state.errors import BadInput

SPLITS = {"task": "cross-task", "website": "cross-website", "domain": "cross-domain"}
SPLIT = re.compile(rf"test_({'|'.join(SPLITS)})")


class _Operation(DatasetRecord):
    op: str
    value: str = ""


class _Mind2WebElement(DatasetRecord):
    backend_node_id: str


class _Action(DatasetRecord):
    action_uid: str
    operation: _Operation
    pos_candidates: tuple[_Mind2WebElement, ...] = ()
    cleaned_html: str = ""
    raw_html: str = ""


class _Mind2WebTask(DatasetRecord):
    annotation_id: str
    website: str = ""
    confirmed_task: str
    actions: list[_Action] = Field(min_length=1)
    action_reprs: tuple[str, ...] = ()


def _files(folder: Path) -> Iterator[Path]:
    return (file for file in sorted(folder.rglob("test_*.json*")) if SPLIT.search(file.name))


@form(
    "mind2web",
    "Mind2Web, such as test_task_0.json, or its folder.",
    {"annotation_id", "confirmed_task", "actions"},
    recognise=folder_with(_files),
    licence="CC BY 4.0",
)
def mind2web(path: Path) -> Iterator[Asked]:
    """The steps of a file's tasks, or of those of all test sets in a folder, task by task."""
    lacking = "holds no test set of Mind2Web: name a folder with files such as test_task_0.json."
    for file in files_of(path, _files, lacking):
        split = SPLIT.search(f"{file.parent.name}/{file.name}")
        for where, task in records(file, _Mind2WebTask):
            for number, action in enumerate(task.actions):
                step = f"step {number + 1} of {where}"
                html = replace_surrogates(action.cleaned_html or action.raw_html)
                if not html.strip():
                    raise BadInput(f"In {step}, there is no page: cleaned_html and raw_html are empty.")
                page = web_page(html, id_attribute="backend_node_id", name=f"The page in {step}")
                text = Text(document_id(page.text), page.title or task.website, page.text)
                yield where, text, [_item(task, number, text, SPLITS[split[1]] if split else "")]


def _item(task: _Mind2WebTask, number: int, page: Text, split: str) -> Item:
    action = task.actions[number]
    said = task.action_reprs[number : number + 1] or (f"{action.operation.op} {action.operation.value}".strip(),)
    right = tuple(candidate.backend_node_id for candidate in action.pos_candidates)
    return Item(
        id=f"{task.annotation_id}/{action.action_uid}",
        text=page.id,
        question=task.confirmed_task.strip(),
        references=said,
        category=split,
        step=WebStep(
            episode=task.annotation_id,
            steps=len(task.actions),
            history=task.action_reprs[:number],
            elements=right,
            operation=action.operation.op.upper(),
            value=action.operation.value,
        ),
    )
