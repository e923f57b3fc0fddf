"""Texts whose parts are known by their spans: histories of turns, documents one behind the other, lines."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from readgraph.evaluation.records import Span, Text
from readgraph.state.histories import BETWEEN, SessionText
from readgraph.state.stored_items import storable


class Turn(NamedTuple):
    """What one speaker said."""

    text: str
    speaker: str = ""
    id: str = ""


class Turns(NamedTuple):
    """One session: its turns, and when it was, which is shown above them."""

    turns: Sequence[Turn]
    time: str = ""


class Part(NamedTuple):
    """One of several documents that are read as one."""

    text: str
    title: str = ""
    id: str = ""


Spans = dict[str, Span]
"""Where the parts of a text stand in it, by their ids."""


def history(identity: str, title: str, sessions: Iterable[Turns]) -> tuple[Text, Spans]:
    """A history, a turn below the other, and where each turn that has an id stands.

    Empty turns and sessions are left out, and so is a session that is there already: a library would not append it.
    """
    spans, texts, at = Spans(), dict[SessionText, None](), 0
    for session in sessions:
        time = _on_a_line(session.time)
        lines, found = [time] if time else [], Spans()
        start = at + sum(len(line) + 1 for line in lines)
        for turn in session.turns:
            if said := said_by(turn.speaker, turn.text):
                lines.append(said)
                if turn.id:
                    found.setdefault(turn.id, Span(start, start + len(said)))
                start += len(said) + 1
        text = SessionText("\n".join(lines), time=time)
        if len(lines) > bool(time) and text not in texts:
            texts[text] = None
            at += len(text.text) + len(BETWEEN)
            spans |= {name: span for name, span in found.items() if name not in spans}
    return Text.history(identity, title, tuple(texts)), spans


def several(identity: str, title: str, parts: Iterable[Part]) -> tuple[Text, Spans]:
    """Documents one behind the other, each with its title above it, and where each that has an id stands."""
    spans, texts, at = Spans(), list[str](), 0
    for part in parts:
        text = storable(f"{part.title}\n{part.text}".strip())
        if part.id:
            spans.setdefault(part.id, Span(at, at + len(text)))
        texts.append(text)
        at += len(text) + len(BETWEEN)
    return Text(identity, title, BETWEEN.join(texts)), spans


def apart(identity: str, title: str, parts: Iterable[Part]) -> tuple[Text, Spans]:
    """As `several`, but no page holds more than one of the documents; one that is there twice stands once."""
    texts = {part.id: storable(f"{part.title}\n{part.text}".strip()) for part in parts}
    text = Text.several(identity, title, texts.values())
    starts = {one: part.start for one, part in zip(dict.fromkeys(texts.values()), text.parts, strict=True)}
    return text, {part: Span(starts[one], starts[one] + len(one)) for part, one in texts.items()}


def said_by(speaker: str, text: str) -> str:
    """A turn as it stands in a text; None if nothing was said."""
    said, speaker = storable(text).strip(), _on_a_line(speaker)
    return f"{speaker}: {said}" if said and speaker else said


def line_spans(text: str) -> list[Span]:
    """The lines of a text."""
    lines = text.split("\n")
    starts = accumulate((len(line) + 1 for line in lines), initial=0)
    return [Span(start, start + len(line)) for line, start in zip(lines, starts, strict=False)]


def lines_from(lines: Sequence[Span], first: int, last: int) -> Span | None:
    """From a line to another, both included and counted from 0; None if there are no such lines."""
    return Span(lines[first].start, lines[last].end) if 0 <= first <= last < len(lines) else None


def _on_a_line(text: str) -> str:
    return " ".join(storable(text).split())
