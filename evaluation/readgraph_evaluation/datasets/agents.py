"""What agents do: steps on web sites to be chosen (Mind2Web), and questions about trajectories (LongMemEval-V2, AMA).

Mind2Web (Deng et al., 2023): a step of a task on a web site, with its page, is a question; sets are categories.
LongMemEval-V2: a web agent's many trajectories, in its authors' folder of three kinds of files. AMA-Bench (Zhao et al.,
2026): questions about what agents did and saw, step by step.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import AliasPath, ConfigDict, Field

from readgraph import BadInput
from readgraph.features.web.page import web_page
from readgraph.library.documents import document_id
from readgraph.library.stored_items import replace_surrogates
from readgraph.sources.loading import fault_of, printable_path
from readgraph_evaluation.datasets.forms import Asked, DatasetRecord, Form, build_dataset, form, records
from readgraph_evaluation.records import Dataset, Item, Text, WebStep

SPLITS = {"task": "cross-task", "website": "cross-website", "domain": "cross-domain"}
SPLIT = re.compile(rf"test_({'|'.join(SPLITS)})")


class _Mind2WebElement(DatasetRecord):
    backend_node_id: str


class _Action(DatasetRecord):
    action_uid: str
    operation: str = Field(validation_alias=AliasPath("operation", "op"))
    value: str = Field("", validation_alias=AliasPath("operation", "value"))
    pos_candidates: tuple[_Mind2WebElement, ...] = ()
    cleaned_html: str = ""
    raw_html: str = ""


class _Mind2WebTask(DatasetRecord):
    annotation_id: str
    website: str = ""
    confirmed_task: str
    actions: list[_Action] = Field(min_length=1)
    action_reprs: tuple[str, ...] = ()


def _test_sets(folder: Path) -> Iterator[Path]:
    return (file for file in sorted(folder.rglob("test_*.json*")) if SPLIT.search(file.name))


@form("mind2web", _test_sets)
def mind2web(path: Path) -> Iterator[Asked]:
    """The steps of a file's tasks, or of those of all test sets in a folder, task by task."""
    for file in mind2web.files(path):
        split = SPLIT.search(f"{file.parent.name}/{file.name}")
        for where, task in records(file, _Mind2WebTask):
            for number, action in enumerate(task.actions):
                step = f"step {number + 1} of {where}"
                html = replace_surrogates(action.cleaned_html or action.raw_html)
                if not html.strip():
                    raise BadInput(f"In {step}, there is no page: cleaned_html and raw_html are empty.")
                page = web_page(html, id_attribute="backend_node_id", name=f"The page in {step}")
                text = Text(document_id(page.text), page.title or task.website, page.text)
                yield where, text, [_step_item(task, number, text, SPLITS[split[1]] if split else "")]


def _step_item(task: _Mind2WebTask, number: int, page: Text, split: str) -> Item:
    action = task.actions[number]
    told = task.action_reprs[number : number + 1] or (f"{action.operation} {action.value}".strip(),)
    return Item(
        id=f"{task.annotation_id}/{action.action_uid}",
        text=page.id,
        question=task.confirmed_task.strip(),
        references=told,
        category=split,
        step=WebStep(
            episode=task.annotation_id,
            steps=len(task.actions),
            history=task.action_reprs[:number],
            elements=tuple(candidate.backend_node_id for candidate in action.pos_candidates),
            operation=action.operation.upper(),
            value=action.value,
        ),
    )


NAME, SMALL = "longmemeval-v2", Path("haystacks", "lme_v2_small.json")
_SEPARATORS = re.compile(r"\|\s*separators\s*=\s*([^|]*)")


class _TrajectoriesQuestion(DatasetRecord):
    id: str
    domain: str
    question: str
    answer: str
    question_type: str
    eval_function: str
    image: str | None = None

    def item(self, text: str) -> Item:
        """The question about this text; where phrases are looked for, they are the rubric."""
        scorer, separators = self.eval_function.partition("|")[0].strip(), _SEPARATORS.search(self.eval_function)
        phrases = re.split(f"[{re.escape(separators[1] if separators else ',;')}]", self.answer)
        rubric = tuple(filter(str.strip, phrases)) if scorer.startswith("norm_phrase") else ()
        about: Any = {"category": self.question_type, "groups": (self.domain, scorer), "rubric": rubric}
        return Item(self.id, text, self.question, (self.answer,), **about)


