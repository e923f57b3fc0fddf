"""Bounds: no graph runs for ever, whatever its nodes decide, and what they show fits the window.

Loops end by what the context allows, which the nodes count; these bounds hold besides, for nodes of one's own too.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Annotated, TypeVar

from langgraph.managed import RemainingSteps
from langgraph.runtime import get_runtime
from typing_extensions import TypedDict

from readgraph.nodes.prompts import question_part
from readgraph.state.context import ReaderContext, run_context
from readgraph.state.reading import Step
from readgraph.state.words import count_words

T = TypeVar("T")

BESIDE_TURNS = 16  # supersteps that a loop may take besides those of its turns
OF_A_TURN = 6  # supersteps of one turn of a loop: an agent may be warned, evict, think and act in one
LAST_STEPS = 8
"""Supersteps that LangGraph's own limit must leave for a further turn: this one, a hop of a walk or a round of four,
and what may follow: a round, an answer, its citations."""

DECISIVE = "decisive"  # marks a key by which an edge is chosen, which a node writes between two such choices
BESIDE_PAGE = 500  # words of a page's prompt that are not the page: instructions, and the form of a long reply
INSTRUCTION_WORDS = 250  # most words of a prompt that are not content: its instructions, and the form of the reply


def content_room(context: ReaderContext, question: str = "", choices: Mapping[str, str] | None = None) -> int:
    """Words of content that a prompt may show beside the instructions and the question, which may take half."""
    room = context.window_words - INSTRUCTION_WORDS
    asked = count_words(question_part(question, dict(choices or {}))) if question else 0
    return max(room - asked, room // 2)


def fit_page(most_words: int, context: ReaderContext) -> int:
    """Most words of a page that a model notes by itself: `most_words`, or as many as the window holds."""
    return min(most_words, max(context.window_words - BESIDE_PAGE, context.window_words // 2))


class LoopProgress(TypedDict):
    """How far a question has come: the steps it took, and how many LangGraph's limit of a run leaves."""

    steps: list[Step]
    remaining_steps: RemainingSteps


class SearchProgress(LoopProgress):
    """What is asked before a loop goes round again: whether there is more to look for, and how far it has come."""

    continue_search: Annotated[bool, DECISIVE]


def groups_that_fit(items: Iterable[T], size: Callable[[T], int], room: int) -> Iterator[list[T]]:
    """The items in order, in groups that fit the room; one that alone is too large has a group of its own."""
    group, words = list[T](), 0
    for item in items:
        own = size(item)
        if group and words + own > room:
            yield group
            group, words = [], 0
        group.append(item)
        words += own
    if group:
        yield group


def within_loop_limit(
    state: LoopProgress, loop: Collection[str], turns: Callable[[ReaderContext], int], *, spare: int = 0
) -> bool:
    """Whether a loop may go round once more, of as many turns as the context allows; `spare`: further steps in a turn.

    `loop` names the loop's nodes: counted are the steps since another node ran, so a loop that is entered again begins
    from 0. Where a person edits the state nothing runs, and nothing is counted.
    """
    if (runtime := get_runtime(ReaderContext)) is None:
        return True
    took = sum(1 for _ in takewhile(lambda step: step["node"] in loop, reversed(state["steps"])))
    allowed = BESIDE_TURNS + OF_A_TURN * turns(run_context(runtime.context)) + spare
    return took < allowed and state["remaining_steps"] >= LAST_STEPS - spare
