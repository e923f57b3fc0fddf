"""The state of a walk down a summary tree (MemWalker, section 3, navigation)."""

from typing import Literal

from typing_extensions import TypedDict

from readgraph.state.reading import Answered, ReadingState

Action = Literal["child", "revert", "exhausted", "answer", "keep", "unusable"]
"""A decision at a node: down to a child; back up; up by itself, since every child was visited; at a leaf: answer, or
keep what was found and go on; no usable reply, which ends the walk."""


class Hop(TypedDict):
    """One decision of a walk. `walk` counts from 0; `next_node` is the node that follows, none where the walk ends.

    `memory_words` is the size of the working memory, `shown_words` that of the notes or the segment decided on.
    """

    walk: int
    node: str
    action: Action
    next_node: str | None
    reasoning: str
    memory_words: int
    shown_words: int
    valid: bool


class Walked(Answered):
    """Output of a walk: every decision, and the percentage of the text's words that was read."""

    hops: list[Hop]
    percent_read: float | None


class WalkState(ReadingState, Walked):
    """All channels of a walk; `current_node` is the node where it stands, `walk` the number of the walk."""

    current_node: str
    walk: int
