"""Estimates of an evaluation's calls and words, before any call is made."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from readgraph.estimates.arithmetic import Estimate, Range, asks
from readgraph.estimates.methods import estimate_reading
from readgraph.estimates.shared import of_options
from readgraph.evaluation.judges.kinds import JUDGES, JudgeKind
from readgraph.evaluation.judges.raters import applying
from readgraph.evaluation.records import Item
from readgraph.evaluation.rows.row import on_web_pages
from readgraph.evaluation.running.conversing import by_talk
from readgraph.evaluation.running.evaluation import Group
from readgraph.evaluation.running.reading import add_text
from readgraph.graphs.method_facts import recipes_of
from readgraph.graphs.methods import Method
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import PageStore
from readgraph.state.records import Document
from readgraph.state.words import count_words

VERDICT_WORDS = 12
"""Words of a rater's reply."""


async def foreseen(pages: PageStore, groups: list[Group]) -> Estimate:
    """The estimate for the questions of these groups.

    A memory that rows share counts once. Rows of one method may get the same replies, which are paid for once.
    """
    total, built, asked = Estimate(), set[tuple[object, ...]](), set[tuple[object, ...]]()
    documents = dict[str, Document]()
    for row, run, text, items in groups:
        if text.id not in documents:
            documents[text.id] = await add_text(pages, text)
        document = documents[text.id]
        # Parts of a small page are all of it, whatever chooses them, so that methods for web pages ask the same.
        asking = ("web" if on_web_pages(items) else row.method.name, run, text.id)
        memory = (recipes_of(row.method, row.context) or row.method.name, run, text.id)
        if memory not in built:
            built.add(memory)
            reading = await estimate_reading(row.method, pages, document, row.context, None)
            total += reading.perhaps_none() if asking in asked else reading
        noting = [talk for talk in by_talk(row, items) if talk and talk.notes]
        for context, alike, more in _alike(row.context, items, len(noting) * len(text.sessions)):
            words = sum(count_words(" ".join([item.question, *item.options])) for item in alike) // len(alike)
            each = (await _asking(pages, row.method, context, document, words)).within(context.max_calls)
            total += (each.perhaps_none() if asking in asked else each).times(len(alike) + more)
        asked.add(asking)
    return total


def rating_foreseen(items: Iterable[Item], metrics: Collection[str]) -> Estimate:
    """The estimate for rating an answer to each of these questions, assuming that answers are as long as references."""
    total = Estimate()
    for item in items:
        names = applying(metrics, item)
        for judging in JUDGES:
            if judging.metrics & names:
                total += _judging_foreseen(judging, item)
    return total


def _judging_foreseen(judging: JudgeKind, item: Item) -> Estimate:
    total = Estimate()
    for number, beside in enumerate(item.rubric if judging.rubric else item.references):
        for prompt_of, share in judging.prompts(item):
            least, likely = (prompt_of(item.question, answer, beside).words for answer in ("", beside))
            # If an answer matches one reference, the others are not rated; of a rubric all points are.
            times = Range(0, share, 1) if judging.rubric else Range(0, share / (1 + number), 1)
            total += asks(times, Range(least, likely, None), VERDICT_WORDS)
    return total


def _alike(
    context: ReaderContext, items: Sequence[Item], messages: int
) -> Iterator[tuple[ReaderContext, list[Item], int]]:
    """The questions that are answered in words, and those with options; `messages` are like the first of them."""
    for settings, alike in (
        (context, [item for item in items if not item.options]),
        (of_options(context), [item for item in items if item.options]),
    ):
        if alike:
            yield settings, alike, messages
            messages = 0


async def _asking(
    pages: PageStore, method: Method, context: ReaderContext, document: Document, question_words: int
) -> Estimate:
    """The estimate for one question after the memory was built."""
    free = replace(context, max_calls=None)
    words = (question_words, None)
    both, reading = [await estimate_reading(method, pages, document, free, each) for each in words]
    return Estimate(
        _less(both.calls, reading.calls),
        _less(both.input_words, reading.input_words),
        _less(both.output_words, reading.output_words),
    )


def _less(first: Range, second: Range) -> Range:
    high = None if first.high is None or second.high is None else first.high - second.high
    return Range(first.low - second.low, first.expected - second.expected, high)
