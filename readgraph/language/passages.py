"""Passages of pages (turns, rows, paragraphs), and their sentences ranked by nearness to a question."""

import re
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from readgraph.language.detection import DEFAULT, language_by_words
from readgraph.language.sentences import LABEL, ROW, paragraph_spans, sentence_spans
from readgraph.language.terms import cache_by_text
from readgraph.state.words import count_words

FEWEST_WORDS = 8
"""Fewest words of a sentence that can be understood by itself."""

MOST_HEADING = 80  # characters of a line that may be the heading of the lines below

MUCH_LONGER = 4  # times, than its heading, a paragraph is at least where a blank line is between them
_QUOTES = "\"'”’»"
_CLOSING, _SENTENCE_ENDS = " \t\r\n\"'”’»)]", frozenset(".!?…。！？")

_LABELS = re.compile(f"^{LABEL.pattern}", re.MULTILINE)
_HEADING = re.compile(r"\s*#{1,6}[ \t][^\n]*\s*")
_CODE = ("```", "~~~")
_LEADERS = re.compile(
    r"(?<![.…])(?<![.…][ \t])(?:[.…][ \t]?){4,}+[ \t]*[\divxlc]{1,6}\b", re.I
)  # "……… 12", before the number of a page
_ENDS_WITH_PAGE = re.compile(r"\S.*(?:\t|[ ]{2,})[\divxlc]{1,6}[ \t]*", re.I)
_RULE = re.compile(r"[\s|:=_*+-]*")  # a line without words, such as the one below a table's column names


class Passage(NamedTuple):
    """Characters `[start, end)` of a page; `heading` is what stands above, `speaker` who says it ("" where none is).

    `said`: the words of the passage with its heading, without its speaker's name. `place`: the name of the dated place
    that it is in, such as a session with its time.
    """

    page: int
    start: int
    end: int
    text: str
    said: str
    heading: str
    speaker: str
    place: str = ""

    def known_words(self, unnamed: Set[str] = frozenset()) -> str:
        """All words by which it is found: its heading, its speaker's and its own, and those of its place.

        The label of a speaker who is `unnamed` in the question is no match.
        """
        own = self.said if self.speaker in unnamed else f"{self.heading}\n{self.text}"
        return f"{own}\n{self.place}"


def passages_of(texts: Mapping[int, str]) -> list[Passage]:
    """The passages of these pages, in order. Headings and code are in none, unless a page has nothing else."""
    return [Passage(page, *part) for page, text in texts.items() for part in _parts(text)]


def sentences_as_passages(page: int, text: str, spans: list[tuple[int, int]]) -> list[Passage]:
    """These sentences of a page, each as a passage of its own."""
    return [Passage(page, *_part(text, start, end, speaker=label_of(text[start:end]))) for start, end in spans]


def label_of(text: str) -> str:
    """Who says a turn, or what the first cell of a row is called; "" where a text has no such label."""
    label = _match_label(text)
    return label[1] if label else ""


def without_label(text: str) -> str:
    """A turn's words without its speaker."""
    label = _match_label(text)
    return text[label.end() :] if label else text


def _match_label(text: str) -> re.Match[str] | None:
    return LABEL.match(text) if ":" in text or "：" in text else None  # most have no colon: that is soon seen


def without_labels(text: str) -> str:
    """A talk without its speakers."""
    return _LABELS.sub("", text)


def is_heading(text: str) -> bool:
    """Whether a text is a heading in Markdown, as converted files have it."""
    return bool(_HEADING.fullmatch(text))


def is_contents(text: str) -> bool:
    """Whether a text is of a table of contents: its lines end with dots and the number of a page, or with a number."""
    if not ("...." in text or ". . ." in text or "…" in text or "\t" in text or "  " in text):
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    led = len(_LEADERS.findall(text))
    return led >= max(1, len(lines) // 2) or (len(lines) > 1 and all(map(_ENDS_WITH_PAGE.fullmatch, lines)))


def is_prose(sentence: str) -> bool:
    """Whether a sentence says something by itself: a heading or an entry of a table of contents doesn't.

    A block of code is not for a reader.
    """
    is_said = not (is_heading(sentence) or is_contents(sentence))
    return is_said and not (sentence.lstrip().startswith(_CODE) or _RULE.fullmatch(sentence))


_Part = tuple[int, int, str, str, str, str]  # a passage without its page


def _part(text: str, start: int, end: int, heading: str = "", speaker: str = "") -> _Part:
    return start, end, text[start:end], f"{heading}\n{without_label(text[start:end])}", heading, speaker


@cache_by_text
def _parts(text: str) -> Sequence[_Part]:
    parts, heading = list[_Part](), ""
    for (start, end), (following, following_end) in pairwise([*paragraph_spans(text), (-1, -1)]):
        paragraph = text[start:end]
        stands_above = end == following or _is_under(paragraph, text[following:following_end])
        over_turns = stands_above and _may_be_heading(paragraph.strip())
        below = ROW.match(text, end)
        names_columns = ROW.fullmatch(text, start, end) and below and _RULE.fullmatch(below.group())
        if is_contents(paragraph):
            continue
        if is_heading(paragraph) or over_turns or _RULE.fullmatch(paragraph) or names_columns:
            heading = paragraph.strip("#|:- \t\r\n") or heading
            continue
        line, _, others = paragraph.partition("\n")
        longer = len(others.partition("\n")[0]) >= 2 * len(line)  # than a line that is then their heading
        first = len(line) + 1 if longer and _may_be_heading(line.strip()) else 0
        heading = paragraph[:first].strip() or heading
        parts.append(_part(text, start + first, end, heading, label_of(paragraph[first:])))
        heading = heading if end == following else ""
    return parts or ([_part(text, 0, len(text))] if text.strip() else [])


def _may_be_heading(line: str) -> bool:
    """Whether a line is short, and neither a sentence nor a turn."""
    return (
        len(line) <= MOST_HEADING and line.rstrip(_QUOTES)[-1:].isalnum() and "\n" not in line and not LABEL.match(line)
    )


def _is_under(line: str, paragraph: str) -> bool:
    """Whether a paragraph is one of sentences, and much longer than the line above it."""
    return len(paragraph) >= MUCH_LONGER * len(line) and paragraph.rstrip(_CLOSING)[-1:] in _SENTENCE_ENDS


class PageSentence(NamedTuple):
    """Characters `[start, end)` of a page; `said`: without the speaker's name; `within`: where its passage begins."""

    page: int
    start: int
    end: int
    text: str
    said: str
    within: int

    @property
    def passage(self) -> tuple[int, int]:
        """Its passage, by the page and where it begins there."""
        return self.page, self.within


def sentences_of(passage: Passage, fewest_words: int = FEWEST_WORDS, language: str = DEFAULT) -> list[PageSentence]:
    """The sentences of a passage; one of fewer words is joined with those after it.

    `language` is that of the passages around, where its words show no other. Among English ones it is told anew.
    """
    at = passage.start
    return [
        PageSentence(passage.page, at + start, at + end, text, bare, at)
        for start, end, text, bare in _prose(passage.text, fewest_words, language)
    ]


@cache_by_text
def _prose(text: str, fewest_words: int, language: str) -> tuple[tuple[int, int, str, str], ...]:
    joined = list[tuple[int, int]]()
    own = language_by_words(text, language) if language != DEFAULT else ""
    for start, end in sentence_spans(text, language=own):
        if not is_prose(text[start:end]):
            continue
        if joined and count_words(without_label(text[slice(*joined[-1])])) < fewest_words:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return tuple((start, end, text[start:end], without_label(text[start:end])) for start, end in joined)
