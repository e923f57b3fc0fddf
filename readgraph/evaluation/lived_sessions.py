"""The sessions of a history as one of its speakers lived through them: events of an agent's recall storage."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

from readgraph.evaluation.records import Span
from readgraph.state.agents import SPEAKS, Event
from readgraph.state.histories import SessionText

TIMES = ("%I:%M %p on %d %B, %Y", "%Y/%m/%d (%a) %H:%M")
"""How LoCoMo and LongMemEval write the time of a session; others write ISO 8601."""


def turns_of(session: SessionText, *speakers: str) -> list[tuple[str, Span]]:
    """Who of the speakers spoke, and where in the session's text is what they said.

    A line with none of their names in front belongs to the turn before it.
    """
    names = "|".join(re.escape(speaker) for speaker in speakers)
    found = [*re.finditer(rf"^({names}): ", session.text, flags=re.MULTILINE)]
    ends = [*(turn.start() for turn in found[1:]), len(session.text)]
    return [(turn[1], Span(turn.end(), end)) for turn, end in zip(found, ends, strict=False)]


def lived(session: SessionText, to: str, by: str, first: int, before: str = "") -> Iterator[Event]:
    """The events of a session for the speaker `to`, who talks with `by`; they count from `first`.

    They are dated by the session where its time is in a form that is known, else as the session `before` was: events
    stand in the order of time. What the session says of its time stands in front in any case.
    """
    at, number = max(moment(session.time), before), first
    if session.time:
        yield Event(number, "system", at, f"A conversation begins. Its time: {session.time}.")
        number += 1
    for speaker, span in turns_of(session, to, by):
        said = session.text[span.start : span.end].strip()
        if speaker == to:
            yield Event(number, "call", at, "I answer.", SPEAKS, {"message": said}, result="Sent.")
        else:
            yield Event(number, "user", at, said)
        number += 1


def moment(time: str) -> str:
    """A session's time as events have it; "" where it is in no form that is known."""
    for form in TIMES:
        with suppress(ValueError):
            return _local(datetime.strptime(time.strip(), form))
    with suppress(ValueError):
        return _local(datetime.fromisoformat(time.strip()))
    return ""


def _local(time: datetime) -> str:
    return (time if time.tzinfo else time.astimezone()).isoformat(timespec="seconds")
