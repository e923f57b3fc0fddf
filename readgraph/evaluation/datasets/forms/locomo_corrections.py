"""LoCoMo with a corrected key: the official file, and a list of corrections beside it.

The form is that of the public audit (github.com/dial481/locomo-audit), whose `errors.json` lists 156 faults of the key.
A citation is corrected, an answer is replaced, and a question that is itself at fault (it names the wrong speaker, or
can be understood in two ways) is left out. What is scored, and how, stays the official way.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from readgraph.evaluation.datasets.record_files import Record, records
from readgraph.sources.loading import shown
from readgraph.state.errors import BadInput
from readgraph.state.words import counted

FILE = "errors.json"

WRONG_CITATION = "WRONG_CITATION"
"""The kind of fault in which the answer is right."""

AT_FAULT = frozenset({"ATTRIBUTION_ERROR", "AMBIGUOUS"})
"""The kinds of faults in which the question itself can't be answered as it stands."""

_ID = re.compile(r"locomo_(\d+)_qa(\d+)")
_REMARK = re.compile(r"\s*\([^()]*\)\s*$")


class Correction(Record):
    """A fault of the key. The id counts conversations and their questions from 0: "locomo_0_qa23"."""

    question_id: str
    question: str
    correct_answer: str = ""
    correct_evidence: tuple[str, ...] = ()
    error_type: str = ""

    @property
    def answer(self) -> str:
        """The right answer, without a remark in brackets behind it."""
        return _REMARK.sub("", self.correct_answer).strip() or self.correct_answer

    @property
    def at_fault(self) -> bool:
        """Whether the question itself is."""
        return self.error_type in AT_FAULT


class Corrections:
    """The corrections of a file; `used` are those of the conversations that were read."""

    def __init__(self, path: Path) -> None:
        self.path, self.used = path, list[Correction]()
        self.known = defaultdict[int, list[tuple[int, Correction]]](list)
        for where, correction in records(path, Correction):
            named = _ID.fullmatch(correction.question_id)
            if not named:
                raise BadInput(f"In {where}, question_id must be as in 'locomo_0_qa23': correct it there.")
            self.known[int(named[1])].append((int(named[2]), correction))

    def of(self, conversation: int, questions: Sequence[str]) -> dict[int, Correction]:
        """The corrections of a conversation's questions, by the questions' places.

        A question is found by its place and its words, or by its words where they stand once. Raises `BadInput` if it
        is not found.
        """
        asked, found = [_plain(question) for question in questions], dict[int, Correction]()
        for place, correction in self.known[conversation]:
            words = _plain(correction.question)
            if not (place < len(asked) and asked[place] == words):
                if asked.count(words) != 1:
                    raise BadInput(
                        f"{shown(self.path)} corrects {correction.question_id}, which is no question of the dataset: "
                        "take both from the same publication."
                    )
                place = asked.index(words)
            found[place] = correction
        self.used += found.values()
        return found

    @property
    def note(self) -> str:
        """What was corrected and left out in the conversations that were read."""
        left = sum(each.at_fault for each in self.used)
        cited = sum(each.error_type == WRONG_CITATION for each in self.used)
        answers = counted(len(self.used) - left - cited, "answer")
        return (
            f"By {self.path.name}: {answers} and {counted(cited, 'citation')} corrected, "
            f"{counted(left, 'question')} left out, being at fault."
        )


def beside(path: Path, names: Sequence[str]) -> tuple[Path, Path]:
    """The dataset's file and its corrections: in one folder, or the dataset in the folder `data`.

    `path` is the dataset's file, or a folder that holds both. Raises `BadInput` if either is missing.
    """
    folders = [path, path / "data"] if path.is_dir() else [path.parent, path.parent.parent]
    files = [folder / name for folder in folders for name in names] if path.is_dir() else [path]
    dataset = next((file for file in files if file.is_file()), None)
    errors = next((folder / FILE for folder in folders if (folder / FILE).is_file()), None)
    if dataset is None or errors is None:
        lacking = names[0] if dataset is None else FILE
        raise BadInput(f"A corrected LoCoMo needs {names[0]} and {FILE}: at {shown(path)} there is no {lacking}.")
    return dataset, errors


def _plain(question: str) -> str:
    return " ".join(question.split()).casefold()
