"""The state of a walk down a summary tree (MemWalker, section 3, navigation)."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from readgraph.state.channels.research import Researched, ResearchState
from readgraph.state.reading import Answered, ReadingState

Action = Literal["child", "revert", "exhausted", "answer", "keep", "unusable"]
"""A decision at a node: go down to a child; go back up (`revert`); go up without asking, since every child was visited
(`exhausted`); at a leaf, answer, or keep the findings and go on; no usable reply, which ends the walk."""


class Hop(TypedDict):
    """One decision of a walk. `walk` counts from 0; `next_node` is the node that follows, None at the walk's end.

    `memory_words` is the size of the working memory, `shown_words` the size of the notes or the segment shown. Where
    the tree is one of sections, `heading` and `next_heading` are what the two nodes are called.
    """

    walk: int
    node: str
    action: Action
    next_node: str | None
    reasoning: str
    memory_words: int
    shown_words: int
    valid: bool
    heading: NotRequired[str]
    next_heading: NotRequired[str | None]


class Walked(Answered):
    """Output of a walk: every decision, too."""

    hops: list[Hop]


class WalkState(ReadingState, Walked):
    """All channels of a walk; `current_node` is its position, `walk` its number."""

    current_node: str
    walk: int


class WalkResearched(Walked, Researched):
    """Output of graphs that walk and reflect: what both give."""


class WalkResearchState(WalkState, ResearchState):
    """All channels of a walk, and of research that goes on from what it found."""
