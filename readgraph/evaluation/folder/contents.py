"""What the folder of an evaluation holds about the questions of a dataset, loaded once."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from readgraph.evaluation.folder.evaluation_folder import EvaluationFolder
from readgraph.evaluation.records import Dataset, Judgement, Outcome


@dataclass(frozen=True)
class FolderContents:
    """The contents of a folder about the questions of a dataset, loaded once.

    `outcomes` are by method, in the order in which the methods were named, without methods that have none; each
    method's are by run, in the order of the questions, whichever came first.
    `judgements` are those of all raters, `memories` those of the dataset's texts, `calibrations` those of all judges.
    """

    what: dict[str, Any]
    outcomes: dict[str, list[Outcome]]
    judgements: list[Judgement]
    memories: list[dict[str, Any]]
    calibrations: list[dict[str, Any]]

    @property
    def model(self) -> str:
        """The model of the readings; "" for none."""
        return str(self.what["settings"]["model"])

    @classmethod
    def of(cls, dataset: Dataset, folder: EvaluationFolder) -> "FolderContents":
        """Load a folder's contents, without those about other questions."""
        what, texts = folder.what(), {item.text for item in dataset.items}
        place = {item.id: number for number, item in enumerate(dataset.items)}
        outcomes: dict[str, list[Outcome]] = {name: [] for name in what["methods"]}
        known = [outcome for outcome in folder.outcomes() if outcome.item in place]
        for outcome in sorted(known, key=lambda each: (each.run, place[each.item])):
            if outcome.method in outcomes:
                outcomes[outcome.method].append(outcome)
        memories = [memory for memory in folder.memories() if memory["text"] in texts]
        judgements = [judgement for judgement in folder.judgements() if judgement.item in place]
        calibrations = [*folder.lines("calibrations")]
        return cls(what, {name: of for name, of in outcomes.items() if of}, judgements, memories, calibrations)


def exchanges_about(dataset: Dataset, folder: EvaluationFolder) -> Iterator[dict[str, Any]]:
    """The prompts and replies about the questions of a dataset, and about the memories of their texts."""
    questions, texts = {item.id for item in dataset.items}, {item.text for item in dataset.items}
    for line in folder.lines("exchanges"):
        if line["item"] in questions if line["item"] else line["text"] in texts:
            yield line
