"""Bounds: no graph runs for ever, and what nodes show of a memory fits the window.

Loops end by what the context allows, which the nodes count; these bounds hold besides, for nodes of one's own too.

Too long gists are shown by age: gists of gists of gists for old pages, the newest as they are (iterative gisting:
ReadAgent, G.3). A gist of level l stands for 4 of the level below, so for 4 ** l pages, and never changes, whatever is
appended. What stands for all pages grows with the logarithm of their number: at most 24 gists for up to 65,536 pages.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Annotated, TypeVar

from langgraph.managed import RemainingSteps
from langgraph.runtime import get_runtime
from typing_extensions import TypedDict

from readgraph.library.page_store import PageStore
from readgraph.nodes.prompts import question_part
from readgraph.state.context import ReaderContext, run_context
from readgraph.state.reading import Step
from readgraph.state.records import Memory, Note
from readgraph.state.summary_tree import FAN, older_id
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


MOST_GISTS = 64  # this many gists of gists, with their tags, fill the words that all gists may have
FEWEST_WORDS = 8  # fewest words of a gist of gists, however small the window is
GISTS_SHARE = 0.5  # share of a prompt's content that gists may take; the rest is for pages that are read again
TAG_WORDS, FULL_TAG_WORDS = 2, 4  # of the tags before a gist, and before a page in full


def gists_allowed(context: ReaderContext) -> int:
    """Most words of gists with their tags."""
    return int(GISTS_SHARE * content_room(context))


def older_gist_words(context: ReaderContext) -> int:
    """Most words of a gist of gists."""
    return max(gists_allowed(context) // MOST_GISTS - TAG_WORDS, FEWEST_WORDS)


@dataclass(frozen=True, slots=True)
class OlderGist:
    """A gist of gists; it stands for the pages `[number * 4 ** level, (number + 1) * 4 ** level)`."""

    level: int
    number: int
    text: str
    words: int

    @property
    def pages(self) -> range:
        """The pages that it stands for."""
        span = FAN**self.level
        return range(self.number * span, (self.number + 1) * span)


def level_sizes(pages: int) -> list[int]:
    """How many whole gists there are on level 1, 2 and so on, above this many pages."""
    sizes = list[int]()
    while pages := pages // FAN:
        sizes.append(pages)
    return sizes


async def older_gists(store: PageStore, memory: str, pages: int, most_words: int) -> list[OlderGist]:
    """The gists of gists that a memory of this many pages has, of at most this many words each."""
    places = [(level, number) for level, size in enumerate(level_sizes(pages), 1) for number in range(size)]
    ids = {older_id(most_words, *place): place for place in places}
    return [OlderGist(*ids[node.id], node.text, node.words) for node in await store.tree_nodes(memory, ids)]


async def find_gists_to_show(
    store: PageStore, memory: Memory, notes: Mapping[int, Note], context: ReaderContext, near: Sequence[int]
) -> list[OlderGist]:
    """The gists of gists to show where a model's notes don't fit the window; corrected notes are shown if they fit."""
    allowed = gists_allowed(context)
    if not context.model or sum(note.words + TAG_WORDS for note in notes.values()) <= allowed:
        return []
    older = await older_gists(store, memory.id, memory.pages, older_gist_words(context))
    corrected = [note.page for note in notes.values() if note.replaced is not None]
    return choose_gists_by_age(notes, older, memory.pages, allowed, [*corrected, *near])


def choose_gists_by_age(
    notes: Mapping[int, Note], older: Iterable[OlderGist], pages: int, most_words: int, near: Sequence[int] = ()
) -> list[OlderGist]:
    """The gists of gists to show: as few as possible, then less for pages `near`, then from the newest page back."""
    view = _GistSelection(notes, {(gist.level, gist.number): gist for gist in older}, pages)
    for page in near:
        while view.try_expand(next((gist for gist in view.shown if page in gist.pages), None), most_words):
            pass
    while view.try_expand(max(view.shown, key=lambda gist: gist.pages.stop, default=None), most_words):
        pass
    return sorted(view.shown, key=lambda gist: gist.pages.start)


class _GistSelection:
    """What is shown of a memory: gists of gists, and the notes of the pages that none of them stands for."""

    def __init__(self, notes: Mapping[int, Note], older: Mapping[tuple[int, int], OlderGist], pages: int) -> None:
        self.notes, self.known = notes, older
        self.shown, self.words, page = set[OlderGist](), 0, 0
        while page < pages:
            levels = (level for level in range(pages.bit_length(), 0, -1) if page % FAN**level == 0)
            begin_here = (older.get((level, page // FAN**level)) for level in levels)
            if gist := next(filter(None, begin_here), None):
                self.shown.add(gist)
            self.words += self._size(gist or page)
            page = gist.pages.stop if gist else page + 1

    def try_expand(self, gist: OlderGist | None, most_words: int) -> bool:
        """Show what the gist, if there is one, stands for, unless there are not enough words or a gist is missing."""
        if gist is None:
            return False
        first, below = gist.number * FAN, gist.level - 1
        parts = [self.known.get((below, number)) if below else number for number in range(first, first + FAN)]
        shown = [part for part in parts if part is not None]
        grown = self.words - self._size(gist) + sum(map(self._size, shown))
        if len(shown) < FAN or grown > most_words:
            return False
        self.words = grown
        self.shown.remove(gist)
        self.shown |= {part for part in shown if isinstance(part, OlderGist)}
        return True

    def _size(self, part: OlderGist | int) -> int:
        if isinstance(part, OlderGist):
            return part.words + TAG_WORDS
        return self.notes[part].words + TAG_WORDS if part in self.notes else 0
