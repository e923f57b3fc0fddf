"""The sessions of a history as one of its speakers experienced them: events of an agent's recall storage."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

from readgraph.evaluation.records import Span
from readgraph.state.agents import SPEAKS, Event
from readgraph.state.histories import SessionText
from readgraph.state.store.sound import at_local_time

TIMES = ("%I:%M %p on %d %B, %Y", "%Y/%m/%d (%a) %H:%M")
"""The formats of session times in LoCoMo and LongMemEval; other datasets use ISO 8601."""


def turns_of(session: SessionText, *speakers: str) -> list[tuple[str, Span]]:
    """The turns of these speakers: who speaks, and the span of the words in the session's text.

    A line that does not begin with one of their names belongs to the turn before it.
    """
    names = "|".join(re.escape(speaker) for speaker in speakers)
    turns = [*re.finditer(rf"^({names}): ", session.text, flags=re.MULTILINE)]
    ends = [*(turn.start() for turn in turns[1:]), len(session.text)]
    return [(turn[1], Span(turn.end(), end)) for turn, end in zip(turns, ends, strict=False)]


def lived(session: SessionText, to: str, by: str, first: int, before: str = "") -> Iterator[Event]:
    """The events of a session for the speaker `to`, who talks with `by`; their numbers begin with `first`.

    Their time is the session's, if its format is known and it is not earlier than `before` (the time of the session
    before), else `before`: events are in the order of time. The session's time as it is written is an event of its own.
    """
    time, number = max(moment(session.time), before), first
    if session.time:
        yield Event(number, "system", time, f"A conversation begins. Its time: {session.time}.")
        number += 1
    for speaker, span in turns_of(session, to, by):
        words = session.text[span.start : span.end].strip()
        if speaker == to:
            yield Event(number, "call", time, "I answer.", SPEAKS, {"message": words}, result="Sent.")
        else:
            yield Event(number, "user", time, words)
        number += 1


def moment(time: str) -> str:
    """A session's time in the format of events; "" if its format is unknown."""
    for form in TIMES:
        with suppress(ValueError):
            return _local(datetime.strptime(time.strip(), form))
    with suppress(ValueError):
        return _local(datetime.fromisoformat(time.strip()))
    return ""


def _local(time: datetime) -> str:
    return (time if time.tzinfo else at_local_time(time)).isoformat(timespec="seconds")
