"""The state of one reading: JSON-plain, small, the same for every method."""

from collections.abc import Mapping, Sequence
from operator import add
from typing import Annotated, Literal, NotRequired

from langgraph.channels import EphemeralValue
from typing_extensions import TypedDict

Status = Literal["reading", "answered", "researched", "no_answer", "budget"]
"""`researched`: a context was made and no answer asked for. `no_answer`: the text doesn't hold it. `budget`: the budget
ended the reading; what was found is given."""


class Usage(TypedDict):
    """What was used: calls to the model, calls answered from the reply cache, words in and out, seconds of steps.

    `refused` counts the replies that could not be used. Tokens are those that the model server reports, 0 where it
    reports none.
    """

    calls: int
    cached_calls: int
    refused: int
    input_words: int
    output_words: int
    input_tokens: int
    output_tokens: int
    seconds: float


class Step(TypedDict):
    """One node's run, as the trajectory keeps it: what it did in one line, and what that used of which model."""

    node: str
    model: str
    summary: str
    usage: Usage
    fallbacks: dict[str, int]


class Quote(TypedDict):
    """What an answer quotes, before it was looked for in the document."""

    page: int
    quote: str


class Finding(TypedDict):
    """What was learned from a page, in any method: an answer to the question, or (`answers` false) a part of one.

    `page` is -1 where none is named; `choice` is the letter of a multiple choice.
    """

    page: int
    answers: bool
    text: str
    choice: str | None
    quotes: list[Quote]


def with_finding(findings: Sequence[Finding], new: Finding) -> list[Finding]:
    """The findings with one more; of a page, what was learned last holds, and quotes from before are kept."""
    before = [quote for finding in findings if finding["page"] == new["page"] for quote in finding["quotes"]]
    others = [finding for finding in findings if finding["page"] != new["page"]]
    quotes = [*before, *(quote for quote in new["quotes"] if quote not in before)]
    return [*others, {**new, "quotes": quotes}]


class Citation(TypedDict):
    """A quote that stands in the document: page number, exact text, character span `[start, end)`.

    `place` says where it is in the source's own terms: the page of a PDF, a chapter, a heading, a line, a time.
    `document` names the document where it is another than that of the question.
    """

    page: int
    quote: str
    start: int
    end: int
    place: str | None
    document: NotRequired[str]


class QuestionTurn(TypedDict):
    """A question of a thread and what was answered; nothing yet, or nothing found."""

    question: str
    answer: str | None


MOST_QUESTION_TURNS = 5
"""A further question knows at most this many exchanges before it."""


NOTHING_USED: Usage = {
    "calls": 0,
    "cached_calls": 0,
    "refused": 0,
    "input_words": 0,
    "output_words": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "seconds": 0.0,
}


def add_usage(one: Usage, other: Usage) -> Usage:
    """Sum of two usages; the cached calls and their words cost nothing and are counted apart."""
    one = one or NOTHING_USED
    return {
        "calls": one["calls"] + other["calls"],
        "cached_calls": one["cached_calls"] + other["cached_calls"],
        "refused": one["refused"] + other["refused"],
        "input_words": one["input_words"] + other["input_words"],
        "output_words": one["output_words"] + other["output_words"],
        "input_tokens": one["input_tokens"] + other["input_tokens"],
        "output_tokens": one["output_tokens"] + other["output_tokens"],
        "seconds": round(one["seconds"] + other["seconds"], 4),
    }


def add_counts(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """Sum of two tallies by kind."""
    return {
        kind: one.get(kind, 0) + other.get(kind, 0) for kind in [*one, *(kind for kind in other if kind not in one)]
    }


class Question(TypedDict):
    """Input of every graph: a document in the page store (or a short text), and what is asked of it.

    With no question the graph builds the document's memory and ends. `options` makes it a multiple choice.
    `document` may be left out for a further question in the same thread, which starts clean unless `follow_up` says
    that it goes on from the questions before.
    """

    document: NotRequired[str]
    text: NotRequired[Annotated[str, EphemeralValue]]
    title: NotRequired[Annotated[str, EphemeralValue]]
    question: NotRequired[Annotated[str, EphemeralValue]]
    options: NotRequired[Annotated[list[str], EphemeralValue]]
    follow_up: NotRequired[Annotated[bool, EphemeralValue]]


class Answered(TypedDict):
    """Output of every graph.

    `pages_read` is in order of reading; `compression_rate` is 100 · (1 − words in context / words of the text)
    at the answer (ReadAgent, section 4), none where nothing was answered. `findings` are what single pages said, where
    the method asks them; their quotes were not yet found in the text.
    """

    document: str
    memory: str
    answer: str | None
    choice: str | None
    status: Status
    findings: list[Finding]
    citations: list[Citation]
    pages_read: list[int]
    compression_rate: float | None
    usage: Annotated[Usage, add_usage]
    fallbacks: Annotated[dict[str, int], add_counts]
    steps: Annotated[list[Step], add]


class ReadingState(Answered):
    """All channels of a reading. The first node resets those of one question (see `fresh_reading`)."""

    text: NotRequired[Annotated[str, EphemeralValue]]
    title: NotRequired[Annotated[str, EphemeralValue]]
    question: NotRequired[Annotated[str, EphemeralValue]]
    options: NotRequired[Annotated[list[str], EphemeralValue]]
    follow_up: NotRequired[Annotated[bool, EphemeralValue]]

    question_turns: list[QuestionTurn]
    question_text: str
    choices: dict[str, str]
    continue_search: bool
    quotes: list[Quote]


class Cleared:
    """Marks a key that is only emptied: what reads it needs a node that writes it (see `graphs.wiring`)."""


class FreshReading(TypedDict):
    """The channels that belong to one question."""

    question_turns: list[QuestionTurn]
    question_text: str
    choices: dict[str, str]
    continue_search: bool
    pages_read: list[int]
    findings: list[Finding]
    quotes: Annotated[list[Quote], Cleared]
    answer: Annotated[str | None, Cleared]
    choice: Annotated[str | None, Cleared]
    citations: Annotated[list[Citation], Cleared]
    compression_rate: Annotated[float | None, Cleared]
    status: Status


def fresh_reading(question: str, options: list[str], before: Sequence[QuestionTurn] = ()) -> FreshReading:
    """The start of a question: nothing looked up, nothing answered. Options get letters from A on.

    What is `question_text` begins with the exchanges before, where the question follows on from them.
    """
    kept = before[-MOST_QUESTION_TURNS:]
    earlier = [f"Asked before: {one['question']}\nAnswered: {one['answer'] or 'not found in the text'}" for one in kept]
    return {
        "question_turns": [*kept, QuestionTurn(question=question, answer=None)],
        "question_text": "\n\n".join([*earlier, f"Asked now: {question}"]) if earlier else question,
        "choices": {chr(ord("A") + number): option for number, option in enumerate(options)},
        "continue_search": False,
        "pages_read": [],
        "findings": [],
        "quotes": [],
        "answer": None,
        "choice": None,
        "citations": [],
        "compression_rate": None,
        "status": "reading",
    }
