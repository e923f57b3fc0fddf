"""Whether a chain of function calls goes on, and with which node."""

from typing import Annotated

from langgraph.graph import END

from readgraph.features.agents.state import TurnStep
from readgraph.features.agents.think import CHAIN
from readgraph.nodes.bounds import DECISIVE, LoopProgress, within_loop_limit
from readgraph.state.reading import Finding

INSIDE = 2  # supersteps of the chain that may still run after the last permitted `think`


class ChainProgress(LoopProgress):
    """What decides whether a chain of steps goes on."""

    next_step: Annotated[TurnStep, DECISIVE]


def choose_turn_step(state: ChainProgress) -> str:
    """The next node of the turn, or its end."""
    return state["next_step"] if _may_continue_chain(state) else END


class ReadingChainProgress(ChainProgress):
    """What is read before a reading goes on."""

    findings: list[Finding]
    owes_reply: bool
    pages_read: list[int]


def choose_reading_step(state: ReadingChainProgress) -> str:
    """The next node of the reading; at its end the answer, or a look-up where the agent has no answer and no page."""
    if _may_continue_chain(state):
        return state["next_step"]
    answered = state["findings"] and not state["owes_reply"]
    return "answer" if answered or state["pages_read"] else "look_up"


def _may_continue_chain(state: ChainProgress) -> bool:
    """Whether the chain goes on. A call made by the last permitted `think` may still be run (see `nodes.bounds`)."""
    return state["next_step"] != "yield" and within_loop_limit(
        state, CHAIN, lambda context: context.max_chain, spare=INSIDE
    )
