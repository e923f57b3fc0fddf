"""The folder of an evaluation: what was run, and every answer as it came, so that a stopped run goes on where it was.

evaluation.json    what is run: dataset, methods, settings, versions
questions.jsonl    the dataset's name, metrics and licence, then an `Item` a line
answers.jsonl      an `Outcome` a line
memories.jsonl     a line for each call that builds a memory, each fall-back then, and the memory: recipe, sizes
exchanges.jsonl    every prompt with its reply
judgements.jsonl   a `Judgement` a line, with the rater's raw replies
library/           documents, memories and recorded replies
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from readgraph.evaluation.records import Dataset, Item, Judgement, Outcome
from readgraph.evaluation.usage import COUNTS, whole_cost
from readgraph.sources.loading import shown
from readgraph.state.declaring import as_now_named
from readgraph.state.errors import BadInput
from readgraph.state.reading import add_counts
from readgraph.state.whole_files import written_whole

FORMAT = 1

TAIL = 1 << 16
"""Bytes that are looked through at a time for the end of the last whole line."""

WHAT = "evaluation.json"

ADDED_UP = (*COUNTS, "seconds")
"""What the lines of a memory, one a call and one for the whole, add up to."""

MOST_TOLD = 3
"""So many values are named where a folder was begun with others."""

LONGEST_TOLD = 40
"""Characters of such a value."""

MAY_GROW = ("methods", "runs", "questions", "texts", "note", "judge", "begun", "packages")
"""Of what is run, what may differ when it goes on: more is asked, never the same in another way."""


class EvaluationFolder:
    """One evaluation's files. Lines are appended as they come; a torn last line is cut off at the opening."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def library(self) -> Path:
        """Where the library of the evaluation is."""
        return self.path / "library"

    @contextmanager
    def opened(self, what: dict[str, Any]) -> Iterator["EvaluationFolder"]:
        """Take the folder for this evaluation, for this process alone.

        Raises `BadInput` where it holds another evaluation, something else, or another process works in it.
        """
        self._make()
        lock = FileLock(self.path / ".lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise BadInput(f"Another process evaluates in {shown(self.path)}: wait for it, or take another.") from None
        try:
            self._begin(what)
            yield self
        finally:
            lock.release()

    def what(self) -> dict[str, Any]:
        """What was run; raises `BadInput` where the folder holds no evaluation."""
        try:
            kept: dict[str, Any] = json.loads((self.path / WHAT).read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            raise BadInput(f"{shown(self.path)} holds no evaluation: 'readgraph evaluate' makes one.") from None
        except (OSError, ValueError) as problem:
            raise BadInput(f"{shown(self.path / WHAT)} can't be read: {problem}.") from None
        if kept.get("format") != FORMAT:
            raise BadInput(f"{shown(self.path)} holds an evaluation of another format than {FORMAT}.")
        return kept | {"settings": as_now_named(kept["settings"])}

    def keep_questions(self, dataset: Dataset) -> None:
        """Keep the questions, so that the folder can be read without the dataset's file."""
        about = {"dataset": dataset.name, "metrics": dataset.metrics, "licence": dataset.licence}
        lines = [about, *map(asdict, dataset.items)]
        self.write("questions.jsonl", "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))

    def dataset(self) -> Dataset:
        """The dataset as it was asked, without its texts; raises `BadInput` where the folder holds none."""
        self.what()
        kept = [*self.lines("questions")]
        if not kept:
            raise BadInput(f"{shown(self.path)} lacks its questions.jsonl: evaluate the same again to have it written.")
        about, *items = kept
        loaded = tuple(map(Item.load, items))
        return Dataset(about["dataset"], (), loaded, tuple(about["metrics"]), licence=about["licence"])

    def outcomes(self) -> list[Outcome]:
        """The newest outcome of each question, method and run, in the order of the first."""
        loaded = (Outcome.load(value) for value in self.lines("answers"))
        return list({outcome.key: outcome for outcome in loaded}.values())

    def judgements(self) -> list[Judgement]:
        """The newest judgement of each outcome by each rater."""
        loaded = (Judgement(**value) for value in self.lines("judgements"))
        return list({(judgement.key, judgement.rater): judgement for judgement in loaded}.values())

    def memories(self) -> list[dict[str, Any]]:
        """A line for each memory of a method, run and text, built to its end or not, with all that was asked for it."""
        merged: dict[tuple[str, int, str], dict[str, Any]] = {}
        counted, met = Counter[tuple[object, ...]](), Counter[tuple[object, ...]]()
        for line in self.lines("memories"):
            key = line["method"], line["run"], line["text"]
            if call := line.get("call"):
                # What a process does again that another did before it counts once; lines of older folders name none.
                here = (*key, call, line.get("process", object()))
                met[here] += 1
                if met[here] <= counted[*key, call]:
                    continue
                counted[*key, call] += 1
            kept = merged.setdefault(key, {})
            used: dict[str, Any] = {name: kept.get(name, 0) + line.get(name, 0) for name in ADDED_UP}
            used["fallbacks"] = add_counts(kept.get("fallbacks", {}), line.get("fallbacks", {}))
            kept |= {**line, **used, "cost": whole_cost([kept.get("cost", 0.0), line.get("cost")])}
        return list(merged.values())

    def lines(self, kind: str) -> Iterator[dict[str, Any]]:
        """The values of a file's lines; none where there is no such file yet."""
        try:
            with (self.path / f"{kind}.jsonl").open(encoding="utf-8") as file:
                for line in file:
                    if line.endswith("\n"):
                        yield json.loads(line)
        except FileNotFoundError:
            return
        except ValueError:
            raise BadInput(
                f"{shown(self.path / kind)}.jsonl holds a line that is no JSON: mend or remove it."
            ) from None

    def append(self, kind: str, values: Iterable[dict[str, Any]]) -> None:
        """Append values as lines."""
        lines = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
        with (self.path / f"{kind}.jsonl").open("a", encoding="utf-8", errors="replace") as file:
            file.write(lines)

    def keep_outcome(self, outcome: Outcome) -> None:
        """Keep what was made of a question."""
        self.append("answers", [outcome.line()])

    def keep_judgement(self, judgement: Judgement) -> None:
        """Keep what a rater said."""
        self.append("judgements", [asdict(judgement)])

    def write(self, name: str, text: str) -> Path:
        """Write a file of results whole; gives its path."""
        path = self.path / name
        with written_whole(path, errors="replace") as file:
            file.write(text)
        return path

    def _make(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            strange = next((one.name for one in self.path.iterdir() if one.name != ".lock"), None)
        except OSError as problem:
            raise BadInput(f"{shown(self.path)} can't be used as a folder: {problem.strerror}.") from None
        if strange and not (self.path / WHAT).exists():
            raise BadInput(f"{shown(self.path)} holds something else ('{strange}'): name an empty or new folder.")

    def _begin(self, what: dict[str, Any]) -> None:
        wanted = {"format": FORMAT, **what}
        if (self.path / WHAT).exists():
            kept = self.what()
            for name in sorted(kept.keys() | wanted.keys()):
                if name not in MAY_GROW and kept.get(name) != wanted.get(name):
                    other = f"other {name}" if name.endswith("s") else f"another {name}"
                    raise BadInput(
                        f"{shown(self.path)} was begun with {other} ({_difference(kept.get(name), wanted.get(name))}): "
                        "go on with the same, or name a new folder."
                    )
            for kind in ("answers", "memories", "exchanges", "judgements"):
                self._mend(kind)
            wanted["methods"] = list(dict.fromkeys([*kept["methods"], *wanted["methods"]]))
            wanted["begun"] = kept["begun"]
            wanted["runs"] = max(kept["runs"], wanted["runs"])
            wanted["judge"] = wanted["judge"] or kept["judge"]
        self.write(WHAT, json.dumps(wanted, ensure_ascii=False, indent=1) + "\n")

    def _mend(self, kind: str) -> None:
        """Cut off what a stop in the middle of a line has left."""
        path = self.path / f"{kind}.jsonl"
        if not path.exists():
            return
        with path.open("r+b") as file:
            end = at = file.seek(0, os.SEEK_END)
            while at:
                at = max(0, at - TAIL)
                file.seek(at)
                if (found := file.read(min(TAIL, end - at)).rfind(b"\n")) >= 0:
                    file.truncate(at + found + 1)
                    return
            file.truncate(0)


def _difference(kept: Any, wanted: Any) -> str:
    """What is not the same: "max_pages 5, not 3"; of two groups of values the first few."""
    if not (isinstance(kept, dict) and isinstance(wanted, dict)):
        return f"{_told(kept)}, not {_told(wanted)}"
    names = sorted(name for name in kept.keys() | wanted.keys() if kept.get(name) != wanted.get(name))
    told = [f"{name} {_told(kept.get(name))}, not {_told(wanted.get(name))}" for name in names[:MOST_TOLD]]
    return "; ".join([*told, *(["…"] if len(names) > MOST_TOLD else [])])


def _told(value: Any) -> str:
    return "none" if value in (None, "") else " ".join(str(value).split())[:LONGEST_TOLD]
