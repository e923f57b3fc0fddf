"""Tools for nodes without a model: rule-based pages, extractive gists, ranked pages, quoted answers.

They run where no model is configured, and are the floor in every comparison. Deterministic. A node's own substitute is
in the node's file, as `<node>_without_model`.
"""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from functools import lru_cache

from langgraph.runtime import Runtime

from readgraph.nodes.contracts import AskedState, SaidAnswer
from readgraph.nodes.memory_view import remembered
from readgraph.nodes.page_ends import HEADING, candidate_ends, paragraph_ends
from readgraph.nodes.search_tools import OkapiTool
from readgraph.state.context import ReaderContext
from readgraph.state.page_store import page_store
from readgraph.state.reading import Quote
from readgraph.state.records import Note, Page
from readgraph.state.search.okapi import rank
from readgraph.state.search.terms import content_words
from readgraph.state.sentences import sentence_spans
from readgraph.state.words import count_words, first_words

GIST_SHARE = 0.15
GIST_WORDS = 40
"""An extractive gist keeps this share of a page's words, but at least this many."""

FEWEST_LETTERS = 3
"""Fewest letters of a word that may show what a text is about."""

PASSAGE_WORDS = 20
FEWEST_PASSAGE_WORDS = 8

_WORD = re.compile(r"\w+")


def extract_gist(text: str, most_words: int | None = None) -> str:
    """The sentences whose words are most frequent on the page, in their order (after SumBasic).

    At most `most_words` words of them, or a share of the page's own.
    """
    spans = sentence_spans(text)
    sentences = [content_words(text[start:end]) for start, end in spans]
    frequency = Counter(word for words in sentences for word in {*words})
    allowed = most_words or max(GIST_WORDS, round(GIST_SHARE * count_words(text)))

    def weight(number: int) -> tuple[float, int]:
        words = {*sentences[number]}
        return sum(frequency[word] for word in words) / (len(words) + 3), -number

    kept: list[int] = []
    for number in sorted(range(len(spans)), key=weight, reverse=True):
        words = count_words(text[slice(*spans[number])])
        if words <= allowed:
            kept.append(number)
            allowed -= words
    return " ".join(text[slice(*spans[number])] for number in sorted(kept)) or first_words(text.strip(), allowed)


def telling_words(text: str, most: int) -> list[str]:
    """The words that carry most of a text's content, as written there, the most frequent first."""
    as_it_stands, frequency = dict[str, str](), Counter[str]()
    for word, count in Counter(_WORD.findall(text)).items():
        if len(word) >= FEWEST_LETTERS and (stem := _first_stem(word)):
            as_it_stands.setdefault(stem, word)
            frequency[stem] += count
    return [as_it_stands[stem] for stem, _ in frequency.most_common(most)]


@lru_cache(1 << 15)
def _first_stem(word: str) -> str:
    """A word as it is ranked; "" for one without content."""
    return next(iter(content_words(word)), "")


def passages(text: str) -> list[tuple[int, int]]:
    """Spans that begin at each sentence and extend until they have enough words to be understood.

    They extend beyond a paragraph only if they would be very short otherwise.
    """
    spans = sentence_spans(text)
    found = []
    for number, (start, end) in enumerate(spans):
        last = number
        while last + 1 < len(spans):
            enough = FEWEST_PASSAGE_WORDS if "\n" in text[end : spans[last + 1][0]] else PASSAGE_WORDS
            if count_words(text[start:end]) >= enough:
                break
            last += 1
            end = spans[last][1]
        found.append((start, end))
    return found


def passages_of(texts: Mapping[int, str]) -> list[tuple[int, int, int]]:
    """(key, start, end) of the passages of these texts."""
    return [(key, start, end) for key, text in texts.items() for start, end in passages(text)]


def nearest(
    query: str, texts: Mapping[int, str], spans: Sequence[tuple[int, int, int]], most: int
) -> list[tuple[int, int, int]]:
    """The best few of these spans (key, start, end) of the texts, best first; no two overlap."""
    kept: list[tuple[int, int, int]] = []
    for number, _ in rank(query, [texts[key][start:end] for key, start, end in spans]):
        key, start, end = spans[number]
        if all(key != other or end <= begin or stop <= start for other, begin, stop in kept):
            kept.append(spans[number])
        if len(kept) == most:
            break
    return kept


