"""The state of a walk down a summary tree (MemWalker, section 3, navigation)."""

from typing import Literal

from typing_extensions import TypedDict

from readgraph.state.reading import Answered, Quote, ReadingState

Action = Literal["child", "revert", "exhausted", "answer", "keep", "unusable"]
"""A decision at a node: down to a child; back up; up by itself, since every child was visited; at a leaf: answer, or
keep what was found and go on; no usable reply, which ends the walk."""


class Hop(TypedDict):
    """One decision of a walk. `walk` counts from 0; `to` is the node that follows, none where the walk ends.

    `memory_words` is the size of the working memory, `shown_words` that of the notes or the segment decided on.
    """

    walk: int
    node: str
    action: Action
    to: str | None
    reasoning: str
    memory_words: int
    shown_words: int
    valid: bool


class Finding(TypedDict):
    """What a leaf had to say: an answer, or (`answers` false) a part of one that was kept on the way."""

    page: int
    answers: bool
    found: str
    choice: str | None
    quotes: list[Quote]


class Walked(Answered):
    """Output of a walk: every decision, what was found, and the percentage of the text's words that was read."""

    hops: list[Hop]
    findings: list[Finding]
    percent_read: float | None


class WalkState(ReadingState, Walked):
    """All channels of a walk; `at` is the node where it stands, `walk` the number of the walk."""

    at: str
    walk: int
