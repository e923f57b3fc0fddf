"""The records of an evaluation: texts, questions with their right answers, outcomes and judgements."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Any, Literal, NamedTuple

from readgraph.library.histories import BETWEEN, SessionText
from readgraph.state.reading import NOTHING_USED, Usage
from readgraph.state.settings import AnswerForm
from readgraph.state.words import count_words

__all__ = ["Dataset", "Item", "Judgement", "Outcome", "Text"]


class TextSpan(NamedTuple):
    """Characters `[start, end)` of a text."""

    start: int
    end: int


class SessionPlace(NamedTuple):
    """A session's span in its history's text (without `BETWEEN`), its title and its time."""

    start: int
    end: int
    title: str
    time: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text with questions; the text of a history is its sessions' texts, each followed by `BETWEEN`.

    Sessions are spans, and `whole` is "" where there are several `documents`, so that nothing is in memory twice.
    `parts` are their spans in the joined text; no page crosses from one into the next.
    """

    id: str
    title: str
    whole: str
    session_places: tuple[SessionPlace, ...] = ()
    parts: tuple[TextSpan, ...] = ()
    documents: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text; that of several documents is joined at each call."""
        return self.whole or BETWEEN.join(self.documents)

    @property
    def documents_to_store(self) -> Iterator[str]:
        """The documents as they are stored: each but the last is followed by `BETWEEN`, so that `parts` fit."""
        for number, document in enumerate(self.documents, 1):
            yield document + BETWEEN if number < len(self.documents) else document

    @property
    def words(self) -> int:
        """The number of words."""
        return sum(map(count_words, self.documents or (self.whole,)))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing but white space."""
        return not any(text and not text.isspace() for text in self.documents or (self.whole,))

    @classmethod
    def of_sessions(cls, identity: str, title: str, sessions: Sequence[SessionText]) -> "Text":
        """A history of these sessions."""
        starts = accumulate((len(session.text) + len(BETWEEN) for session in sessions), initial=0)
        places = (
            SessionPlace(start, start + len(session.text), session.title, session.time)
            for start, session in zip(starts, sessions, strict=False)
        )
        return cls(identity, title, "".join(session.text + BETWEEN for session in sessions), tuple(places))

    @property
    def sessions(self) -> tuple[SessionText, ...]:
        """The sessions of a history; empty for other texts."""
        return tuple(SessionText(self.whole[start:end], title, time) for start, end, title, time in self.session_places)

    @classmethod
    def of_documents(cls, identity: str, title: str, documents: Iterable[str]) -> "Text":
        """Documents joined, with `BETWEEN` between them; repeated ones are left out."""
        unique = tuple(dict.fromkeys(documents))
        sizes = [*(len(document) + len(BETWEEN) for document in unique[:-1]), *map(len, unique[-1:])]
        parts = tuple(map(TextSpan._make, pairwise(accumulate(sizes, initial=0))))
        return cls(identity, title, "", parts=parts, documents=unique)


class AddressedMessage(NamedTuple):
    """A message `by` one speaker `to` the other, who answers; "": `to` begins. `known`: what both knew before."""

    to: str
    by: str
    message: str = ""
    known: tuple[str, str] = ("", "")


class WebStep(NamedTuple):
    """A step of an episode on web pages (its text is the page), and the action that is right.

    `history` are the true actions before, `elements` the ids to act on, `operation` is CLICK, TYPE or SELECT.
    """

    episode: str
    steps: int
    history: tuple[str, ...]
    elements: tuple[str, ...]
    operation: str
    value: str = ""


class ChosenWebAction(NamedTuple):
    """The action that was chosen on a web page; `operation` is click, type or select."""

    element: str
    operation: str
    value: str = ""


Rule = Literal["right", "steps", "temporal", "update", "preference", "abstention", "generous"]  # how a judge decides
EVENT_ORDERING = "event_ordering"  # BEAM's category of questions about the order of events


@dataclass(frozen=True, slots=True)
class Item:
    """A question about a text, with its right answer.

    `references`: right answers, each of which is enough. `options` with the index of the right one (`correct`) make it
    a multiple choice. `evidence`: the spans of the text that hold the answer. `unanswerable`: the right answer is that
    the text doesn't hold it. `about`: facts that a reply is compared with (see `similarities`). `together`: the
    references are parts of one answer, which must contain all of them. `addressed`: the question as a message to an
    agent that took part in the sessions (see `reading`); other methods are asked `question`. `step`: the question
    is a task's instruction, and the right answer an action. `summary`: it asks for a summary
    of the whole text. `rule`: how a judge decides whether an answer is right. `groups`: more categories that it
    counts in. `rubric`: points that a judge looks for in an answer, of `EVENT_ORDERING` the events in their order.
    """

    id: str
    text: str
    question: str
    references: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    correct: int | None = None
    evidence: tuple[TextSpan, ...] = ()
    category: str = ""
    unanswerable: bool = False
    about: tuple[str, ...] = ()
    together: bool = False
    addressed: AddressedMessage | None = None
    step: WebStep | None = None
    summary: bool = False
    rule: Rule | Literal[""] = ""
    groups: tuple[str, ...] = ()
    rubric: tuple[str, ...] = ()


