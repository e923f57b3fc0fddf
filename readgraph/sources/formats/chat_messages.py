"""What messengers' exports share: messages with what is known of each, and how a chat's messages become its turns."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from readgraph.sources.formats.chat_lines import read_times
from readgraph.sources.formats.chat_turns import ChatConversation, ChatTurn, time_of

MOST_QUOTED = 80  # characters of a message to which another one replies
NOTHING = "[message without text]"
DELETED = "[deleted message]"
EDITED = "(edited)"
_CLOCK_HOURS = re.compile(r"(?<![\d:])00:(?=\d\d:\d\d)|(?<![\d:])0(?=\d:\d\d)")


class Message(NamedTuple):
    """One message: who wrote what, and when.

    `speaker` is None where it is that of the message before, "" for a line of the program. `time` is seconds, an ISO
    time, or one in words. `answers` is the identity of another message, `quoted` what this one tells of it.
    """

    speaker: str | None
    text: str
    time: Any = None
    identity: str = ""
    answers: str = ""
    quoted: str = ""


class MessengerChat(NamedTuple):
    """One chat of an export: its title ("" if it has none) and its messages."""

    title: str
    messages: list[Message]


def bracketed(kind: str, *details: Any) -> str:
    """What has no text, as a line: "[voice message, 0:12]"; details that are empty are left out."""
    told = ", ".join(filter(None, (str(each).strip() for each in details if each is not None)))
    return f"[{', '.join(filter(None, [kind, _CLOCK_HOURS.sub('', told)]))}]"


def clock_of(seconds: Any) -> str:
    """A length in seconds as a clock shows it ("0:12", "1:02:03"); "" for anything else."""
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 < seconds < 1e7:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def length_of(seconds: Any) -> str:
    """A call's length in words: "3 min", "40 s"; "" for anything but a number of seconds."""
    if not clock_of(seconds):
        return ""
    return f"{round(seconds)} s" if seconds < 60 else f"{round(seconds / 60)} min"


def as_conversation(chat: MessengerChat) -> tuple[ChatConversation, str]:
    """A chat's turns in the order of time, replies with what they answer; and what of its times is unsure."""
    messages = [*_with_speakers(chat.messages)]
    times, unsure = _times_of(messages)
    heads = {each.identity: _head(each) for each in messages if each.identity}
    turns, last = list[tuple[float, ChatTurn]](), 0.0
    for message, (time, seconds) in zip(messages, times, strict=True):
        text = message.text or NOTHING
        if message.answers or message.quoted:
            answered = heads.get(message.answers) or _shorten(message.quoted) or "an earlier message"
            text = f"(in reply to {answered})\n{text}"
        last = seconds if time else last  # one without a time stays where it stands
        turns.append((last, ChatTurn(message.speaker or "", text, time)))
    in_order = [turn for _, turn in sorted(turns, key=lambda timed: timed[0])]
    return ChatConversation(chat.title, in_order, lasts=True), unsure


def _with_speakers(messages: Iterable[Message]) -> Iterator[Message]:
    """The messages, with the speaker of the one before where it has none of its own."""
    speaker = ""
    for message in messages:
        speaker = message.speaker or speaker
        yield message if message.speaker is not None else message._replace(speaker=speaker)


def _head(message: Message) -> str:
    """Who wrote what, cut to be quoted: "Anna: Where is it?"."""
    lines = (line for line in message.text.split("\n") if line.strip() and not line.startswith("(in reply to "))
    return _shorten(": ".join(filter(None, [message.speaker, next(lines, NOTHING)])))


def _shorten(head: str) -> str:
    head = " ".join(head.split())
    return head if len(head) <= MOST_QUOTED else f"{head[: MOST_QUOTED - 1].rstrip()}…"


def _times_of(messages: Sequence[Message]) -> tuple[list[tuple[datetime | None, float]], str]:
    """The times of messages; of those in words, as all of them together tell the order of day and month."""
    times = [time_of(message.time) for message in messages]
    written = [
        number for number, (time, _) in enumerate(times) if time is None and isinstance(messages[number].time, str)
    ]
    read, unsure = read_times([messages[number].time for number in written])
    for number, time in zip(written, read, strict=True):
        if time:
            times[number] = time, (time - datetime(1970, 1, 1)).total_seconds()
    return times, unsure