class _State(DatasetRecord):
    url: str = ""
    accessibility_tree: str = ""
    thought: str | None = None
    action: str | None = None


class _Trajectory(DatasetRecord):
    id: str
    states: list[_State]
    goal: str = ""
    outcome: str | None = None

    @property
    def text(self) -> str:
        """What the agent was to do, saw, thought and did; screenshots are no text."""
        parts = [f"Goal: {self.goal}\nOutcome: {self.outcome or 'unknown'}"]
        for number, state in enumerate(self.states):
            parts.append(f"State {number}\nPage: {state.url}\n{state.accessibility_tree}")
            parts[-1] += f"\nThought: {state.thought}" if state.thought else ""
            parts[-1] += f"\nAction: {state.action}" if state.action else ""
        return str(replace_surrogates("\n\n".join(parts)))


class _Haystacks(DatasetRecord):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, list[str]]  # the ids of trajectories by those of questions


def _load_trajectories(path: Path, items: int | None = None) -> Dataset:
    """The questions of the folder with the small haystacks, or with those of a file in its folder `haystacks`.

    A history that several questions have is one text, and no trajectory is copied.
    """
    haystack = path / SMALL if path.is_dir() else path
    questions, trajectories = (haystack.parent.parent / f"{name}.jsonl" for name in ("questions", "trajectories"))
    every = [question for _, question in records(questions, _TrajectoriesQuestion)]
    without_picture = [question for question in every if not question.image]
    left_out = len(every) - len(without_picture)
    note = f"{left_out} of {len(every)} questions are about a picture and are left out." if left_out else ""
    listed = {name: tuple(ids) for _, each in records(haystack, _Haystacks) for name, ids in each}
    asked = without_picture[:items]
    if unlisted := [question.id for question in asked if question.id not in listed]:
        raise fault_of(haystack, f"has no trajectories for the question '{unlisted[0]}'.")
    wanted = {name for question in asked for name in listed[question.id]}
    held = {each.id: each.text for _, each in records(trajectories, _Trajectory) if each.id in wanted}
    if missing := wanted - held.keys():
        raise fault_of(trajectories, f"has no trajectory '{min(missing)}': download it again.")
    texts, rows = dict[tuple[str, ...], Text](), list[Asked]()
    for question in asked:
        ids, identity = listed[question.id], f"{question.domain}-{len(texts) + 1}"
        if ids not in texts:
            texts[ids] = Text.of_documents(identity, identity, map(held.__getitem__, ids))
        rows.append((printable_path(questions), texts[ids], [question.item(texts[ids].id)]))
    return build_dataset(path, rows, items, NAME, licence="Apache 2.0", note=note)


def _find_haystacks(path: Path) -> list[Path]:
    return [path] if (path / SMALL).is_file() or path.match("haystacks/lme_v2_*.json") else []


long_mem_eval_v2 = Form(NAME, _load_trajectories, _find_haystacks)


class _AmaStep(DatasetRecord):
    turn_idx: int = 0
    action: str = ""
    observation: str = ""


class _AmaQuestion(DatasetRecord):
    question: str
    answer: str
    type: str = ""  # the ability that it tests


class _AmaEpisode(DatasetRecord):
    episode_id: int | str
    trajectory: list[_AmaStep] = Field(min_length=1)
    qa_pairs: list[_AmaQuestion]
    task: str = ""
    task_type: str = ""
    domain: str = ""


@form("ama-bench")
def ama_bench(path: Path) -> Iterator[Asked]:
    """The questions of a file; a text is a task and an agent's steps, as the authors' script writes them."""
    for where, episode in records(path, _AmaEpisode):
        identity = f"episode-{episode.episode_id}"
        steps = map("Step {0.turn_idx}:\nAction: {0.action}\nObservation: {0.observation}".format, episode.trajectory)
        text = replace_surrogates("\n\n".join(filter(None, [episode.task, *steps])))
        items = [
            Item(
                id=f"{identity}-q{number}",
                text=identity,
                question=asked.question,
                references=(asked.answer,),
                category=asked.type,
                groups=tuple(filter(None, [episode.domain, episode.task_type])),
            )
            for number, asked in enumerate(episode.qa_pairs)
        ]
        yield where, Text(identity, episode.task_type or identity, text), items
