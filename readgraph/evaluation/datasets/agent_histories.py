"""LongMemEval-V2: questions about a web agent's many trajectories, in its authors' folder of three kinds of files."""

import re
from dataclasses import replace
from pathlib import Path

from pydantic import ConfigDict

from readgraph.evaluation.datasets.forms import Asked, DatasetRecord, Form, build_dataset, records
from readgraph.evaluation.records import Dataset, Item, Text
from readgraph.library.stored_items import replace_surrogates
from readgraph.sources.loading import printable_path
from readgraph.state.errors import BadInput

NAME, SMALL = "longmemeval-v2", Path("haystacks", "lme_v2_small.json")
_SEPARATORS = re.compile(r"\|\s*separators\s*=\s*([^|]*)")


class _Question(DatasetRecord):
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
        item = Item(self.id, text, self.question, (self.answer,), category=self.question_type, rubric=rubric)
        return replace(item, groups=(self.domain, scorer))


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


def _load(path: Path, items: int | None = None) -> Dataset:
    """The questions of the folder with the small haystacks, or with those of a file in its folder `haystacks`.

    A history that several questions have is one text, and no trajectory is copied.
    """
    haystack = path / SMALL if path.is_dir() else path
    questions, trajectories = (haystack.parent.parent / f"{name}.jsonl" for name in ("questions", "trajectories"))
    every = [question for _, question in records(questions, _Question)]
    asked = [question for question in every if not question.image]
    shown = len(every) - len(asked)
    note = f"{shown} of {len(every)} questions are about a picture and are left out." if shown else ""
    listed = {name: tuple(ids) for _, each in records(haystack, _Haystacks) for name, ids in each}
    if without := [each.id for each in asked[:items] if each.id not in listed]:
        raise BadInput(f"{printable_path(haystack)} has no trajectories for the question '{without[0]}'.")
    wanted = {name for each in asked[:items] for name in listed[each.id]}
    held = {each.id: each.text for _, each in records(trajectories, _Trajectory) if each.id in wanted}
    if missing := wanted - held.keys():
        raise BadInput(f"{printable_path(trajectories)} has no trajectory '{min(missing)}': download it again.")
    texts, rows = dict[tuple[str, ...], Text](), list[Asked]()
    for each in asked[:items]:
        ids, identity = listed[each.id], f"{each.domain}-{len(texts) + 1}"
        if ids not in texts:
            texts[ids] = Text.of_documents(identity, identity, map(held.__getitem__, ids))
        rows.append((printable_path(questions), texts[ids], [each.item(texts[ids].id)]))
    return build_dataset(path, rows, items, NAME, licence="Apache 2.0", note=note)


long_mem_eval_v2 = Form(
    NAME,
    f"LongMemEval-V2, the folder with {SMALL}, or a file of its haystacks.",
    _load,
    recognise=lambda path: (path / SMALL).is_file() or path.match("haystacks/lme_v2_*.json"),
)
