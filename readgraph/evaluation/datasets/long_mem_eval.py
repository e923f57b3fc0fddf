"""LongMemEval: questions to an assistant about its chats with one user (Wu et al., 2025).

Each question has its own history, with up to 500 sessions: `longmemeval_m` has gigabytes, of which only the wanted
questions are read.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field, model_validator

from readgraph.evaluation.datasets.assembling import Asked, SessionTurns, SpeakerTurn, join_sessions
from readgraph.evaluation.datasets.forms import form_of
from readgraph.evaluation.datasets.record_files import DatasetRecord, records
from readgraph.evaluation.records import AddressedMessage, Item

ABSTENTION = "_abs"
"""The ending of the ids of questions that the history doesn't answer."""


class LongMemEvalMessage(DatasetRecord):
    """A turn; `has_answer` marks turns that hold evidence."""

    role: str
    content: str
    has_answer: bool | None = None


class LongMemEvalQuestion(DatasetRecord):
    """A question and its history."""

    question_id: str
    question_type: str
    question: str
    answer: str
    question_date: str = ""
    haystack_dates: tuple[str, ...] = ()
    haystack_session_ids: tuple[str, ...] = ()
    haystack_sessions: list[list[LongMemEvalMessage]] = Field(min_length=1)
    answer_session_ids: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _a_date_and_an_id_a_session(self) -> "LongMemEvalQuestion":
        for name in ("haystack_dates", "haystack_session_ids"):
            if len(getattr(self, name)) != len(self.haystack_sessions):
                raise ValueError(f"{name} needs one entry for each of the {len(self.haystack_sessions)} sessions")
        return self


def _read_long_mem_eval(path: Path) -> Iterator[Asked]:
    """The questions of a file; evidence is the marked turns, or without marks all turns of the answer's sessions."""
    for where, asked in records(path, LongMemEvalQuestion):
        # Only longmemeval_oracle does not have them in the order of time.
        order = sorted(range(len(asked.haystack_dates)), key=asked.haystack_dates.__getitem__)
        text, spans = join_sessions(asked.question_id, asked.question_id, (_turns(asked, number) for number in order))
        question = f"Today is {asked.question_date}. {asked.question}" if asked.question_date else asked.question
        abstains = asked.question_id.endswith(ABSTENTION)
        item = Item(
            id=f"{asked.question_id}-q",
            text=asked.question_id,
            question=question,
            references=(asked.answer,),
            evidence=() if abstains else tuple(spans[name] for name in _evidence(asked) if name in spans),
            category="abstention" if abstains else asked.question_type,
            unanswerable=abstains,
            addressed=AddressedMessage("assistant", "user", question),
        )
        yield where, text, [item]


LONG_MEM_EVAL = form_of(
    "longmemeval",
    "LongMemEval, such as longmemeval_s.json.",
    _read_long_mem_eval,
    {"question_id", "question_type", "haystack_sessions"},
    licence="MIT",
)


def _turns(asked: LongMemEvalQuestion, number: int) -> SessionTurns:
    session = asked.haystack_sessions[number]
    turns = [SpeakerTurn(turn.content, turn.role, _name(number, place)) for place, turn in enumerate(session)]
    return SessionTurns(turns, asked.haystack_dates[number])


def _evidence(asked: LongMemEvalQuestion) -> list[str]:
    """The names of the turns that hold the answer."""
    sessions = list(enumerate(asked.haystack_sessions))
    marked = [_name(n, place) for n, session in sessions for place, turn in enumerate(session) if turn.has_answer]
    named = [pair for pair, identity in zip(sessions, asked.haystack_session_ids, strict=True)
             if identity in asked.answer_session_ids]  # fmt: skip
    return marked or [_name(n, place) for n, session in named for place, _ in enumerate(session)]


def _name(session: int, turn: int) -> str:
    return f"{session}:{turn}"
