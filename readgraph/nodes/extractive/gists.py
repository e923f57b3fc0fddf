"""Pages by rule, and gists without a model: sentences that tell what a page is about, or serve a purpose."""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain

from readgraph.language.passages import FEWEST_WORDS, is_heading, is_prose, label_of, without_label
from readgraph.language.sentences import sentence_spans
from readgraph.language.terms import STOP_WORDS, WordTable, content_words, different_content_words, english_stem
from readgraph.nodes.building.parts import HEADING, Pages, pages_after
from readgraph.nodes.building.recipes import purpose_words
from readgraph.nodes.contracts import AskedState, ReaderRuntime
from readgraph.nodes.extractive.quoting import query_of
from readgraph.nodes.memory import load_memory
from readgraph.state.context import ReaderContext
from readgraph.state.records import Note, Page
from readgraph.state.words import count_words, first_words, take_fitting

GIST_SHARE, GIST_WORDS = 0.15, 40  # an extractive gist keeps this share of a page's words, but at least this many
FEWEST_LETTERS = 3  # fewest letters of a word that may show what a text is about
MOST_FACTS = 3  # figures and names that add to the weight of a sentence
EVEN_WORDS = 6  # added to a sentence's length, so that a short one doesn't outweigh a long one by a frequent word
SERVES = 1.0  # share that is added to a sentence's weight for each content word that it has in common with a purpose
FEWEST_TELLING = 3  # fewest different content words of a sentence that says something without a figure or a name

_WORD = re.compile(r"\w+")
_BETWEEN = {code: " " for code in range(128) if not _WORD.match(chr(code))}
_FIGURE, _NAME = re.compile(r"\d[\d.,:]*"), re.compile(r"(?<=[\w,;] )[^\W\d_a-z]\w{2,}")


def extract_gist(text: str, most_words: int | None = None, purpose: str = "") -> str:
    """The first heading, then the most informative sentences, in their order (after SumBasic).

    At most `most_words` words, or a share of the page's own. `purpose`: words that sentences should have.
    """
    spans = sentence_spans(text)
    allowed = most_words or gist_size(text)
    written = [text[slice(*span)] for span in spans]
    sizes = [*map(count_words, written)]
    ordered = _by_information(written, sizes, {*content_words(purpose)})
    fitting = take_fitting(ordered, sizes.__getitem__, allowed, skips=True)
    return " ".join(written[number] for number in sorted(fitting)) or first_words(text.strip(), allowed)


def gist_size(text: str) -> int:
    """Most words of a text's extractive gist."""
    return max(GIST_WORDS, round(GIST_SHARE * count_words(text)))


def _by_information(written: Sequence[str], sizes: Sequence[int], wanted: set[str]) -> list[int]:
    """The numbers of the first heading and of the sentences, the most telling first, without code and greetings.

    `sizes` are the sentences' words.
    """
    speakers = {word for sentence in written if (name := label_of(sentence)) for word in content_words(name)}
    bare = [without_label(sentence) for sentence in written]
    sentences = [different_content_words(sentence) - speakers for sentence in bare]
    frequency = Counter(chain.from_iterable(sentences))
    facts = [len(_FIGURE.findall(sentence)) + len(_names(sentence) - speakers) for sentence in bare]

    def weight(number: int) -> tuple[float, int]:
        information = sum(map(frequency.__getitem__, sentences[number])) + min(facts[number], MOST_FACTS)
        serves = 1 + SERVES * len(wanted & sentences[number])
        return serves * information / (len(sentences[number]) + EVEN_WORDS), -number

    first = {" ".join(sentence.split()): number for number, sentence in reversed([*enumerate(bare)])}
    prose = [number for number in sorted(first.values()) if is_prose(written[number])]  # none of them twice
    # Most sentences have no label, whose words would not count.
    long = [number for number in prose if sizes[number] >= FEWEST_WORDS]
    long = [number for number in long if bare[number] is written[number] or count_words(bare[number]) >= FEWEST_WORDS]
    telling = [number for number in long if len(sentences[number]) >= FEWEST_TELLING or facts[number]]
    headings = [number for number, sentence in enumerate(written) if is_heading(sentence)]
    return [*headings[:1], *sorted(telling or prose, key=weight, reverse=True)]


