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

MOST_FACTS = 3
"""Figures and names that add to the weight of a sentence."""

EVEN_WORDS = 6
"""Added to a sentence's length, so that a short one doesn't outweigh a long one by a frequent word."""

FEWEST_TELLING = 3
"""Fewest different content words of a sentence that says something without a figure or a name."""

_WORD = re.compile(r"\w+")
_HEADING_LINE = re.compile(r"\s*#{1,6}[ \t][^\n]*\s*")
_SPEAKER = re.compile(r"^[ \t]*(\w[^\n:.!?]{0,29}):[ \t]+", re.MULTILINE)
_FIGURE, _NAME = re.compile(r"\d[\d.,:]*"), re.compile(r"(?<=[\w,;] )[^\W\d_a-z]\w{2,}")


def extract_gist(text: str, most_words: int | None = None) -> str:
    """The first heading, then the most informative sentences, in their order (after SumBasic).

    At most `most_words` words of them, or a share of the page's own.
    """
    spans = sentence_spans(text)
    allowed = most_words or max(GIST_WORDS, round(GIST_SHARE * count_words(text)))
    kept: list[int] = []
    for number in _by_information(text, spans):
        words = count_words(text[slice(*spans[number])])
        if words <= allowed:
            kept.append(number)
            allowed -= words
    return " ".join(text[slice(*spans[number])] for number in sorted(kept)) or first_words(text.strip(), allowed)


def _by_information(text: str, spans: Sequence[tuple[int, int]]) -> list[int]:
    """The numbers of the sentences: the first heading, then those whose words are most frequent in the text.

    Figures and names weigh more, and the names of a chat's speakers nothing. Code is left out, and what says little, as
    greetings do.
    """
    speakers = {word for name in _SPEAKER.findall(text) for word in content_words(name)}
    told = [_SPEAKER.sub("", text[slice(*span)]) for span in spans]
    sentences = [{*content_words(sentence)} - speakers for sentence in told]
    frequency = Counter(word for words in sentences for word in words)

    facts = [len(_FIGURE.findall(sentence)) + len(_names(sentence) - speakers) for sentence in told]

    def weight(number: int) -> tuple[float, int]:
        information = sum(frequency[word] for word in sentences[number]) + min(facts[number], MOST_FACTS)
        return information / (len(sentences[number]) + EVEN_WORDS), -number

    prose = [number for number, span in enumerate(spans) if is_prose(text[slice(*span)])]
    telling = [number for number in prose if len(sentences[number]) >= FEWEST_TELLING or facts[number]]
    headings = [number for number, span in enumerate(spans) if _HEADING_LINE.fullmatch(text[slice(*span)])]
    return [*headings[:1], *sorted(telling or prose, key=weight, reverse=True)]


def _names(sentence: str) -> set[str]:
    """The words written large within a sentence."""
    return {*content_words(" ".join(_NAME.findall(sentence)))}


def is_prose(sentence: str) -> bool:
    """Whether a sentence says something by itself: a heading doesn't, and a block of code is not for a reader."""
    return not (_HEADING_LINE.fullmatch(sentence) or sentence.lstrip().startswith(("```", "~~~")))


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

    They extend beyond a paragraph only if they would be very short otherwise. Headings and code are in none, unless the
    text has nothing else.
    """
    every = sentence_spans(text)
    spans = [span for span in every if is_prose(text[slice(*span)])] or every
    found = []
    for number, (start, end) in enumerate(spans):
        last = number
        while last + 1 < len(spans):
            between = text[end : spans[last + 1][0]]
            enough = FEWEST_PASSAGE_WORDS if "\n" in between else PASSAGE_WORDS
            if between.strip() or count_words(text[start:end]) >= enough:
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