def texts_of(items: Iterable[Item]) -> dict[str, str]:
    """The ids of questions' texts by the questions' ids."""
    return {item.id: item.text for item in items}


ANY_FORM = AnswerForm()


@dataclass(frozen=True, slots=True)
class Dataset:
    """Texts and questions. `metrics` are names of `readgraph_evaluation.metrics`; the first is the leading one.

    `profile` names the papers' settings for it (`readgraph.state.context.PROFILES`); `answers` is the form of its
    references; `licence` is its stated licence; `note` is a line on what was left out, or "".
    """

    name: str
    texts: tuple[Text, ...]
    items: tuple[Item, ...]
    metrics: tuple[str, ...]
    profile: str = ""
    answers: AnswerForm = ANY_FORM
    licence: str = ""
    note: str = ""

    @property
    def by_id(self) -> dict[str, Item]:
        """The questions by their ids."""
        return {item.id: item for item in self.items}

    def text(self, identity: str) -> Text:
        """The text with this id."""
        return next(text for text in self.texts if text.id == identity)

    def about(self, text: Text) -> list[Item]:
        """The questions about a text."""
        return [item for item in self.items if item.text == text.id]


Key = tuple[str, int, str]  # method, run, and the id of the question


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one question with one method in one run: a line of `answers.jsonl`.

    `status` is the reading's status, or "failed" with the `problem`; `by_rule`: no model gave the answer. `choice` is
    the index of the chosen option. `read` are the spans of the pages read again, or of the turns that an agent
    recalled, in that order; `cited` are the spans of the citations. `compression_rate` and `usage` are the reading's.
    `calls`, `input_words` and `output_words` count all replies, new and recorded. `look_ups` counts decisions to look
    at a page, `hops` decisions of a walk, and `strayed` that the walk turned back. `percent_shown`: the words that a
    walk was shown, tree nodes and segments, as a percentage of the text's. `action`: the choice on a web page.
    `alternatives`: answers and options of single chunks, of which the best counts (GAM, section 3.1). `confidence`: the
    higher, the surer is the system of its answer, on any scale; None where nothing says so. `tells_read`: `read` is
    what was in view, and not unknown, as it is of a system that never says so.
    """

    item: str
    method: str
    run: int
    status: str
    answer: str | None = None
    choice: int | None = None
    problem: str = ""
    read: tuple[TextSpan, ...] = ()
    cited: tuple[TextSpan, ...] = ()
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
    percent_shown: float | None = None
    cost: float | None = None
    memory: str = ""
    by_rule: bool = False
    action: ChosenWebAction | None = None
    alternatives: tuple[tuple[str, int | None], ...] = ()
    confidence: float | None = None
    tells_read: bool = True

    def line(self) -> dict[str, Any]:
        """The outcome as a plain JSON value."""
        return asdict(self)

    @property
    def key(self) -> Key:
        """What identifies the outcome."""
        return self.method, self.run, self.item

    @property
    def answer_words(self) -> int | None:
        """Words of a free answer; None without one, or where an option was chosen."""
        return None if self.answer is None or self.choice is not None else count_words(self.answer)

    @property
    def percent_cached(self) -> float | None:
        """The share of the tokens sent that a provider's cache held; None where no server counted tokens."""
        sent, held = self.usage["input_tokens"], self.usage.get("cache_read_tokens", 0)
        return 100 * held / sent if sent else None

    def by_substitute(self, model: str) -> bool:
        """Whether a reading with this model was answered by a substitute: the method itself gave no answer."""
        return bool(model) and (self.by_rule or self.status == "nearest")

    def by_method(self, model: str) -> "Outcome":
        """The outcome without what a substitute said in the model's place; the pages that were read stay."""
        unanswered = replace(self, status="nearest", answer=None, choice=None, cited=(), by_rule=False, action=None)
        return unanswered if self.by_substitute(model) else self


PROBLEM = "problem"  # the name in a judgement's `said` of the reason why there is no rating


@dataclass(frozen=True, slots=True)
class Judgement:
    """A rater's judgement of an outcome: a line of `judgements.jsonl`.

    `rater` names the models. `scores` are from 0 to 100 by metrics. `said` holds the raw replies by the names of their
    prompts, or the "problem" why there are none. `calls` and what follows count as in an `Outcome`.
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
    def key(self) -> Key:
        """What identifies the judged outcome."""
        return self.method, self.run, self.item

    @property
    def problem(self) -> str:
        """Why the judgement failed; "" if it did not."""
        return self.said.get(PROBLEM, "")
