"""What estimates are made of: bounds and expected values of calls and words, parts that methods share."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import add, sub
from typing import Any

from readgraph.library.page_store import PageStore
from readgraph.models.asking import MOST_REPEATED, TRIES
from readgraph.nodes.answering.prompts import answer_prompt
from readgraph.nodes.building.paging import FEWEST_SHARE
from readgraph.nodes.building.recipes import resolve_notes_language
from readgraph.nodes.prompts import MOST_ANSWER_LINE_WORDS, MOST_NOTE_LINE_WORDS, PARAGRAPH_WORDS
from readgraph.state.context import ReaderContext
from readgraph.state.records import Document, Memory, Recipe
from readgraph.state.words import count_words

WORDING_VARIES = 12  # words by which the fixed part of a prompt may differ from the version that is measured

RETRY_WORDS = 2 * MOST_REPEATED + 20
"""Most words that a refused reply adds to the next try: the reply, the reason for refusing it, and their frame."""

SHORT_ANSWER, QUOTES = 15, 40  # expected words of a short answer, and of the quotes that show it

LONG_ANSWERS = {"paragraph": PARAGRAPH_WORDS, "free": 150}

SENTENCE_WORDS, VERDICT_WORDS = 20, 15  # expected words of a sentence, and of what is said of it, with a quote

FEWEST_HELD = 800
"""The fewest words with which prompts begin alike, of those that providers' caches keep: about 1,024 tokens."""

TAG_WORDS = 2  # words of the tag before a page

FORM_WORDS = 100  # words that the window keeps free beside a prompt for the form of the reply, or a few more

HALF_PARAGRAPH = 25  # words by which a full page is expected to end before its limit: it ends with a paragraph


ASSUMES = "probably, if replies can be used at once; at most, if none can be used at first"
"""What the expected numbers of an estimate and its upper bounds take for granted."""


@dataclass(frozen=True)
class Range:
    """At least, expected, at most; `high` is None where there is no upper bound."""

    low: float
    expected: float
    high: float | None

    @staticmethod
    def of(given: "Range | float") -> "Range":
        """The range; a number stands for that of itself alone."""
        return given if isinstance(given, Range) else Range(given, given, given)

    def __add__(self, other: "Range | float") -> "Range":
        other = Range.of(other)
        high = None if self.high is None or other.high is None else self.high + other.high
        return Range(self.low + other.low, self.expected + other.expected, high)

    def __sub__(self, other: "Range") -> "Range":
        high = None if self.high is None or other.high is None else self.high - other.high
        return Range(self.low - other.low, self.expected - other.expected, high)

    def __mul__(self, other: "Range | float") -> "Range":
        other = Range.of(other)
        high = None if self.high is None or other.high is None else self.high * other.high
        return Range(self.low * other.low, self.expected * other.expected, high)

    def at_most(self, bound: float | None) -> "Range":
        """The range with this upper bound, such as a budget; None changes nothing."""
        if bound is None:
            return self
        high = bound if self.high is None else min(self.high, bound)
        return Range(min(self.low, bound), min(self.expected, bound), high)

    def perhaps_none(self) -> "Range":
        """The range with 0 as its lower bound, where possibly nothing is needed."""
        return Range(0, self.expected, self.high)

    @property
    def most(self) -> float:
        """The upper bound of a range that has one."""
        assert self.high is not None
        return self.high

    @staticmethod
    def frame(words: int) -> "Range":
        """The words of a prompt without the texts inserted into it; its wording varies by a few words."""
        return Range(max(0, words - WORDING_VARIES), words, words + WORDING_VARIES)

    @staticmethod
    def of_pages(words: float, most: int) -> "Range":
        """Number of even pages, of at most `most` words each, in a text (see `readgraph.nodes.building.paging`)."""
        if words <= most:
            return Range.of(math.ceil(words / most))
        typical = most - min(HALF_PARAGRAPH, FEWEST_SHARE * most / 2)
        high = math.ceil(words / max(1, round(FEWEST_SHARE * most))) + 1
        return Range(math.ceil(words / most), min(math.ceil(words / typical), high), high)


NONE, PERHAPS = Range(0, 0, 0), Range(0, 1, 1)

ANSWER_LINE, NOTE_LINE = Range(0, 0, MOST_ANSWER_LINE_WORDS), Range(0, 0, MOST_NOTE_LINE_WORDS)
"""Words of the line on the form of an answer, and of that on the language of notes: often none."""


