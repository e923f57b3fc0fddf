"""What a run is doing, in words for people, and when it will have ended."""

import time
from dataclasses import dataclass, field

DOING = {
    "read": "Reading",
    "grow": "Growing the tree",
    "memorize": "Memorising",
    "plan": "Planning",
    "search": "Searching",
    "integrate": "Taking notes",
    "reflect": "Reflecting",
    "descend": "Walking",
    "read_leaf": "Walking",
    "write_notes": "Reading",
    "look_up": "Looking up",
    "answer": "Answering",
    "write": "Writing",
    "check": "Checking",
}


def doing(node: str) -> str:
    """What a node does, in words for people."""
    return DOING.get(node, node.replace("_", " ").capitalize())


BUILDS = ("read", "memorize", "write_notes")
"""Nodes that report how far they are; their figures stay while a call runs between two pages."""


@dataclass
class Pace:
    """How fast a reading goes; what an earlier reading did counts for nothing."""

    _began: tuple[float, int] | None = field(default=None, init=False)

    def ends(self, done: int, of: int) -> float | None:
        """When it will have ended at the pace so far (`time.monotonic`); None where that can't be foreseen yet."""
        now = time.monotonic()
        self._began = self._began or (now, done)
        since, before = self._began
        return now + (of - done) * (now - since) / (done - before) if before < done < of else None
