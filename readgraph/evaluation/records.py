"""What is evaluated: texts, the questions about them with what is right, and what a method made of each."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from readgraph.state.histories import BETWEEN, SessionText
from readgraph.state.reading import NOTHING_USED, Usage


class Span(NamedTuple):
    """Characters `[start, end)` of a text."""

    start: int
    end: int


class SessionPlace(NamedTuple):
    """Where a session's text stands in its history, without `BETWEEN`, and what it is called and when it was."""

    start: int
    end: int
    title: str
    time: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text that questions are about; that of a history is its sessions', each followed by `BETWEEN`.

    The sessions are kept by their places, since histories can be so large that they should be held only once.
    `parts`: where each of several documents stands in the joined text; no page crosses from one into the next.
    """

    id: str
    title: str
    text: str
    session_places: tuple[SessionPlace, ...] = ()
    parts: tuple[Span, ...] = ()

    @classmethod
    def history(cls, identity: str, title: str, sessions: Sequence[SessionText]) -> "Text":
        """A history of these sessions."""
        starts = accumulate((len(session.text) + len(BETWEEN) for session in sessions), initial=0)
        places = (
            SessionPlace(start, start + len(session.text), session.title, session.time)
            for start, session in zip(starts, sessions, strict=False)
        )
        return cls(identity, title, "".join(session.text + BETWEEN for session in sessions), tuple(places))

    @property
    def sessions(self) -> tuple[SessionText, ...]:
        """The sessions of a history; none of another text."""
        return tuple(SessionText(self.text[start:end], title, time) for start, end, title, time in self.session_places)

    @classmethod
    def several(cls, identity: str, title: str, documents: Iterable[str]) -> "Text":
        """Documents joined, with `BETWEEN` between them; one that is there twice stands once."""
        different = [*dict.fromkeys(documents)]
        text = BETWEEN.join(different)
        starts = accumulate((len(document) + len(BETWEEN) for document in different[:-1]), initial=0)
        parts = tuple(Span(*bounds) for bounds in pairwise([*starts, len(text)]))
        return cls(identity, title, text, parts=parts)


class Addressed(NamedTuple):
    """What the speaker `by` of a history says to the speaker `to`, who is to answer; "" = `to` is to speak first."""

    to: str
    by: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """A question about a text, and what is right.

    `references`: answers that are right, each by itself. `options` with the index of the right one make it a multiple
    choice. `evidence`: the spans of the text that hold the answer; each is one piece of it. `unanswerable`: right is
    who says that the text doesn't hold the answer. `about`: facts that a reply is compared with (see `similarity`).
    `together`: the references are parts of one answer, and right is who gives all of them. `addressed`: how the
    question is put to an agent that lived through the sessions (see `conversing`); `question` is what any other method
    is asked about them.
    """

    id: str
    text: str
    question: str
    references: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    correct: int | None = None
    evidence: tuple[Span, ...] = ()
    category: str = ""
    unanswerable: bool = False
    about: tuple[str, ...] = ()
    together: bool = False
    addressed: Addressed | None = None

    @classmethod
    def load(cls, value: dict[str, Any]) -> "Item":
        """The item of a JSON-plain value."""
        lists = {name: tuple(value[name]) for name in ("references", "options", "about")}
        addressed = Addressed(*value["addressed"]) if value["addressed"] else None
        evidence = tuple(Span(*span) for span in value["evidence"])
        return cls(**{**value, **lists, "evidence": evidence, "addressed": addressed})


@dataclass(frozen=True, slots=True)
class Dataset:
    """Texts and questions of one form. `metrics` are names of `readgraph.evaluation.metrics`; the first leads a table.

    `profile` names the papers' settings for it (`readgraph.state.context.PROFILES`), `licence` what its file says.
    `note` is a line on what was left out, where something was.
    """

    name: str
    texts: tuple[Text, ...]
    items: tuple[Item, ...]
    metrics: tuple[str, ...]
    profile: str = ""
    licence: str = ""
    note: str = ""

    def text(self, identity: str) -> Text:
        """The text of this id."""
        return next(text for text in self.texts if text.id == identity)

    def about(self, text: Text) -> list[Item]:
        """The questions about a text."""
        return [item for item in self.items if item.text == text.id]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a method made of one question in one run: a line of `answers.jsonl`.

    `status` is that of the reading, or "failed", with the `problem`. `choice` is the index of the chosen option.
    `read` are the spans of the pages read again, or of the turns that an agent recalled, in that order, `cited` those
    of the citations. `compression_rate` and `usage` are the reading's; `calls`, `input_words` and `output_words` count
    what the method asked for, paid or answered by a recorded reply. `look_ups` counts decisions to look at a page,
    `hops` those of a walk, `strayed` says that the walk turned back.
    """

    item: str
    method: str
    run: int
    status: str
    answer: str | None = None
    choice: int | None = None
    problem: str = ""
    read: tuple[Span, ...] = ()
    cited: tuple[Span, ...] = ()
    compression_rate: float | None = None
    usage: Usage = field(default_factory=lambda: Usage(**NOTHING_USED))
    calls: int = 0
    input_words: int = 0
    output_words: int = 0
    refused: int = 0
    fallbacks: dict[str, int] = field(default_factory=dict)
    look_ups: int = 0
    hops: int | None = None
    strayed: bool | None = None
    percent_read: float | None = None
    cost: float | None = None
    memory: str = ""

    @classmethod
    def load(cls, value: dict[str, Any]) -> "Outcome":
        """The outcome of a line."""
        spans = {name: tuple(Span(*span) for span in value[name]) for name in ("read", "cited")}
        return cls(**{**value, **spans})

    def line(self) -> dict[str, Any]:
        """The outcome as a JSON-plain value."""
        return asdict(self)

    @property
    def key(self) -> tuple[str, int, str]:
        """What the outcome is of: method, run, item."""
        return self.method, self.run, self.item


PROBLEM = "problem"
"""A judgement's `said` holds, under this name, the reason why there is no rating."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a rater made of an outcome: a line of `judgements.jsonl`.

    `rater` is the model that judged, or embedded, `scores` are from 0 to 100 by the names of metrics, and `said` the
    raw replies by the names of their prompts, or the "problem" for which there is none. `calls` and the fields below
    count as those of an `Outcome`.
    """

    item: str
    method: str
    run: int
    rater: str
    scores: dict[str, float]
    said: dict[str, str] = field(default_factory=dict)
    calls: int = 0
    input_words: int = 0
    output_words: int = 0
    refused: int = 0
    cost: float | None = None

    @property
    def key(self) -> tuple[str, int, str]:
        """What was judged: method, run, item."""
        return self.method, self.run, self.item

    @property
    def problem(self) -> str:
        """Why it could not be had at all; "" where it could."""
        return self.said.get(PROBLEM, "")
