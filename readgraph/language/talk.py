"""Talk: whom of those who speak a question names, and what of it says nothing."""

import re
from collections import Counter
from collections.abc import Iterable, Set

from readgraph.language.asked import asks, compile_words
from readgraph.language.detection import DEFAULT
from readgraph.language.sentences import LABEL, MESSAGE, paragraph_spans
from readgraph.language.terms import content_words

FEWEST_TURNS = 3
"""Turns after which a label counts as a speaker's name; where most turns are of two such, that of others too."""
MOST_LINES = 8  # of a message, on average

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_MESSAGE, _DIRECTION = re.compile(MESSAGE), "\u200e\u200f"
_NOISE = re.compile(r"\{[^{}\n]{0,40}\}|\[[^\[\]\n]{0,40}\]|<[^<>\n]{0,40}>")
"""What a transcript or a chat notes beside the words: "{laugh}", "[inaudible]", "<Media omitted>"."""


def is_talk(texts: Iterable[str]) -> bool:
    """Whether most lines of these texts, or most paragraphs, are what speakers say, each behind a name.

    Of paragraphs, the speakers must recur; where messages have dates, only those count that begin one.
    """
    read = [*texts]
    lines = [line for text in read for line in text.splitlines() if line.strip()]
    if 2 * sum(bool(LABEL.match(line)) for line in lines) > len(lines):
        return True
    paragraphs = [text[start:end] for text in read for start, end in paragraph_spans(text) if start < end]
    dated = [paragraph for paragraph in paragraphs if _MESSAGE.match(paragraph)]
    begun = dated if MOST_LINES * len(dated) > len(lines) else paragraphs
    labels = [label[1] if (label := LABEL.match(paragraph)) else "" for paragraph in begun]
    said = sum(map(find_speakers(labels).__contains__, labels))
    return 2 * said > len(labels) and MOST_LINES * said > len(lines)


def find_speakers(labels: Iterable[str]) -> set[str]:
    """The names of those who speak; `labels`: that of each turn, "" without one."""
    every = [*labels]
    turns = Counter(filter(None, every))
    often = {name for name, spoken in turns.items() if spoken >= FEWEST_TURNS}
    if len(often) < 2 or 2 * sum(turns[name] for name in often) <= len(every):
        return often
    return often | {name for name in turns if all(map(_is_written_as_name, _WORD.findall(name)))}


def find_named(question: str, speakers: Iterable[str], language: str) -> set[str]:
    """Those of these speakers whom a question names: wholly, or by a part that is written as a name.

    "project plan" doesn't name the Project Manager, and "Miller" names Ann Miller.
    """
    words = {*content_words(question, language)}
    names = {*content_words(" ".join(filter(_is_written_as_name, _WORD.findall(question))), language)}
    labels = {speaker: {*content_words(speaker, language)} for speaker in speakers}
    return {speaker for speaker, label in labels.items() if label and (label <= words or label & names)}


def _is_written_as_name(word: str) -> bool:
    """Whether a word has a capital, or is in a script without any."""
    return word[0] != word[0].lower() or (word[0].isalpha() and word[0] == word[0].upper())


def is_notice(text: str, start: int) -> bool:
    """Whether what begins at an offset is a messenger's own notice: a line with a date that nobody says, or is marked.

    "12/03/24, 18:03 - Marta added you"; in exports of iOS the mark is U+200E before the words.
    """
    line = text[text.rfind("\n", 0, start) + 1 :].partition("\n")[0].lstrip(_DIRECTION)
    label = LABEL.match(line)
    return bool(_MESSAGE.match(line)) and (not label or line.startswith(_DIRECTION[0], label.end()))


def remove_noise(said: str) -> str:
    """What is said, without what a transcript notes beside the words."""
    return _NOISE.sub(" ", said)


def remove_politeness(said: str, language: str) -> str:
    """What is said, without greetings, thanks and the like, and without what is noted beside the words."""
    rest = remove_noise(said)
    for polite in filter(None, (compile_words("polite", spoken) for spoken in {language, DEFAULT})):
        rest = polite.sub(" ", rest)
    return rest


def is_filler(said: str, language: str, speakers: Iterable[str] = ()) -> bool:
    """Whether a turn or a sentence of it has nothing but greetings, thanks and the like, beside the speakers' names."""
    names = {word.casefold() for speaker in speakers for word in _WORD.findall(speaker)}
    return all(word.casefold() in names for word in _WORD.findall(remove_politeness(said, language)))


def adds_nothing(said: str, query: Set[str], wanted: Set[str], language: str) -> bool:
    """Whether a statement has no content word but some of a query's, or a single one and none of it.

    `wanted`: those of the query that neither ask nor name a speaker.
    """
    words = {*content_words(remove_politeness(said, language), language)}
    if asks(said) or wanted <= words:
        return False
    return words <= query or (words.isdisjoint(wanted) and len(words) < 2)
