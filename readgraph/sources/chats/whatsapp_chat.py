"""WhatsApp's exported chats: text with a date, a time and a speaker at the beginning of each message."""

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from readgraph.sources.chats.chat_turns import Chat, Turn

FEWEST_MESSAGES = 2
"""A text with fewer is not a chat."""

_SPACE = "[ \u00a0\u202f]"
_DATE = r"(?P<a>\d{1,4})(?P<mark>[./-])(?P<b>\d{1,2})[./-](?P<c>\d{1,4})\.?"
_CLOCK = rf"(?P<hour>\d{{1,2}})[:.](?P<minute>\d\d)(?:[:.]\d\d)?(?:{_SPACE}?(?P<half>[AaPp])\.?{_SPACE}?[Mm]\.?)?"
_START = re.compile(
    rf"^[\u200e\u200f\ufeff]*(?:\[(?={_SPACE}?\d))?{_DATE},?{_SPACE}{_CLOCK}(?:\]|{_SPACE}-){_SPACE}"
    r"(?:(?P<speaker>[^:\r\n]{1,60}): ?)?",
    re.MULTILINE,
)
_LEFT_OUT = re.compile(r"\u200e[^\n]*|<[^<>\n]{1,60}>")
"""What stands for a picture that was not exported, and the like."""


class Message(NamedTuple):
    """One message: the offsets of its beginning, of its words and of its end, who wrote it and when."""

    start: int
    words: int
    end: int
    speaker: str
    time: datetime

    def turn(self, text: str) -> Turn:
        """The message as a turn; `text` is the chat's text."""
        return Turn(self.speaker, text[self.words : self.end].strip(), self.time)


def messages_of(text: str) -> list[Message]:
    """The messages of a chat; an empty list if the text isn't one: its first line must be a message."""
    first = next(iter(_START.finditer(text[:2_000])), None)
    if first is None or text[: first.start()].strip("\ufeff\u200e \r\n"):
        return []
    marks = list(_START.finditer(text))
    dates = [(int(mark["a"]), int(mark["b"]), int(mark["c"])) for mark in marks]
    order = _order(dates, marks[0])
    messages = []
    for (mark, after), date in zip(pairwise([*marks, None]), dates, strict=True):
        if mark and (time := _time(date, order, mark)):
            end = after.start() if after else len(text)
            speaker = (mark["speaker"] or "").strip("\u200e\u202a\u202c\u00a0~ ")
            messages.append(Message(mark.start(), mark.end(), end, speaker, time))
    return messages if len(messages) >= FEWEST_MESSAGES else []


def chat_of(text: str, title: str = "") -> Chat | None:
    """The chat in a text, without what only stands for pictures; None if the text isn't a chat."""
    turns = [
        turn
        for message in messages_of(text)
        if (turn := message.turn(text)).text and not _LEFT_OUT.fullmatch(turn.text)
    ]
    return Chat(title, turns) if turns else None


def _order(dates: Sequence[tuple[int, int, int]], first: re.Match[str]) -> str:
    """The order of day, month and year, which depends on the phone: "dmy", "mdy" or "ymd"."""
    if max(date[0] for date in dates) > 31:
        return "ymd"
    if max(date[0] for date in dates) > 12:
        return "dmy"
    if max(date[1] for date in dates) > 12:
        return "mdy"
    by_day = _steps_back([(c, b, a) for a, b, c in dates])  # messages stand in the order of time
    by_month = _steps_back([(c, a, b) for a, b, c in dates])
    if by_day == by_month:
        return "mdy" if first["mark"] == "/" and first["half"] else "dmy"
    return "dmy" if by_day < by_month else "mdy"


def _steps_back(days: Sequence[tuple[int, int, int]]) -> int:
    return sum(after < before for before, after in pairwise(days))


def _time(date: tuple[int, int, int], order: str, mark: re.Match[str]) -> datetime | None:
    year, month, day = (date[order.index(unit)] for unit in "ymd")
    hour, half = int(mark["hour"]), (mark["half"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    try:
        return datetime(year + 2000 if year < 100 else year, month, day, hour, int(mark["minute"]))
    except ValueError:
        return None
