"""LoCoMo: chats of two people over months, and questions (Maharana et al., 2024), also with a corrected key.

A shared picture is represented by its caption, as in the official script. The corrected key is the official file with
`errors.json` beside it, in the form of the public audit (github.com/dial481/locomo-audit): citations and answers are
corrected, and questions at fault left out. What is scored, and how, stays the official way.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from readgraph import BadInput
from readgraph.sources.loading import fault_of, printable_path
from readgraph.state.words import format_count
from readgraph_evaluation.datasets.assembling import SessionTurns, Spans, SpeakerTurn, join_sessions
from readgraph_evaluation.datasets.forms import Asked, DatasetRecord, Form, build_dataset, form, record, records
from readgraph_evaluation.records import Dataset, Item

ERRORS = "errors.json"
WRONG_CITATION = "WRONG_CITATION"  # the kind of fault in which the answer is right
_ID = re.compile(r"locomo_(\d+)_qa(\d+)")
_REMARK = re.compile(r"\s*\([^()]*\)\s*$")


class LocomoCorrection(DatasetRecord):
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
        """Whether the question itself is, which can't be answered as it stands."""
        return self.error_type in ("ATTRIBUTION_ERROR", "AMBIGUOUS")


class LocomoCorrections:
    """The corrections of a file; `used` are those of the conversations that were read."""

    def __init__(self, path: Path) -> None:
        self.path, self.used = path, list[LocomoCorrection]()
        self.known = defaultdict[int, list[tuple[int, LocomoCorrection]]](list)
        for where, correction in records(path, LocomoCorrection):
            named = _ID.fullmatch(correction.question_id)
            if not named:
                raise BadInput(f"In {where}, question_id must be as in 'locomo_0_qa23': correct it there.")
            self.known[int(named[1])].append((int(named[2]), correction))

    def of(self, conversation: int, questions: Sequence[str]) -> dict[int, LocomoCorrection]:
        """The corrections by their questions' places, found by place and words, or words alone; raises `BadInput`."""

        def plain(question: str) -> str:
            return " ".join(question.split()).casefold()

        asked, by_place = [*map(plain, questions)], dict[int, LocomoCorrection]()
        for place, correction in self.known[conversation]:
            words = plain(correction.question)
            if not (place < len(asked) and asked[place] == words):
                if asked.count(words) != 1:
                    raise fault_of(
                        self.path,
                        f"corrects {correction.question_id}, which is no question "
                        "of the dataset: take both from the same publication.",
                    )
                place = asked.index(words)
            by_place[place] = correction
        self.used += by_place.values()
        return by_place

    @property
    def note(self) -> str:
        """What was corrected and left out in the conversations that were read."""
        left = sum(each.at_fault for each in self.used)
        cited = sum(each.error_type == WRONG_CITATION for each in self.used)
        answers = format_count(len(self.used) - left - cited, "answer")
        return (
            f"By {self.path.name}: {answers} and {format_count(cited, 'citation')} corrected, "
            f"{format_count(left, 'question')} left out, being at fault."
        )


CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}  # as in its script
FILE = "locomo10.json"
TURN_ID = re.compile(r"D\d+:\d+")
SESSION = re.compile(r"session_(\d+)")


class _LocomoTurn(DatasetRecord):
    speaker: str
    dia_id: str
    text: str = ""
    blip_caption: str = ""

    @property
    def with_picture(self) -> str:
        return f"{self.text} [shares {self.blip_caption}]".strip() if self.blip_caption else self.text


class _LocomoSession(DatasetRecord):
    turns: list[_LocomoTurn]
    date_time: str = ""


class _LocomoQuestion(DatasetRecord):
    question: str
    category: int
    answer: str = ""
    evidence: tuple[str, ...] = ()


class _Sample(DatasetRecord):
    conversation: dict[str, Any]
    qa: list[_LocomoQuestion]
    sample_id: str = ""


def _load_corrected(path: Path, items: int | None = None) -> Dataset:
    """The file or folder with `errors.json` beside it, or above its folder `data`; raises `BadInput` without one."""
    folders = [path, path / "data"] if path.is_dir() else [path.parent, path.parent.parent]
    files = [folder / FILE for folder in folders] if path.is_dir() else [path]
    file = next((file for file in files if file.is_file()), None)
    errors = next((folder / ERRORS for folder in folders if (folder / ERRORS).is_file()), None)
    if file is None or errors is None:
        lacking = f"at {printable_path(path)} there is no {FILE if file is None else ERRORS}"
        raise BadInput(f"A corrected LoCoMo needs {FILE} and {ERRORS}: {lacking}.")
    corrections = LocomoCorrections(errors)
    dataset = build_dataset(file, _read_locomo(file, corrections), items, "locomo-corrected", licence="CC BY-NC 4.0")
    return replace(dataset, note=corrections.note)


def _read_locomo(path: Path, corrections: LocomoCorrections | None = None) -> Iterator[Asked]:
    for number, (where, sample) in enumerate(records(path, _Sample), 1):
        identity, conversation = sample.sample_id or f"conv-{number}", sample.conversation
        title = " & ".join(str(conversation[key]) for key in ("speaker_a", "speaker_b") if key in conversation)
        text, turns = join_sessions(identity, title or identity, _sessions(conversation, where))
        questions = dict(enumerate(sample.qa))
        if corrections:
            for place, correction in corrections.of(number - 1, [question.question for question in sample.qa]).items():
                old = questions.pop(place)
                if not correction.at_fault:
                    answer = "" if correction.error_type == WRONG_CITATION else correction.answer
                    key = {"answer": answer or old.answer, "evidence": correction.correct_evidence or old.evidence}
                    questions[place] = old.model_copy(update=key)
        yield where, text, [_item(identity, place, questions[place], turns) for place in sorted(questions)]


locomo = form("locomo")(_read_locomo)
corrected = Form("locomo-corrected", _load_corrected)


def _sessions(conversation: dict[str, Any], where: str) -> Iterator[SessionTurns]:
    numbers = sorted(int(match[1]) for match in map(SESSION.fullmatch, conversation) if match)
    for key in (f"session_{number}" for number in numbers):
        value = {"turns": conversation[key], "date_time": conversation.get(f"{key}_date_time", "")}
        session = record(value, _LocomoSession, f"{where}, {key}")
        turns = [SpeakerTurn(turn.with_picture, turn.speaker, turn.dia_id) for turn in session.turns]
        yield SessionTurns(turns, session.date_time)


def _item(identity: str, number: int, asked: _LocomoQuestion, turns: Spans) -> Item:
    named = dict.fromkeys(name for entry in asked.evidence for name in TURN_ID.findall(entry))
    adversarial = asked.category == 5
    return Item(
        id=f"{identity}-q{number}",
        text=identity,
        question=asked.question,
        references=(asked.answer,) if asked.answer and not adversarial else (),
        evidence=tuple(turns[name] for name in named if name in turns),
        category=CATEGORIES.get(asked.category, str(asked.category)),
        unanswerable=adversarial,
    )
