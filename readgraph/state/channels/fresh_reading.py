"""The channels of a reading that belong to one question, as they are at its start."""

from collections.abc import Sequence
from typing import Annotated

from typing_extensions import TypedDict

from readgraph.state.reading import Citation, Finding, QuestionTurn, Quote, Sentence, Status

MOST_QUESTION_TURNS = 5
"""A follow-up question sees at most this many questions and answers before it."""


class Cleared:
    """Marks a key that is only reset: a node that reads it needs another node that writes it (see `graphs.wiring`)."""


class Empty:
    """Marks a key that begins empty, and may be read so: but some node before its reader must be there to fill it."""


class FreshReading(TypedDict):
    """The channels that belong to one question."""

    question_turns: list[QuestionTurn]
    question_text: str
    choices: dict[str, str]
    continue_search: Annotated[bool, Empty]
    pages_read: Annotated[list[int], Empty]
    findings: Annotated[list[Finding], Empty]
    quotes: Annotated[list[Quote], Cleared]
    answer: Annotated[str | None, Cleared]
    choice: Annotated[str | None, Cleared]
    citations: Annotated[list[Citation], Cleared]
    sentences: list[Sentence]
    unsupported: int
    unchecked: int
    percent_read: Annotated[float | None, Cleared]
    compression_rate: Annotated[float | None, Cleared]
    status: Status
    by_rule: bool


def fresh_reading(question: str, options: list[str], before: Sequence[QuestionTurn] = ()) -> FreshReading:
    """The channels at the start of a question. Options get letters from A on.

    `question_text` begins with the questions and answers `before`, if the question follows on from them.
    """
    turns = before[-MOST_QUESTION_TURNS:]
    earlier = [
        f"Asked before: {turn['question']}\nAnswered: {turn['answer'] or 'not found in the text'}" for turn in turns
    ]
    return {
        "question_turns": [*turns, QuestionTurn(question=question, answer=None)],
        "question_text": "\n\n".join([*earlier, f"Asked now: {question}"]) if earlier else question,
        "choices": {chr(ord("A") + number): option for number, option in enumerate(options)},
        "continue_search": False,
        "pages_read": [],
        "findings": [],
        "quotes": [],
        "answer": None,
        "choice": None,
        "citations": [],
        "sentences": [],
        "unsupported": 0,
        "unchecked": 0,
        "percent_read": None,
        "compression_rate": None,
        "status": "reading",
        "by_rule": False,
    }