MOST_QUOTES, MOST_RANKED = 3, 20
"""Passages that are quoted, of those ranked first."""


async def pages_by_rule(text: str, last: Page | None, runtime: Runtime[ReaderContext]) -> AsyncGenerator[Page, None]:
    """Pages that end before a heading if there is one in range, else as late as allowed."""
    context = runtime.context
    number, start = (last.number + 1, last.end) if last else (0, 0)
    ends = paragraph_ends(text, context.paragraph_break) if start < len(text) else []
    while start < len(text):
        offered = candidate_ends(text, ends, start, context.min_page_words, context.max_page_words)
        headed = [end for end in offered if end == len(text) or HEADING.match(text, end)]
        end = (headed or offered)[-1]
        yield Page(number, start, end, count_words(text[start:end]), "rest" if end == len(text) else "rule")
        number, start = number + 1, end


async def extract_note(text: str, page: Page, runtime: Runtime[ReaderContext]) -> Note:
    """A gist that consists of the page's own sentences."""
    gist = extract_gist(text)
    await asyncio.sleep(0)  # so that the page can be stored meanwhile
    return Note(page.number, gist, count_words(gist))


def quoted_answer(texts: Mapping[int, str], state: AskedState) -> SaidAnswer:
    """The passages of these pages that share most with the question; with choices, the option they speak for."""
    return quoted_spans(texts, passages_of(texts), state)


def quoted_spans(texts: Mapping[int, str], found: list[tuple[int, int, int]], state: AskedState) -> SaidAnswer:
    """An answer that quotes the best of these spans (page, start, end) of the pages' texts."""
    query, choice = question_alone(state), None
    if state["choices"]:
        choice = _spoken_for(query, state["choices"], [texts[page][start:end] for page, start, end in found])
        query = f"{query} {state['choices'][choice]}"
    quoted = _each_adding(query, texts, nearest(query, texts, found, MOST_RANKED))
    quotes = [Quote(page=page, quote=texts[page][start:end]) for page, start, end in quoted]
    best = quotes[0]["quote"] if quotes else None
    summary = "quoted what is nearest to the question" if quotes else "found nothing near the question"
    return SaidAnswer(state["choices"][choice] if choice else best, choice, quotes, summary=summary, nearest=True)


def _each_adding(
    query: str, texts: Mapping[int, str], ranked: Sequence[tuple[int, int, int]]
) -> list[tuple[int, int, int]]:
    """The best of these spans, and those after it with words of the query that the ones before them lack."""
    missing, kept = {*content_words(query)}, list[tuple[int, int, int]]()
    for key, start, end in ranked:
        words = {*content_words(texts[key][start:end])}
        if not kept or words & missing:
            kept.append((key, start, end))
            missing -= words
    return kept[:MOST_QUOTES]


def _spoken_for(question: str, choices: dict[str, str], sentences: list[str]) -> str:
    """The letter of the option whose words, together with the question's, match the best sentence."""
    only_in = {letter: {*content_words(option)} - {*content_words(question)} for letter, option in choices.items()}

    def support(letter: str) -> float:
        ranked = rank(f"{question} {choices[letter]}", sentences)[:MOST_QUOTES]
        return sum(score for number, score in ranked if only_in[letter] & {*content_words(sentences[number])})

    return max(choices, key=support)


async def ranked_pages(state: AskedState, runtime: Runtime[ReaderContext]) -> list[tuple[int, float]]:
    """(number, score) of the memory's pages that share a word with the question, best first."""
    document, memory = await remembered(runtime, state["document"], state["memory"])
    return await OkapiTool(page_store(runtime), document, memory).scored(query_of(state))


def query_of(state: AskedState) -> str:
    """The query for a search of pages: the question and its options."""
    return " ".join([question_alone(state), *state["choices"].values()])


def question_alone(state: AskedState) -> str:
    """The question without those before it, whose words would find their answers again.

    One without content words ("And why?") comes with the question before it.
    """
    asked = [turn["question"] for turn in state.get("question_turns") or []] or [state["question_text"]]
    return asked[-1] if content_words(asked[-1]) else " ".join(asked[-2:])
