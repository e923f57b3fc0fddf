"""LoCoMo: chats of two people over months, and questions about them (Maharana et al., 2024).

A shared picture is represented by its caption in its turn, as in the official script. Evidence that names no turn
(a few entries of the official file) is left out.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from readgraph.evaluation.datasets.assembling import Asked, assembled
from readgraph.evaluation.datasets.forms.locomo_corrections import WRONG_CITATION, Correction, Corrections, beside
from readgraph.evaluation.datasets.record_files import Record, record, records
from readgraph.evaluation.datasets.texts import Spans, Turn, Turns, history
from readgraph.evaluation.records import Dataset, Item

KEYS = frozenset({"conversation", "qa"})

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""The numbers as in the official script; some publications differ."""

FILES = ("locomo10.json",)

TURN_ID = re.compile(r"D\d+:\d+")
SESSION = re.compile(r"session_(\d+)")


class Speech(Record):
    """A turn of a session."""

    speaker: str
    dia_id: str
    text: str = ""
    blip_caption: str = ""


class Session(Record):
    """The turns of a session."""

    turns: list[Speech]
    date_time: str = ""


class Question(Record):
    """A question; adversarial ones have no answer."""

    question: str
    category: int
    answer: str = ""
    evidence: tuple[str, ...] = ()


class Sample(Record):
    """A conversation and its questions."""

    conversation: dict[str, Any]
    qa: list[Question]
    sample_id: str = ""


def load(path: Path, items: int | None = None) -> Dataset:
    """The questions of a file, conversation by conversation."""
    return assembled(path, _asked(path), items, "locomo", licence="CC BY-NC 4.0")


def load_corrected(path: Path, items: int | None = None) -> Dataset:
    """The same with the corrections of the `errors.json` beside the file, or in its folder."""
    file, errors = beside(path, FILES)
    corrections = Corrections(errors)
    dataset = assembled(file, _asked(file, corrections), items, "locomo-corrected", licence="CC BY-NC 4.0")
    return replace(dataset, note=corrections.note)


def _asked(path: Path, corrections: Corrections | None = None) -> Iterator[Asked]:
    for number, (where, sample) in enumerate(records(path, Sample), 1):
        identity, conversation = sample.sample_id or f"conv-{number}", sample.conversation
        title = " & ".join(str(conversation[key]) for key in ("speaker_a", "speaker_b") if key in conversation)
        text, turns = history(identity, title or identity, _sessions(conversation, where))
        known = corrections.of(number - 1, [asked.question for asked in sample.qa]) if corrections else {}
        corrected = enumerate(_corrected(asked, known.get(place)) for place, asked in enumerate(sample.qa))
        yield where, text, _items(identity, [(place, asked) for place, asked in corrected if asked], turns)


def _corrected(asked: Question, correction: Correction | None) -> Question | None:
    """The question with its right key; None if it is at fault itself."""
    if correction is None:
        return asked
    if correction.at_fault:
        return None
    evidence = correction.correct_evidence or asked.evidence
    answer = asked.answer if correction.error_type == WRONG_CITATION else correction.answer or asked.answer
    return asked.model_copy(update={"answer": answer, "evidence": evidence})


def _sessions(conversation: dict[str, Any], where: str) -> Iterator[Turns]:
    numbers = sorted(int(match[1]) for match in map(SESSION.fullmatch, conversation) if match)
    for key in (f"session_{number}" for number in numbers):
        value = {"turns": conversation[key], "date_time": conversation.get(f"{key}_date_time", "")}
        session = record(value, Session, f"{where}, {key}")
        yield Turns([Turn(_with_picture(turn), turn.speaker, turn.dia_id) for turn in session.turns], session.date_time)


def _with_picture(turn: Speech) -> str:
    return f"{turn.text} [shares {turn.blip_caption}]".strip() if turn.blip_caption else turn.text


def _items(identity: str, questions: Iterable[tuple[int, Question]], turns: Spans) -> Iterator[Item]:
    for number, asked in questions:
        named = dict.fromkeys(name for entry in asked.evidence for name in TURN_ID.findall(entry))
        adversarial = asked.category == 5
        yield Item(
            id=f"{identity}-q{number}",
            text=identity,
            question=asked.question,
            references=(asked.answer,) if asked.answer and not adversarial else (),
            evidence=tuple(turns[name] for name in named if name in turns),
            category=CATEGORIES.get(asked.category, str(asked.category)),
            unanswerable=adversarial,
        )
