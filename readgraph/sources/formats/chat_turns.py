"""What chats of all kinds share: turns with speakers and times, conversations, and how these are cut into sessions."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from readgraph.sources.encodings import decode
from readgraph.sources.places import MOST_PLACES, Place, order_places, shorten_label
from readgraph.state.errors import BadInput

MOST_SECONDS = 1e11  # since 1970: more are thousandths of them


class ChatTurn(NamedTuple):
    """What one speaker wrote at one time; "" for a line of the program, None where the time is unknown.

    `heading` is what a message has above its text, where it is more than the speaker.
    """

    speaker: str
    text: str
    time: datetime | None
    heading: str = ""

    def as_text(self) -> str:
        """The turn as text: "Anna: Where is it?"."""
        if self.heading:
            return f"{self.heading}\n\n{self.text}".rstrip()
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


class ChatConversation(NamedTuple):
    """One conversation (a channel, a group, a talk with an assistant), or a session of it; "" if it has no title.

    `lasts`: people go on with it, and it is a text of its own; talks with an assistant are many, and read as one text.
    """

    title: str
    turns: list[ChatTurn]
    lasts: bool = False

    @property
    def time(self) -> datetime | None:
        """When it began, if that is known."""
        return next((turn.time for turn in self.turns if turn.time), None)

    def as_text(self) -> str:
        """The turns as text."""
        return "\n\n".join(turn.as_text() for turn in self.turns)


def sessions_in(chats: Sequence[ChatConversation], gap_hours: float | None = None) -> list[ChatConversation]:
    """The sessions in order: the days of each chat, or with `gap_hours`, what lies between so many hours of silence."""
    sessions = list[ChatConversation]()
    for chat in chats:
        last: datetime | None = None
        for number, turn in enumerate(chat.turns):
            ends = number == 0
            if last and turn.time:
                next_day = last.date() != turn.time.date()
                ends = next_day if gap_hours is None else (turn.time - last).total_seconds() >= 3600 * gap_hours
            if ends:
                sessions.append(ChatConversation(chat.title, []))
            sessions[-1].turns.append(turn)
            last = turn.time or last
    return sorted(sessions, key=lambda session: session.time or datetime.min)


def places_of(turns: Sequence[tuple[int, ChatTurn]]) -> tuple[Place, ...]:
    """The places of turns at these offsets: "12 March 2024, 19:40, Anna", or where these are too many, days."""
    if len(turns) > MOST_PLACES:
        days = [(start, day(turn.time)) for start, turn in turns if turn.time]
        return order_places(Place(*next(group)) for _, group in groupby(days, key=itemgetter(1)))
    labels = [", ".join(filter(None, (minute(turn.time), shorten_label(turn.speaker)))) for _, turn in turns]
    return order_places(Place(start, label) for (start, _), label in zip(turns, labels, strict=True) if label)


def minute(time: datetime | None) -> str:
    """A time such as "12 March 2024, 19:40"; "" for None."""
    return f"{day(time)}, {time:%H:%M}" if time else ""


def day(time: datetime | None) -> str:
    """A day such as "12 March 2024"; "" for None."""
    return f"{time.day} {time:%B} {time.year}" if time else ""


def parse_chat_json(data: bytes, name: str) -> Any:
    """The value in a JSON file, or the values on its lines; raises `BadInput` if it isn't JSON."""
    text = decode(data, name)
    try:
        return json.loads(text, object_hook=_without_copy)
    except (ValueError, RecursionError):
        pass
    try:  # a value on each line: in a file that is cut short, the first line is none
        return [json.loads(line, object_hook=_without_copy) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        raise BadInput(f"{name} is not valid JSON, or is cut short: export the chat again.") from None


def _without_copy(value: dict[str, Any]) -> dict[str, Any]:
    """An object without Telegram's second copy of each text, which would take a third of the memory."""
    value.pop("text_entities", None)
    return value


def dict_in(value: dict[str, Any], key: str) -> dict[str, Any]:
    """The object under a key; an empty one for anything else."""
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def words(value: Any) -> str:
    """A string as it is, without lone surrogates; "" for anything else."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def time_of(value: Any) -> tuple[datetime | None, float]:
    """A time in UTC from seconds, thousandths or "2024-03-12T19:40:00Z", and its seconds; None and 0 for others."""
    try:
        if isinstance(value, str) and value[4:5] == "-":
            time = datetime.fromisoformat(value)
        else:
            number = float(value)
            time = datetime.fromtimestamp(number / 1000 if number > MOST_SECONDS else number, UTC)
        aware = time if time.tzinfo else time.replace(tzinfo=UTC)
        return aware.astimezone(UTC).replace(tzinfo=None), aware.timestamp()
    except (TypeError, ValueError, OverflowError, OSError):
        return None, 0.0
