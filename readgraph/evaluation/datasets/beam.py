"""BEAM: questions on ten abilities of memory about conversations of up to ten million tokens (Tavakoli et al., 2025).

A conversation is a folder with `chat.json`, whose batches of turns are its sessions, and
`probing_questions/probing_questions.json`, the questions by ability. A folder of such folders is a set, such as
`chats/100K`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from readgraph.evaluation.datasets.assembling import (
    Asked,
    SessionTurns,
    Spans,
    SpeakerTurn,
    join_sessions,
)
from readgraph.evaluation.datasets.forms import folder_with, form_of
from readgraph.evaluation.datasets.record_files import DatasetRecord, record, records
from readgraph.evaluation.records import Item
from readgraph.sources.loading import printable_path
from readgraph.state.errors import BadInput

CHAT, QUESTIONS = "chat.json", Path("probing_questions", "probing_questions.json")

ABSTENTION = "abstention"
"""The ability whose questions the conversation doesn't answer."""

MARK = "->->"
"""Behind a user's message stands this and its number in the plan of the conversation."""


class BeamMessage(DatasetRecord):
    """A turn; only the first of a batch has a date."""

    role: str
    content: str
    id: str
    time_anchor: str = ""


class Batch(DatasetRecord):
    """One session: groups of turns."""

    turns: list[list[BeamMessage]]


class BeamProbe(DatasetRecord):
    """A question; its reference has one of three names. `source_chat_ids` are turns, or groups of them by name."""

    question: str
    answer: str = ""
    ideal_answer: str = ""
    ideal_response: str = ""
    expected_compliance: str = ""
    ideal_summary: str = ""
    source_chat_ids: Any = ()
    rubric: tuple[str, ...] = ()

    @property
    def references(self) -> tuple[str, ...]:
        """The reference answer; an instruction to follow has what is expected instead."""
        given = (self.answer, self.ideal_answer, self.ideal_response, self.ideal_summary, self.expected_compliance)
        return next(((text,) for text in given if text.strip()), ())


def _conversations(path: Path) -> Iterator[Path]:
    folders = [path, *sorted((each for each in path.iterdir() if each.is_dir()), key=_in_order)]
    return (folder for folder in folders if (folder / CHAT).is_file() and (folder / QUESTIONS).is_file())


def _in_order(folder: Path) -> tuple[int, str]:
    return (int(folder.name) if folder.name.isdigit() else 0, folder.name)


_recognise = folder_with(_conversations)


def _read_beam(path: Path) -> Iterator[Asked]:
    """The questions of the conversations in a folder; evidence is the turns that they are made from."""
    if not _recognise(path):
        raise BadInput(
            f"{printable_path(path)} is no folder of BEAM: name one with {CHAT} and {QUESTIONS}, or one above it."
        )
    for folder in _conversations(path):
        name = folder.resolve().name
        sessions = [_session(batch) for _, batch in records(folder / CHAT, Batch)]
        text, turns = join_sessions(name, f"conversation {name}", sessions)
        where, given = next(
            iter(records(folder / QUESTIONS, BeamProbes)), (printable_path(folder / QUESTIONS), BeamProbes())
        )
        yield where, text, [*_items(name, where, given, turns)]


BEAM = form_of("beam", "BEAM's folder of conversations, such as chats/100K.", _read_beam, recognise=_recognise)


class BeamProbes(DatasetRecord, extra="allow"):
    """The questions of a conversation, by the ability that they test."""


def _session(batch: Batch) -> SessionTurns:
    messages = [message for group in batch.turns for message in group]
    time = next((message.time_anchor for message in messages if message.time_anchor), "").replace("-", " ")
    return SessionTurns([SpeakerTurn(each.content.partition(MARK)[0], each.role, each.id) for each in messages], time)


def _items(name: str, where: str, given: BeamProbes, turns: Spans) -> Iterator[Item]:
    for ability, probes in (given.model_extra or {}).items():
        for number, value in enumerate(probes if isinstance(probes, list) else []):
            probe = record(value, BeamProbe, where)
            said = [turn for turn in dict.fromkeys(_turns_in(probe.source_chat_ids)) if turn in turns]
            yield Item(
                id=f"{name}-{ability}-{number}",
                text=name,
                question=probe.question,
                references=probe.references,
                evidence=tuple(turns[turn] for turn in said),
                category=ability,
                unanswerable=ability == ABSTENTION,
                rubric=tuple(filter(None, map(str.strip, probe.rubric))),
            )


def _turns_in(ids: Any) -> Iterator[str]:
    if isinstance(ids, dict):
        ids = [*ids.values()]
    if isinstance(ids, list | tuple):
        for each in ids:
            yield from _turns_in(each)
    else:
        yield str(ids)