def _names(sentence: str) -> set[str]:
    if sentence.isascii() and sentence[1:] == sentence[1:].lower():  # as every other one is, and much faster to see
        return set()
    return different_content_words(" ".join(_NAME.findall(sentence)))


def telling_words(text: str, most: int) -> list[str]:
    """The words that carry most of a text's content, as written there, the most frequent first."""
    written = text.translate(_BETWEEN).split() if text.isascii() else _WORD.findall(text)
    stems = [*map(_first_stems.__getitem__, written)]
    frequency = Counter(stems)
    del frequency[""]
    as_it_stands = dict(zip(reversed(stems), reversed(written), strict=True))  # the first word of each stem
    return [as_it_stands[stem] for stem in sorted(frequency, key=frequency.__getitem__, reverse=True)[:most]]


def _first_stem(word: str) -> str:
    """A word as it is ranked; "" for a short one, or one without content."""
    if len(word) < FEWEST_LETTERS:
        return ""
    if word.isascii():  # such a word is one token
        token = word.lower()
        return "" if token in STOP_WORDS else english_stem(token)
    return next(iter(content_words(word)), "")


_first_stems = WordTable(_first_stem)


_SIGNATURE = re.compile(
    r"^[ \t]*(?:(?:export|default|public|private|protected|static|abstract|final|async|pub|const)[ \t]{1,9}){0,4}"
    r"(?:def|class|function|func|fn|interface|struct|enum|trait|impl|type|module|package)[ \t]{1,9}[\w.$<>:]{1,99}"
    r"(?:[ \t]{0,9}\((?:[^()]|\([^()]{0,200}\)){0,600}\))?[^\n{;]{0,200}",
    re.MULTILINE,
)
"""A declaration as programming languages write it, up to its body; its parameters may take several lines."""


def extract_for(context: ReaderContext, text: str, most_words: int | None = None) -> str:
    """The text's gist for the context's purpose (see `extract_gist`), or the signatures of code where these are it."""
    signatures = list[str]()
    for signature in _SIGNATURE.finditer(text) if context.preset == "code" else ():
        name = signature.group().strip()
        if name.endswith((":", ")", ">")) or text[signature.end() : signature.end() + 1] in ("{", ";"):
            signatures.append(" ".join(name.split()))
    kept = take_fitting(signatures, count_words, most_words or gist_size(text), skips=True) if signatures else []
    return "\n".join(kept) or extract_gist(text, most_words, purpose_words(context))


async def extract_note(text: str, page: Page, runtime: ReaderRuntime) -> Note:
    """A gist that consists of the page's own sentences."""
    gist = extract_for(runtime.context, text)
    await asyncio.sleep(0)  # so that the page can be stored meanwhile
    return Note(page.number, gist, count_words(gist))


async def pages_by_rule(text: str, last: Page | None, runtime: ReaderRuntime) -> Pages:
    """Pages that end before a heading if there is one in range, else as late as allowed."""

    def before_heading(offered: Sequence[int], start: int) -> int:
        headed = [end for end in offered if end == len(text) or HEADING.match(text, end)]
        return (headed or offered)[-1]

    context = runtime.context
    sizes = context.min_page_words, context.max_page_words
    for page in pages_after(last, text, context.paragraph_break, sizes, before_heading):
        yield page


async def ranked_pages(state: AskedState, runtime: ReaderRuntime) -> list[tuple[int, float]]:
    """(number, score) of the memory's pages that share a word with the question, best first."""
    memory = await load_memory(runtime, state)
    return await (await memory.open_ranker()).find(query_of(state), memory.record.pages)
