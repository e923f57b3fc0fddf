"""Where a quote stands in a text, part for part: words, numbers and all marks, whatever is left out of it.

Case, how marks are drawn, emphasis and line breaks don't count, nor does who speaks between two parts (“…,” he said,
“…”). Behind a mark of omission the next part must follow in the same sentence, where only a parenthesis was left out,
or begin the next one; what is left out may neither deny nor doubt.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from readgraph.language.compare import fold_characters
from readgraph.language.sentences import sentence_spans
from readgraph.language.standing import paragraph_start
from readgraph.language.tokens import cue_words, knows_denials, tokens_of, unreal_words

FEWEST_KEPT = 3  # words of a part between marks of omission
LONGEST_QUOTE = 20_000  # characters

GAP = re.compile(r"\[\s*(?:…|\.\.\.)\s*\]|\(\s*(?:…|\.\.\.)\s*\)|…|\.\.\.\.?")
INSERTED = re.compile(r"\[[^\]]*\]")
_PIECE = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’‘-][^\W\d_]+)*|[^\s*_`\u00ad\u200b]")
_SPOKEN_BETWEEN = re.compile(r"[,.]?[\"”’»“][^\"“”«»„]{1,80},\s*[\"“‘«„”]")
_SIGNS = frozenset("-−–+<>≤≥≈~±=$€£¥#")
_BETWEEN = {",": ",", "–": "–", "(": ")", "-": "-"}  # marks around a parenthesis
_ENDS = " .,;:!"


class _Pieces(NamedTuple):
    """The parts of a text as they are compared, each between spaces, and where each stands."""

    joined: str
    starts: list[int]
    spans: list[tuple[int, int]]


def _cut(text: str, left_out: Sequence[tuple[int, int]] = ()) -> _Pieces:
    folded, starts, spans, at, out = list[str](), list[int](), list[tuple[int, int]](), 1, [*left_out]
    for match in _PIECE.finditer(text):
        while out and out[0][1] <= match.start():
            out.pop(0)
        if out and out[0][0] <= match.start():
            continue
        piece = fold_characters(match.group()).casefold().replace(" ", "")
        folded.append(piece)
        starts.append(at)
        spans.append(match.span())
        at += len(piece) + 1
    return _Pieces(f" {' '.join(folded)} ", starts, spans)


def find_passages(quote: str, text: str, language: str) -> list[tuple[int, int]]:
    """Where a quote stands in a text; nowhere if something is inserted in it, or what was left out may matter."""
    if len(quote) > LONGEST_QUOTE:
        return []
    whole = _cut(text)
    if found := [*_find(quote, text, whole)]:
        return found
    spoken = [match.span() for match in _SPOKEN_BETWEEN.finditer(text) if _only_names_speaker(match.group(), language)]
    if spoken and (found := [*_find(quote, text, _cut(text, spoken))]):
        return found
    if not GAP.search(quote) or INSERTED.search(GAP.sub(" ", quote)):
        return []
    return [*_find_with_gaps([part.strip(_ENDS) for part in GAP.split(quote)], text, whole, language)]


def _find(quote: str, text: str, pieces: _Pieces, begin: int = 0) -> Iterator[tuple[int, int]]:
    """Where a quote stands without gaps, and is no part of a number, a question or a sum of money."""
    wanted, is_sentence = _cut(quote.rstrip(_ENDS)).joined, quote[-1:] in ".。" and not quote[:1].islower()
    at = pieces.joined.find(wanted, begin) if wanted.strip() else -1
    while at >= 0:
        first = bisect_right(pieces.starts, at + 1) - 1
        last = bisect_right(pieces.starts, at + len(wanted) - 2) - 1
        goes_on = is_sentence and last + 1 < len(pieces.spans) and text[pieces.spans[last + 1][0]].isalnum()
        if not goes_on and not _is_cut_off(text, pieces.spans, first, last):
            yield pieces.spans[first][0], pieces.spans[last][1]
        at = pieces.joined.find(wanted, at + 1)


def _is_cut_off(text: str, spans: Sequence[tuple[int, int]], first: int, last: int) -> bool:
    """Whether what stands directly before or behind changes what is quoted: a sign, a unit, a question mark."""
    begin, end = text[slice(*spans[first])], text[slice(*spans[last])]
    before = text[slice(*spans[first - 1])] if first else ""
    after = text[slice(*spans[last + 1])] if last + 1 < len(spans) else ""
    number_goes_on = end[-1:].isdigit() and bool(after) and (after[0].isalnum() or after in "%‰°$€£")
    return (before in _SIGNS and begin[:1].isdigit()) or number_goes_on or after in ("?", "？")


def _only_names_speaker(between: str, language: str) -> bool:
    """Whether between two parts of what somebody says stands no more than who says it."""
    tokens = tokens_of(between, language)
    says = any(token.text.casefold() in cue_words("says", language) for token in tokens)
    return says and not any(token.kind == "denial" for token in tokens)


def _find_with_gaps(parts: Sequence[str], text: str, pieces: _Pieces, language: str) -> Iterator[tuple[int, int]]:
    parts = [part for part in parts if part]
    if any(len(part.split()) < FEWEST_KEPT for part in parts):
        return
    for begin, end in _find(parts[0], text, pieces) if parts else ():
        reached: int | None = end
        for part in parts[1:]:
            behind = bisect_right(pieces.spans, (reached or 0, 0))
            offset = pieces.starts[behind] - 1 if behind < len(pieces.starts) else len(pieces.joined)
            span = next(_find(part, text, pieces, offset), None)
            if span is None or not _may_leave_out(text, begin, reached or 0, span[0], language):
                reached = None
                break
            reached = span[1]
        if reached is not None:
            yield begin, reached


def _may_leave_out(text: str, begin: int, start: int, end: int, language: str) -> bool:
    """Whether what is left out is a parenthesis, or the rest of a sentence before the next one, and denies nothing."""
    left_out = text[start:end]
    paragraph = paragraph_start(text, begin)
    if paragraph_start(text, end) != paragraph or _is_doubtful(left_out, language):
        return False
    spans = sentence_spans(text[paragraph : end + 1], language=language)
    bounds = [paragraph + each for each, _ in spans if start < paragraph + each]
    if bounds:  # the next part must begin the next sentence
        return len(bounds) == 1 and not text[bounds[0] : end].strip(" \"'“„«»‘")
    between = left_out.strip()
    inner = fold_characters(between[1:-1])
    is_parenthesis = len(between) > 2 and _BETWEEN.get(fold_characters(between[0])) == fold_characters(between[-1])
    return is_parenthesis and not set(inner) & set(",;:()–")


def _is_doubtful(text: str, language: str, saying: bool = False) -> bool:
    """Whether words deny or doubt something; `saying`: that somebody says it is no doubt."""
    allowed = cue_words("says", language) if saying else frozenset()
    return any(
        token.kind == "denial"
        or (token.kind == "hedge" and token.text.casefold() not in allowed)
        or token.text.casefold() in unreal_words()
        for token in tokens_of(text, language)
    )


def keeps_sense(text: str, start: int, end: int, language: str) -> bool:
    """Whether what a sentence has beside a part that is quoted neither denies nor doubts it, nor completes a pair."""
    paragraph = paragraph_start(text, start)
    stop = text.find("\n\n", end)
    spans = sentence_spans(text[paragraph : stop if stop >= 0 else len(text)], language=language)
    beside = [(paragraph + one, paragraph + other) for one, other in spans]
    before = "".join(text[one:start] for one, other in beside if one < start < other)
    behind = "".join(text[end:other] for one, other in beside if one < end < other)
    if not knows_denials(language):
        words = {token.text for part in (before, behind) for token in tokens_of(part, language)}
        return not [word for word in words if word[:1].islower() and word not in cue_words("says", language)]
    is_pair = any(
        token.text.casefold() in cue_words("pairs", language) for token in tokens_of(text[start:end], language)
    )
    return not (
        _is_doubtful(before, language, saying=True)
        or _is_doubtful(behind, language, saying=True)
        or (is_pair and re.match(r"[\s,;]*\w", behind))
    )
