"""Whether all that a claim says beside a quote is accounted for: that it stands there, or who says it."""

import re
from collections.abc import Sequence, Set
from typing import NamedTuple

from readgraph.language.compare import Difference, with_name
from readgraph.language.standing import paragraph_start
from readgraph.language.tokens import QUOTE_MARK, TITLES, cue_words, tokens_of

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_OTHER_MARKS = re.compile(r"[^\w\s,.:;!'’\"“”„«»()–—-]")  # than may stand around words that say who speaks


class Attribution(NamedTuple):
    """Whose turn a quote stands in, "" without turns; the words before and after, None where a text quotes nobody."""

    speaker: str
    beside: tuple[str, str] | None


def find_attribution(
    text: str, quote: tuple[int, int], sentences: Sequence[tuple[int, int]], speaker: str
) -> Attribution:
    """What stands beside the marks between which these characters of a text are quoted, within the same sentence."""
    start, end = quote
    paragraph = paragraph_start(text, start)
    marks = [match.span() for match in QUOTE_MARK.finditer(text, paragraph, start)]
    closing = QUOTE_MARK.search(text, end)
    if len(marks) % 2 == 0 or not closing or "\n\n" in text[end : closing.start()]:
        return Attribution(speaker, None)
    opening = marks[-1][0]
    first = max([paragraph, *(end for _, end in marks[:-1]), *(start for start, _ in sentences if start <= opening)])
    before = text[first:opening]
    ends = [end for start, end in sentences if end > closing.end() and (not before.strip() or start < closing.end())]
    after = text[closing.end() : min(ends, default=closing.end())].partition("\n\n")[0]
    return Attribution("", (before, QUOTE_MARK.split(after)[0]))


def check_speaker(frame: str, said: Attribution, language: str, names: Set[str], title: str) -> Difference | bool:
    """Whether what a claim has beside a quote is no more than what the text has; else the other speaker, if plain.

    It may name the document by its `title`. A name and a verb of saying are the text's if it has the same beside the
    quote, and nothing but that: a turn of the speaker, or “…”, said Anna Bell.
    """
    words = _words(frame)
    before, after = said.beside or ("", "")
    if _OTHER_MARKS.search(frame):
        return False
    if not words or (said.beside and words == [*_words(before), *_words(after)]):
        return True
    groups = ("says", "light", "sources")
    known = frozenset[str]().union(TITLES, *(cue_words(group, language) for group in groups))
    named = _words(title) if cue_words("sources", language) & {*_words(title)} else []  # else it may be a person's name
    left = [word for word in words if word not in known and word not in named]
    if not left:
        return True
    by = said.speaker or _find_speaker(before, after, language, names)
    if by and {*left} <= {*_words(by)}:
        return True
    claimed = whole_names(frame, language, names)
    if by and len(claimed) == 1 and {*left} <= {*_words(claimed[0])}:
        return Difference(kind="who", draft=claimed[0], text=by)
    return False


def _find_speaker(before: str, after: str, language: str, names: Set[str]) -> str:
    """The name beside a quote with which stands nothing but a verb of saying; "" where there is more, or none."""
    for text in (after, before):
        found = whole_names(text, language, names)
        known = TITLES | cue_words("says", language) | cue_words("light", language)
        if len(found) == 1 and not [word for word in _words(text) if word not in known | {*_words(found[0])}]:
            return found[0]
    return ""


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def whole_names(sentence: str, language: str, names: Set[str]) -> list[str]:
    """The names in a sentence, as they stand."""
    tokens = [with_name(token, names) for token in tokens_of(sentence, language)]
    written = list[str]()
    for before, token in zip((None, *tokens), tokens, strict=False):
        if token.kind == "name":
            goes_on = before is not None and before.kind == "name"
            written[-1:] = [f"{written[-1]} {token.text}"] if goes_on else [*written[-1:], token.text]
    return written
