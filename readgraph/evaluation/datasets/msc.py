"""Multi-Session Chat: two people meet again and again (Xu et al., 2022); the conversation tasks of MemGPT, section 3.1.

Records of ParlAI's `session_N` files become the task to open a conversation: the history is the earlier sessions, and
the newest one has to be opened. Records of MSC-Self-Instruct have a question of one speaker to the other about all five
sessions: deep memory retrieval.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import Field

from readgraph.evaluation.datasets.assembling import Asked, SessionTurns, SpeakerTurn, join_sessions
from readgraph.evaluation.datasets.forms import form_of
from readgraph.evaluation.datasets.record_files import DatasetRecord, records
from readgraph.evaluation.records import AddressedMessage, Item

SPEAKERS = ("Speaker 1", "Speaker 2")
"""The first speaker, and the one who answers; turns of earlier sessions name no speaker."""


class SpokenTurn(DatasetRecord):
    """A turn; `id` names the speaker in the newest session only."""

    text: str
    id: str = ""


class EarlierSession(DatasetRecord):
    """An earlier session; `time_back` says how long before the newest one it was."""

    dialog: list[SpokenTurn]
    time_back: str = ""


class MscChat(DatasetRecord):
    """The newest session, the earlier ones, and the facts that each speaker has stated about themselves."""

    dialog: list[SpokenTurn] = Field(min_length=1)
    previous_dialogs: list[EarlierSession] = Field(min_length=1)
    personas: tuple[list[str], ...] = ()


class MscProbe(DatasetRecord):
    """What speaker 2 (B) asks, and what speaker 1 (A) should answer."""

    a: str = Field(alias="A")
    b: str = Field(alias="B")


class ProbedChat(MscChat):
    """A chat with a question about it."""

    self_instruct: MscProbe


def _openers(path: Path) -> Iterator[Asked]:
    """For each chat, the task to open its newest session with regard to the facts about the speakers.

    `about` holds the facts about both speakers, since the paper doesn't say with whose persona an opener is compared;
    the reference is the opener that the person wrote.
    """
    for number, (where, chat) in enumerate(records(path, MscChat), 1):
        identity = f"chat-{number}"
        text, _ = join_sessions(identity, f"Chat {number}", _before(chat))
        first = chat.dialog[0]
        opens = SPEAKERS[first.id == SPEAKERS[1]]
        other = SPEAKERS[opens == SPEAKERS[0]]
        question = (
            f"You are {opens} and meet {other} again. Write your first message of the new conversation, in one or two "
            "sentences: let it draw on what you know of each other."
        )
        facts = tuple(fact for persona in chat.personas for fact in persona if fact.strip())
        item = Item(
            f"{identity}-opener",
            identity,
            question,
            (first.text,),
            about=facts,
            addressed=AddressedMessage(opens, other),
        )
        yield where, text, [item]


OPENERS = form_of(
    "msc-openers",
    "Multi-Session Chat, such as session_5/test.txt.",
    _openers,
    {"dialog", "previous_dialogs", "personas"},
)


def _probes(path: Path) -> Iterator[Asked]:
    """For each chat, the question about its five sessions."""
    one, other = SPEAKERS
    for number, (where, chat) in enumerate(records(path, ProbedChat), 1):
        identity, probe = f"chat-{number}", chat.self_instruct
        text, _ = join_sessions(identity, f"Chat {number}", [*_before(chat), _turns(chat.dialog)])
        question = f"{other} asks {one}: “{probe.b.strip()}” What does {one} answer?"
        addressed = AddressedMessage(one, other, probe.b.strip())
        yield where, text, [Item(f"{identity}-q", identity, question, (probe.a,), addressed=addressed)]


RETRIEVAL = form_of(
    "msc-retrieval",
    "MSC-Self-Instruct, msc_self_instruct.jsonl.",
    _probes,
    {"dialog", "previous_dialogs", "self_instruct"},
)


def _before(chat: MscChat) -> list[SessionTurns]:
    return [_turns(session.dialog, session.time_back) for session in chat.previous_dialogs]


def _turns(dialog: Iterable[SpokenTurn], time: str = "") -> SessionTurns:
    return SessionTurns([SpeakerTurn(turn.text, _speaker(turn, place)) for place, turn in enumerate(dialog)], time)


def _speaker(turn: SpokenTurn, place: int) -> str:
    return turn.id if turn.id in SPEAKERS else SPEAKERS[place % 2]
