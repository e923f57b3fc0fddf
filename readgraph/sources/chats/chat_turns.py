"""Chats as turns of speakers, cut into sessions by day or by silence."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from readgraph.sources.places import MOST_PLACES, Place, on_one_line, ordered
from readgraph.sources.source_text import Converted

BETWEEN = "\n\n"
"""What stands between two turns."""


class Turn(NamedTuple):
    """What one speaker wrote at one time; "" for a line of the program, None where the time is unknown."""

    speaker: str
    text: str
    time: datetime | None

    def shown(self) -> str:
        """The turn as text: "Anna: Where is it?"."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


class Chat(NamedTuple):
    """One conversation: a channel, a group, or a talk with an assistant; its title is "" if it has none."""

    title: str
    turns: list[Turn]


class ChatSession(NamedTuple):
    """The turns of one session, with the title of their chat."""

    title: str
    turns: list[Turn]

    @property
    def time(self) -> datetime | None:
        """When it began, if that is known."""
        return next((turn.time for turn in self.turns if turn.time), None)


def sessions_in(chats: Sequence[Chat], gap_hours: float | None = None) -> list[ChatSession]:
    """The sessions of chats in the order of their beginnings.

    A session is one day of a chat; with `gap_hours`, a new session begins after that many hours of silence.
    """
    sessions = [ChatSession(chat.title, turns) for chat in chats for turns in _cut(chat.turns, gap_hours)]
    return sorted(sessions, key=lambda session: session.time or datetime.min)


def _cut(turns: Sequence[Turn], gap_hours: float | None) -> Iterator[list[Turn]]:
    session: list[Turn] = []
    last: datetime | None = None
    for turn in turns:
        if session and last and turn.time and _is_apart(last, turn.time, gap_hours):
            yield session
            session = []
        session.append(turn)
        last = turn.time or last
    if session:
        yield session


def _is_apart(before: datetime, after: datetime, gap_hours: float | None) -> bool:
    if gap_hours is None:
        return before.date() != after.date()
    return after - before >= timedelta(hours=gap_hours)


def text_of(turns: Sequence[Turn]) -> str:
    """The turns as text."""
    return BETWEEN.join(turn.shown() for turn in turns)


def as_document(chats: Sequence[Chat], title: str = "") -> Converted:
    """The sessions of chats as one text, each under its title and day; places are the times with the speakers."""
    parts, turns, length = list[str](), list[tuple[int, Turn]](), 0
    for session in sessions_in(chats):
        heading = ", ".join(filter(None, (on_one_line(session.title), day(session.time))))
        for text, turn in [(heading, Turn("", "", session.time)), *((turn.shown(), turn) for turn in session.turns)]:
            if text:
                turns.append((length, turn))
                parts.append(text)
                length += len(text) + len(BETWEEN)
    return Converted(BETWEEN.join(parts), places_of(turns), title or (chats[0].title if len(chats) == 1 else ""))


def places_of(turns: Sequence[tuple[int, Turn]]) -> tuple[Place, ...]:
    """The places of turns at these offsets: times with speakers, or where these are too many, days."""
    if len(turns) > MOST_PLACES:
        days = [(start, day(turn.time)) for start, turn in turns if turn.time]
        return ordered(Place(*next(group)) for _, group in groupby(days, key=itemgetter(1)))
    return ordered(Place(start, label) for start, turn in turns if (label := label_of(turn)))


def label_of(turn: Turn) -> str:
    """The place of a turn: "12 March 2024, 19:40, Anna"."""
    return ", ".join(filter(None, (minute(turn.time), on_one_line(turn.speaker))))


def minute(time: datetime | None) -> str:
    """A time such as "12 March 2024, 19:40"; "" for None."""
    return f"{day(time)}, {time:%H:%M}" if time else ""


def day(time: datetime | None) -> str:
    """A day such as "12 March 2024"; "" for None."""
    return f"{time.day} {time:%B} {time.year}" if time else ""
