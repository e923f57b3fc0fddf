"""What a reading will use, before any call is made: ranges that hold, and what to expect."""

from dataclasses import dataclass, replace

from readgraph.models.asking import MOST_REPEATED, TRIES
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document, Memory, Recipe
from readgraph.state.words import count_words

RETRY_WORDS = 2 * MOST_REPEATED + 20
"""Words that one refused reply adds to the next try at most: the reply, the complaint, and what stands around it."""


@dataclass(frozen=True)
class Range:
    """At least, expected, at most; no `high` where nothing bounds it."""

    low: float
    expected: float
    high: float | None

    def __add__(self, other: "Range") -> "Range":
        high = None if self.high is None or other.high is None else self.high + other.high
        return Range(self.low + other.low, self.expected + other.expected, high)

    def __mul__(self, other: "Range") -> "Range":
        high = None if self.high is None or other.high is None else self.high * other.high
        return Range(self.low * other.low, self.expected * other.expected, high)

    def at_most(self, bound: float | None) -> "Range":
        """The range under a budget."""
        if bound is None:
            return self
        high = bound if self.high is None else min(self.high, bound)
        return Range(min(self.low, bound), min(self.expected, bound), high)

    def perhaps_none(self) -> "Range":
        """The same where it may turn out that nothing is needed."""
        return Range(0, self.expected, self.high)


NONE = Range(0, 0, 0)


def exactly(number: float) -> Range:
    """A range of one number."""
    return Range(number, number, number)


@dataclass(frozen=True)
class Estimate:
    """Calls to a model, words sent, words received. How long a reply is, the model decides: it has no upper bound."""

    calls: Range = NONE
    input_words: Range = NONE
    output_words: Range = NONE

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(
            self.calls + other.calls, self.input_words + other.input_words, self.output_words + other.output_words
        )

    def times(self, number: int) -> "Estimate":
        """The same so many times."""
        each = (self.calls, self.input_words, self.output_words)
        return Estimate(*(one * exactly(number) for one in each))

    def perhaps_none(self) -> "Estimate":
        """The same where recorded replies may answer every call."""
        return Estimate(self.calls.perhaps_none(), self.input_words.perhaps_none(), self.output_words.perhaps_none())

    def within(self, max_calls: int | None) -> "Estimate":
        """The same under a budget of calls."""
        if max_calls is None or self.calls.expected <= max_calls:
            return replace(self, calls=self.calls.at_most(max_calls))
        share = max_calls / self.calls.expected
        sent, received = self.input_words, self.output_words
        return Estimate(
            self.calls.at_most(max_calls),
            Range(0, sent.expected * share, sent.high),
            Range(0, received.expected * share, received.high),
        )


@dataclass(frozen=True)
class Unread:
    """What a recipe's memory still needs: words not yet paged, pages without a note; and what its notes have."""

    memory: Memory | None
    words: int
    pages: int
    paged_words: int
    notes: int
    note_words: int

    @property
    def complete(self) -> bool:
        """Whether nothing is left to read."""
        return self.memory is not None and self.memory.complete and not self.words


async def unread(store: PageStore, document: Document, recipe: Recipe, *, renew: bool) -> Unread:
    """How far the memory is that this recipe makes of the document."""
    memory = await store.find_memory(document.id, recipe, renew=renew)
    if memory is None:
        return Unread(None, document.words, 0, 0, 0, 0)
    notes = await store.notes(memory.id, range(memory.pages))
    noted = {note.page for note in notes}
    waiting = [page for page in await store.pages(memory.id, range(memory.pages)) if page.number not in noted]
    (rest,) = await store.spans(document, [(memory.read_to, document.characters)])
    words = sum(note.words for note in notes)
    paged_words = sum(page.words for page in waiting)
    return Unread(memory, count_words(rest), len(waiting), paged_words, len(notes), words)


async def may_be_recorded(store: PageStore) -> bool:
    """Whether the store holds recorded replies: any call may then turn out to be answered already."""
    async for _ in store.replies():
        return True
    return False


def fixed(words: int) -> Range:
    """The words of a prompt without what is put into it; the wording varies by a few."""
    return Range(max(0, words - 12), words, words + 12)


def asks(times: Range, prompt_words: Range, reply_words: float) -> Estimate:
    """So many asks, each of a prompt of so many words: one call each, at most `TRIES` where replies are refused."""
    calls = times * Range(1, 1, TRIES)
    retried = times * Range(0, 0, TRIES * (TRIES - 1) / 2 * RETRY_WORDS)
    replies = Range(times.low, times.expected * reply_words, 0 if times.high == 0 else None)
    return Estimate(calls, calls * prompt_words + retried, replies)
