"""Whether a claim says of a quote that it is by whom the text says it is."""

import re
from collections.abc import Sequence, Set
from typing import NamedTuple

from readgraph.nodes.verifying.compare import whole_names
from readgraph.nodes.verifying.tokens import QUOTE_MARK, TITLES, cue_words, tokens_of
from readgraph.state.verifying import Difference

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class Attribution(NamedTuple):
    """Whose turn a quote stands in, "" without turns; the words before and after, None where a text quotes nobody."""

    speaker: str
    beside: tuple[str, str] | None


def find_attribution(
    text: str, quote: tuple[int, int], sentences: Sequence[tuple[int, int]], speaker: str
) -> Attribution:
    """What stands beside the marks between which these characters of a text are quoted, within the same sentence."""
    start, end = quote
    paragraph = text.rfind("\n\n", 0, start) + 1
    marks = [found.span() for found in QUOTE_MARK.finditer(text, paragraph, start)]
    closing = QUOTE_MARK.search(text, end)
    if len(marks) % 2 == 0 or not closing or "\n\n" in text[end : closing.start()]:
        return Attribution(speaker, None)
    opening = marks[-1][0]
    first = max([paragraph, *(end for _, end in marks[:-1]), *(start for start, _ in sentences if start <= opening)])
    before = text[first:opening]
    ends = [end for start, end in sentences if end > closing.end() and (not before.strip() or start < closing.end())]
    after = text[closing.end() : min(ends, default=closing.end())].partition("\n\n")[0]
    return Attribution("", (before, QUOTE_MARK.split(after)[0]))


def check_speaker(frame: str, said: Attribution, language: str, names: Set[str]) -> Difference | bool:
    """Whether what a claim has beside a quote agrees with what the text has there; else who it is by, if that is plain.

    It is plain in a talk, where the first name behind a quote has at most a verb before it, and where the only name
    before a quote has a verb behind it.
    """
    words = _words(frame)
    if not words:
        return True
    if any(token.kind == "denial" for token in tokens_of(frame, language)):
        return False
    claimed = whole_names(frame, language, names)
    before, after = said.beside or ("", "")
    by = said.speaker or _name_behind(after, language, names) or _name_before(before, language, names)
    if by and len(claimed) == 1:
        one, other = {*_words(claimed[0])}, {*_words(by)}
        return one <= other or other <= one or Difference(kind="who", draft=claimed[0], text=by)
    if said.beside or said.speaker:
        return {*words} == {*_words(before), *_words(after)}
    return not claimed and not any(word in cue_words("pronouns", language) for word in words)


def _name_behind(text: str, language: str, names: Set[str]) -> str:
    """The name behind a quote, where at most a verb stands before it: "…", said Anna Bell."""
    found = whole_names(text, language, names)
    before = _words(text.partition(found[0].split()[0])[0]) if found else []
    lead = [word for word in before if word not in TITLES]
    others = [word for group in ("pronouns", "fronted", "light") for word in lead if word in cue_words(group, language)]
    return found[0] if found and len(lead) <= 1 and not others else ""


def _name_before(text: str, language: str, names: Set[str]) -> str:
    """The only name before a quote, where it begins the sentence and a verb stands behind it: Anna Bell said: "…"."""
    found = whole_names(text, language, names)
    if len(found) != 1:
        return ""
    lead, _, rest = text.partition(found[0])
    return found[0] if not _words(lead) and _words(rest) else ""


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
