"""LongMemEval-V2: questions about a web agent's many trajectories, in its authors' folder of three kinds of files."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import ConfigDict

from readgraph.evaluation.datasets.forms import Form, build_dataset
from readgraph.evaluation.datasets.record_files import DatasetRecord, records
from readgraph.evaluation.records import Dataset, Item, Text
from readgraph.library.stored_items import replace_surrogates
from readgraph.sources.loading import printable_path
from readgraph.state.errors import BadInput

NAME, QUESTIONS, TRAJECTORIES = "longmemeval-v2", "questions.jsonl", "trajectories.jsonl"
SMALL = Path("haystacks", "lme_v2_small.json")

_SEPARATORS = re.compile(r"\|\s*separators\s*=\s*([^|]*)")


class _Question(DatasetRecord):
    id: str
    domain: str
    question: str
    answer: str
    question_type: str
    eval_function: str
    image: str | None = None


class _State(DatasetRecord):
    url: str = ""
    thought: str | None = None
    action: str | None = None
    accessibility_tree: str = ""


class _Trajectory(DatasetRecord):
    id: str
    states: list[_State]
    goal: str = ""
    outcome: str | None = None

    @property
    def text(self) -> str:
        """What the agent was to do, saw, thought and did; screenshots are no text."""
        parts = [f"Goal: {self.goal}", f"Outcome: {self.outcome}" if self.outcome else ""]
        for number, state in enumerate(self.states):
            told = {"Page": state.url, "": state.accessibility_tree, "Thought": state.thought, "Action": state.action}
            lines = (f"{name}: {said}" if name else said for name, said in told.items() if said)
            parts.append("\n".join([f"State {number}", *lines]))
        return str(replace_surrogates("\n\n".join(filter(None, parts))))


class _Haystacks(DatasetRecord):
    """The trajectories of each question, by ids."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, list[str]]


def _load(path: Path, items: int | None = None) -> Dataset:
    """The questions of the folder with the small haystacks, or with those of a file in its folder `haystacks`."""
    haystack = path / SMALL if path.is_dir() else path
    folder = haystack.parent.parent
    asked = [question for _, question in records(folder / QUESTIONS, _Question)]
    shown = [question for question in asked if question.image]
    (_, listed), *_ = records(haystack, _Haystacks)
    note = f"{len(shown)} of {len(asked)} questions are about a picture and are left out." if shown else ""
    kept = [question for question in asked if not question.image][:items]
    haystacks = listed.model_extra or {}
    if without := [each.id for each in kept if each.id not in haystacks]:
        raise BadInput(f"{printable_path(haystack)} has no trajectories for the question '{without[0]}'.")
    wanted = {name for question in kept for name in haystacks[question.id]}
    found = records(folder / TRAJECTORIES, _Trajectory)
    texts = {trajectory.id: trajectory.text for _, trajectory in found if trajectory.id in wanted}
    if missing := wanted - texts.keys():
        raise BadInput(
            f"{printable_path(folder / TRAJECTORIES)} has no trajectory '{min(missing)}': download it again."
        )
    rows = ((QUESTIONS, text, [item]) for text, item in _with_texts(kept, haystacks, texts))
    return build_dataset(path, rows, items, NAME, licence="Apache 2.0", note=note)


def _with_texts(
    asked: list[_Question], haystacks: Mapping[str, list[str]], texts: Mapping[str, str]
) -> Iterator[tuple[Text, Item]]:
    """The questions with their histories; a history that several have is one text, and no trajectory is copied."""
    known = dict[tuple[str, ...], Text]()
    for question in asked:
        names = tuple(haystacks[question.id])
        if names not in known:
            identity = f"{question.domain}-{len(known) + 1}"
            known[names] = Text.of_documents(identity, identity, (texts[name] for name in names))
        scorer, separators = question.eval_function.partition("|")[0], _SEPARATORS.search(question.eval_function)
        phrases = re.split(f"[{re.escape(separators[1] if separators else ',;')}]", question.answer)
        yield (
            known[names],
            Item(
                id=question.id,
                text=known[names].id,
                question=question.question,
                references=(question.answer,),
                category=question.question_type,
                groups=(question.domain, scorer.strip()),
                rubric=tuple(filter(None, map(str.strip, phrases))) if scorer.startswith("norm_phrase") else (),
            ),
        )


long_mem_eval_v2 = Form(
    NAME,
    f"LongMemEval-V2, the folder of {QUESTIONS} (with {SMALL}), or a file of its haystacks.",
    _load,
    recognise=lambda path: (path / SMALL).is_file() or path.match("haystacks/lme_v2_*.json"),
)