@dataclass(frozen=True)
class Estimate:
    """Calls to a model, words sent, words received. Words received have no upper bound: the model decides.

    `held_words`: those of the words sent that a provider's cache can hold, since an earlier prompt began with them.
    """

    calls: Range = NONE
    input_words: Range = NONE
    output_words: Range = NONE
    held_words: Range = NONE

    @staticmethod
    def of(times: Range | float, prompt_words: Range, reply_words: float) -> "Estimate":
        """Ask `times` times with a prompt of `prompt_words`: one call each, up to `TRIES` if replies are refused."""
        times = Range.of(times)
        calls = times * Range(1, 1, TRIES)
        retried = times * Range(0, 0, TRIES * (TRIES - 1) / 2 * RETRY_WORDS)
        replies = Range(times.low, times.expected * reply_words, 0 if times.high == 0 else None)
        return Estimate(calls, calls * prompt_words + retried, replies)

    def _each(self, change: Callable[..., Range], *others: "Estimate") -> "Estimate":
        """The estimate whose ranges `change` makes of each range, and of the same range of others."""
        every = ((each.calls, each.input_words, each.output_words, each.held_words) for each in (self, *others))
        return Estimate(*map(change, *every))

    def __add__(self, other: "Estimate") -> "Estimate":
        return self._each(add, other)

    def __sub__(self, other: "Estimate") -> "Estimate":
        return self._each(sub, other)

    def times(self, number: "int | Range") -> "Estimate":
        """The estimate for doing the same `number` times."""
        return self._each(lambda words: words * number)

    def perhaps_none(self) -> "Estimate":
        """The estimate with 0 as lower bounds, where recorded replies may answer every call."""
        return self._each(Range.perhaps_none)

    def with_expected(self, other: "Estimate") -> "Estimate":
        """The estimate with these bounds, and with what another one expects between them."""

        def between(one: Range, expected: Range) -> Range:
            return replace(one, expected=max(one.low, expected.expected)).at_most(one.high)

        return self._each(between, other)

    def beginning_with(self, words: Range, times: Range | float = 1) -> "Estimate":
        """The estimate where so many of its prompts begin with these words of an earlier one, if caches keep them."""
        held = words.expected if words.expected >= FEWEST_HELD else 0
        return replace(self, held_words=Range(0, held, words.high) * times)

    def with_text(self, words: int, pages: Range) -> "Estimate":
        """The estimate with the words of the pages added: the whole text is sent once, as this many pages."""
        # A word that is cut by the end of a page counts for both pages.
        shown = Estimate.of(1, Range(words, words, words + pages.most), 0).input_words
        return replace(self, input_words=self.input_words + shown)

    def within(self, max_calls: int | None) -> "Estimate":
        """The estimate under a budget of calls."""
        if max_calls is None or self.calls.expected <= max_calls:
            return replace(self, calls=self.calls.at_most(max_calls))
        share = max_calls / self.calls.expected
        less = self._each(lambda words: Range(0, words.expected * share, words.high))
        return replace(less, calls=self.calls.at_most(max_calls))


@dataclass(frozen=True)
class Unread:
    """What is left to read: words outside any page, pages without a note and their words; and the existing notes."""

    memory: Memory | None
    words: int
    pages: int
    paged_words: int
    notes: int
    note_words: int

    @property
    def complete(self) -> bool:
        """Whether nothing is left to read."""
        return self.memory is not None and self.memory.complete and not (self.words or self.pages)


@dataclass(frozen=True)
class EstimateCase:
    """What every estimate is made from: a document in a store, the settings, and the words of a question, if any."""

    store: PageStore
    document: Document
    context: ReaderContext
    given_words: int | None = None

    @property
    def question_words(self) -> int:
        """The words of the question; 0 without one."""
        return self.given_words or 0

    @property
    def question(self) -> Range:
        """The same as a range."""
        return Range.of(self.question_words)

    @property
    def asks(self) -> bool:
        """Whether a model will be asked the question; else the document is only read."""
        return self.given_words is not None and bool(self.context.model)

    def with_settings(self, **settings: Any) -> "EstimateCase":
        """The case with these settings."""
        return replace(self, context=replace(self.context, **settings))

    @property
    def reader(self) -> ReaderContext:
        """The settings with the model that reads."""
        return replace(self.context, model=self.context.reading_model or self.context.model)

    def answer_words(self, *, quotes: bool = True) -> int:
        """Expected words of an answer, with its quotes or alone, as far as settings tell its length."""
        words = self.context.answer_words or LONG_ANSWERS.get(self.context.answer_length or "", SHORT_ANSWER)
        return words + (QUOTES if quotes else 0)

    def answer(self, shown: Range, times: Range | float = 1) -> Estimate:
        """An answer; `shown`: the words of the memory and of the question. A prompt beyond the window is cut."""
        prompt = Range.frame(answer_prompt("", "", {"A": "", "B": ""}).words) + ANSWER_LINE
        window = self.context.window_words
        room = max(0, window - FORM_WORDS)
        cut = Range(min(prompt.low + shown.low, room), min(prompt.expected + shown.expected, room), window)
        return Estimate.of(times, cut.at_most((prompt + shown).high), self.answer_words())

    async def unread(self, recipe: Recipe) -> Unread:
        """What is left to read of the document for the memory with this recipe."""
        store, document, context = self.store, self.document, self.context
        recipe, _ = await resolve_notes_language(recipe, document, context, store)
        memory = await store.find_memory(document.id, recipe, renew=context.rebuild)
        if memory is None:
            return Unread(None, document.words, 0, 0, 0, 0)
        (rest,) = await store.spans(document, [(memory.read_to, document.characters)])
        if memory.note_words is not None and not context.again:
            return Unread(memory, count_words(rest), 0, 0, memory.pages, memory.note_words)
        notes = await store.notes(memory.id, range(memory.pages))
        with_note = {note.page for note in notes if not (context.again and note.is_substitute)}
        without = [page for page in await store.pages(memory.id, range(memory.pages)) if page.number not in with_note]
        paged_words = sum(page.words for page in without)
        note_words = sum(note.words for note in notes)
        return Unread(memory, count_words(rest), len(without), paged_words, len(notes), note_words)

    async def bound(self, estimate: Estimate) -> Estimate:
        """The estimate within the budget of calls; the store may hold recorded replies, which answer any call."""
        async for _ in self.store.replies():
            estimate = estimate.perhaps_none()
            break
        return estimate.within(self.context.max_calls)


def of_options(context: ReaderContext) -> ReaderContext:
    """The context of a question whose answer is one of its options: a letter, whatever the settings say of answers."""
    return replace(context, answer_length="phrase", answer_words=1)
