"""The folder of an evaluation: what is run, and every answer as it comes, so that a stopped run can go on.

evaluation.json    what is run: dataset, methods, settings, versions
questions.jsonl    the dataset's name, metrics and licence, then one `Item` per line
answers.jsonl      one `Outcome` per line
memories.jsonl     one line for each call and each fall-back of building a memory, and one for the finished memory
exchanges.jsonl    every prompt with its reply
judgements.jsonl   one `Judgement` per line, with the rater's raw replies
calibrations.jsonl a judge's verdicts on answers that are known to be right or wrong
library/           documents, memories and recorded replies
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout

from readgraph import BadInput, ReaderContext
from readgraph.sources.loading import fault_of, printable_path
from readgraph.state.declaring import use_current_names
from readgraph.state.files import check_format, check_regular, replace_file
from readgraph.state.reading import add_counts
from readgraph_evaluation import line_shapes as shapes
from readgraph_evaluation.metrics import METRICS
from readgraph_evaluation.records import Dataset, Judgement, Outcome

__all__ = ["EvaluationFolder"]

FORMAT = 1
WHAT = "evaluation.json"

RESULTS, TABLE, SCORES, REPORT = "results.json", "results.csv", "scores.csv", "report.html"
"""Files of results, made from the lines (`readgraph_evaluation.report`)."""

ADDED_UP = (*shapes.COUNTS, "seconds")  # over the lines of a memory: one for each call and one for the whole memory
MOST_SHOWN = 3  # the most differing values that the message about another evaluation shows
MAY_GROW = "methods rows answers runs questions texts note judge begun packages experiment half".split()
"""Fields that may differ when an evaluation is continued: more may be asked, but nothing in another way."""


class EvaluationFolder:
    """The files of one evaluation. Lines are appended as they come; an incomplete last line is cut off when opening."""

    def __init__(self, path: Path) -> None:
        self.path, self.shown = path, printable_path(path)

    @property
    def library(self) -> Path:
        """The folder of the evaluation's library."""
        return self.path / "library"

    @contextmanager
    def open_for(self, what: dict[str, Any]) -> Iterator["EvaluationFolder"]:
        """Use the folder for this evaluation alone; raises `BadInput` if it holds something else, or is in use."""
        self._make()
        lock = FileLock(self.path / ".lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise BadInput(f"Another process evaluates in {self.shown}: wait for it, or name another folder.") from None
        try:
            self._begin(what)
            yield self
        finally:
            lock.release()

    def what(self) -> dict[str, Any]:
        """The record of what is run; raises `BadInput` if the folder holds no evaluation."""
        path = self.path / WHAT
        if not path.exists():
            raise fault_of(self.path, "holds no evaluation: 'readgraph evaluate' makes one.")
        text = shapes.read_text(path)
        format = shapes.read_file_as(path, dict[str, Any], text).get("format")
        check_format(f"The evaluation in {self.shown}", format, FORMAT)
        if format != FORMAT:
            raise fault_of(self.path, f"holds an evaluation of another format than {FORMAT}.")
        kept: dict[str, Any] = shapes.read_file_as(path, shapes.EvaluationRecord, text)
        return kept | {"settings": use_current_names(kept["settings"])}

    def keep_questions(self, dataset: Dataset) -> None:
        """Write the questions, so that the folder can be read without the dataset's file."""
        about = {"dataset": dataset.name, "metrics": dataset.metrics, "licence": dataset.licence}
        self.write("questions.jsonl", shapes.json_lines([about, *map(asdict, dataset.items)]))

    def dataset(self) -> Dataset:
        """The dataset without its texts; raises `BadInput` if the folder holds no questions."""
        self.what()
        about, *items = [*self.lines("questions")] or [None]
        if about is None:
            raise fault_of(self.path, "lacks its questions.jsonl: run the same evaluation again to write it.")
        if unknown := {*about["metrics"]} - {*METRICS}:
            raise fault_of(self.path / "questions.jsonl", f"names an unknown metric '{min(unknown)}'.")
        return Dataset(about["dataset"], (), tuple(items), tuple(about["metrics"]), licence=about["licence"])

    def outcomes(self) -> list[Outcome]:
        """The newest outcome of each question, method and run, in the order of their first outcomes."""
        loaded: Iterator[Outcome] = self.lines("answers")
        return list({outcome.key: outcome for outcome in loaded}.values())

    def judgements(self) -> list[Judgement]:
        """The newest judgement of each outcome by each rater."""
        loaded: Iterator[Judgement] = self.lines("judgements")
        return list({(judgement.key, judgement.rater): judgement for judgement in loaded}.values())

    def memories(self) -> list[dict[str, Any]]:
        """One entry for each memory of a method, run, text and purpose, finished or not, with its total usage."""
        merged: dict[tuple[str, int, str, str], dict[str, Any]] = {}
        counted, counter = Counter[tuple[object, ...]](), Counter[tuple[object, ...]]()
        for line in self.lines("memories"):
            key = line["method"], line["run"], line["text"], line.get("purpose", "")
            if call := line.get("call"):
                # A call that a later process repeats counts once; lines of older folders name no process.
                in_process = (*key, call, line.get("process", object()))
                counter[in_process] += 1
                if counter[in_process] <= counted[*key, call]:
                    continue
                counted[*key, call] += 1
            kept = merged.setdefault(key, {})
            used: dict[str, Any] = {name: kept.get(name, 0) + line.get(name, 0) for name in ADDED_UP}
            used["fallbacks"] = add_counts(kept.get("fallbacks", {}), line.get("fallbacks", {}))
            kept |= {**line, **used, "cost": shapes.whole_cost([kept.get("cost", 0.0), line.get("cost")])}
        return list(merged.values())

    def lines(self, kind: str) -> Iterator[Any]:
        """The values of a file's lines in their shape (`LINES`); none if the file does not exist yet."""
        path, number = self.path / f"{kind}.jsonl", 0
        if not os.path.lexists(path):
            return
        check_regular(path, printable_path(path))
        try:
            with path.open(encoding="utf-8") as file:
                for number, line in enumerate(file):
                    if line.endswith("\n"):
                        shape = "about" if kind == "questions" and not number else kind
                        yield shapes.read_as(shapes.LINES[shape], line)
        except OSError as problem:
            raise fault_of(path, f"can't be read: {problem.strerror}.") from None
        except ValueError as problem:
            raise fault_of(path, f"can't be read in line {number + 1} ({problem}): correct or remove it.") from None

    def append(self, kind: str, values: Iterable[dict[str, Any]]) -> None:
        """Append values as lines."""
        lines = shapes.json_lines(values)
        with (self.path / f"{kind}.jsonl").open("a", encoding="utf-8", errors="replace") as file:
            file.write(lines)

    def keep_outcome(self, outcome: Outcome) -> None:
        """Append an outcome."""
        self.append("answers", [outcome.line()])

    def keep_outcomes(self, outcomes: Iterable[Outcome]) -> None:
        """Append those that the folder does not hold already."""
        kept = {outcome.key: outcome for outcome in self.outcomes()}
        self.append("answers", (each.line() for each in outcomes if kept.get(each.key) != each))

    def keep_judgement(self, judgement: Judgement) -> None:
        """Append a judgement."""
        self.append("judgements", [asdict(judgement)])

    def write(self, name: str, text: str) -> Path:
        """Write a file, complete or not at all; returns its path."""
        path = self.path / name
        with replace_file(path, errors="replace") as file:
            file.write(text)
        return path

    def _make(self) -> None:
        within = make_folder(self.path)
        for file in within:  # of a stranger's folder one may lead to any file of this machine
            if file.is_symlink():
                raise fault_of(file, "is a link, and an evaluation has none: put what it leads to there.")
        other = next((file.name for file in within if file.name != ".lock"), None)
        if other and not (self.path / WHAT).exists():
            raise fault_of(self.path, f"holds something else ('{other}'): name an empty or new folder.")

    def _begin(self, what: dict[str, Any]) -> None:
        wanted = {"format": FORMAT, **what}
        if (self.path / WHAT).exists():
            kept = {"rows": {}, **self.what()}
            if (half := kept.get("half")) and wanted.get("half", half) != half:
                raise fault_of(self.path, f"holds answers to the {half} half: name a new folder for the other one.")
            # What did not exist when the record was made: later settings have their defaults, prompts the new versions.
            default = asdict(ReaderContext())
            kept["settings"] = {name: default.get(name) for name in wanted["settings"]} | kept["settings"]
            kept["prompts"] = wanted["prompts"] | kept["prompts"]
            for name in sorted(kept.keys() | wanted.keys()):
                if name not in MAY_GROW and kept.get(name) != wanted.get(name):
                    other = f"other {name}" if name.endswith("s") else f"another {name}"
                    differs = _difference(kept.get(name), wanted.get(name))
                    raise fault_of(
                        self.path, f"was begun with {other} ({differs}): go on with the same, or name a new folder."
                    )
            for kind in ("answers", "memories", "exchanges", "judgements", "calibrations"):
                self._mend(kind)
            for name in kept["rows"].keys() & wanted["rows"].keys():
                if kept["rows"][name] != wanted["rows"][name]:
                    raise fault_of(self.path, f"was begun with another row '{name}': name a new folder.")
            wanted["rows"] = kept["rows"] | wanted["rows"]
            wanted["methods"] = list(dict.fromkeys([*kept["methods"], *wanted["methods"]]))
            if answers := kept.get("answers", {}) | wanted.get("answers", {}):
                wanted["answers"] = answers
            wanted["begun"] = kept["begun"]
            if not half:
                wanted.pop("half", None)  # it holds the other half too
            wanted |= {"experiment": kept["experiment"]} if "experiment" in kept else {}
            wanted["runs"] = max(kept["runs"], wanted["runs"])
            wanted["judge"] = wanted["judge"] or kept["judge"]
        self.write(WHAT, json.dumps(wanted, ensure_ascii=False, indent=1) + "\n")

    def _mend(self, kind: str) -> None:
        """Cut off an incomplete last line, which a stop has left."""
        path = self.path / f"{kind}.jsonl"
        if not path.exists():
            return
        check_regular(path, printable_path(path))
        with path.open("r+b") as file:
            if file.seek(0, os.SEEK_END):  # an empty file can't be mapped
                with mmap(file.fileno(), 0, access=ACCESS_READ) as content:
                    end = content.rfind(b"\n") + 1
                file.truncate(end)


def make_folder(path: Path) -> list[Path]:
    """Make a folder, if there is none; returns what is in it, or raises `BadInput`."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        return [*path.iterdir()]
    except OSError as problem:
        raise fault_of(path, f"can't be used as a folder: {problem.strerror}.") from None


def _difference(kept: Any, wanted: Any) -> str:
    """The difference in words: "max_pages 5, not 3"; of two groups of values, the first few differences."""
    if not (isinstance(kept, dict) and isinstance(wanted, dict)):
        return f"{_format_setting(kept)}, not {_format_setting(wanted)}"
    names = sorted(name for name in kept.keys() | wanted.keys() if kept.get(name) != wanted.get(name))
    differences = [f"{name} {_difference(kept.get(name), wanted.get(name))}" for name in names[:MOST_SHOWN]]
    return "; ".join([*differences, *(["…"] if len(names) > MOST_SHOWN else [])])


def _format_setting(value: Any) -> str:
    return "none" if value in (None, "") else " ".join(str(value).split())[:40]


@dataclass(frozen=True)
class FolderContents:
    """What a folder holds on a dataset's questions: outcomes by method, run and question, and what all raters said."""

    folder: EvaluationFolder
    dataset: Dataset
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
    def of(cls, dataset: Dataset, folder: EvaluationFolder) -> Self:
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
        answered = {name: of for name, of in outcomes.items() if of}
        return cls(folder, dataset, what, answered, judgements, memories, [*folder.lines("calibrations")])

    def exchanges(self) -> Iterator[dict[str, Any]]:
        """The prompts and replies about the questions of the dataset, and about the memories of their texts."""
        questions, texts = {item.id for item in self.dataset.items}, {item.text for item in self.dataset.items}
        for line in self.folder.lines("exchanges"):
            if line["item"] in questions if line["item"] else line["text"] in texts:
                yield line
