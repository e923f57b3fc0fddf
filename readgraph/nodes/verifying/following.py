"""Whether what a sentence says follows from one of a text by the same words.

It does where it is that sentence as it stands, where a phrase moved from one end to the other, and where a phrase is
left out that nothing else hangs on: a date at an end, by whom, a clause behind a name, or one behind "and". Words count
as they are written, since another form may be another time or person; numbers and dates count by what they say. Of a
sentence that denies or doubts anything nothing may be left out.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

from readgraph.nodes.verifying.tokens import DURATIONS, TITLES, VERSIONS, Token, cue_words

VERB_SECOND = frozenset("de nl sv da nb nn".split())  # languages in which the subject follows a phrase that comes first
_SUPERLATIVE = re.compile(r"[a-zäöü]{3}(?:est|ste[nrsm]?)$|^(?:best|worst|least|first|last)$", re.IGNORECASE)
"""What is the largest in 1911 need not be the largest."""
_DECIMALS = re.compile(r"\d+[.,](\d{1,2})")  # without a unit: 2.10 may name a part or a version, which 2.1 doesn't
LONGEST_PHRASE = 4  # words of a phrase at the beginning, and of a subject, that have no comma behind them

Same = Callable[[Token, Token], bool]


def is_plain(tokens: Sequence[Token], language: str) -> bool:
    """Whether a sentence denies and doubts nothing, tells no story, and says of nothing that it is the most."""
    frames, roundings = cue_words("frames", language), cue_words("roundings", language)
    doubts = (
        token.kind == "denial"
        or (token.kind == "hedge" and not (token.value in roundings and after and after.kind == "number"))
        or token.text.casefold() in frames
        or _SUPERLATIVE.search(token.text)
        for token, after in zip_longest(tokens, tokens[1:])
    )
    return not any(doubts)


def is_same_text(ours: Sequence[Token], theirs: Sequence[Token]) -> bool:
    """Whether two sentences are written alike, in their order."""
    return len(ours) == len(theirs) and all(map(is_written_alike, ours, theirs))


def is_part(
    ours: Sequence[Token],
    theirs: Sequence[Token],
    language: str,
    same: Same,
    *,
    leaves_out: bool,
    goes_on: bool = False,
) -> bool:
    """Whether our sentence is theirs, with a phrase moved or, if it `leaves_out` some, without phrases.

    `goes_on`: theirs may say anything behind what ours says.
    """
    ours, theirs = (_without_words_before_dates(each, language) for each in (ours, theirs))
    swaps = language in VERB_SECOND and leaves_out
    moved = [(own, theirs) for own in _orders(ours, language, swaps=swaps)]
    moved += [(ours, other) for other in _orders(theirs, language, swaps=swaps)]
    return any(_is_in(own, other, language, same, leaves_out=leaves_out, goes_on=goes_on) for own, other in moved)


def is_written_alike(ours: Token, theirs: Token) -> bool:
    """Whether two tokens are the same word, or mean the same number or date; ours may be a part of a date."""
    if ours.kind in ("number", "date") or theirs.kind in ("number", "date"):
        return ours.kind == theirs.kind and says_as_much(theirs, ours)
    return _written(ours) == _written(theirs)


def has_same_value(ours: Token, theirs: Token) -> bool:
    """Whether two tokens are the same word in whatever form, or the same number, date or name."""
    return bool(ours.value == theirs.value)


def says_as_much(told: Token, said: Token) -> bool:
    """Whether a number or date that is told is the one that is said, or a finer date."""
    if not isinstance(told.value, tuple) or not isinstance(said.value, tuple):
        return bool(told.value == said.value)
    if said.kind == "number":
        decimals = {len(found[1]) for each in (told, said) if (found := _DECIMALS.fullmatch(each.text))}
        same = told.value[1] == said.value[1] and math.isclose(told.value[0], said.value[0], rel_tol=1e-6)
        return same and len(decimals) <= 1
    return all(known in (None, other) for known, other in zip(said.value, told.value, strict=True))


def begins_with_version(before: Sequence[Token]) -> bool:
    """Whether a sentence begins with a version, whose number stands behind: the same may be so of another one."""
    return bool(before) and before[-1].text.casefold() in VERSIONS and all(each.kind == "small" for each in before[:-1])


def has_two_units(number: Token) -> bool:
    """Whether a number is a duration in two units, or in more than a word: "1 hour and 30 minutes", "1 h 30"."""
    return number.value[1] in DURATIONS and len(number.text.split()) > 2


def _written(token: Token) -> str:
    return token.text.casefold().replace("’", "'") if token.kind in ("word", "name") else str(token.value)


def _is_day(token: Token) -> bool:
    return token.kind == "date" and isinstance(token.value, tuple)


def _without_words_before_dates(tokens: Sequence[Token], language: str) -> list[Token]:
    """The tokens without "on" and "in" before dates, since which of them stands there says nothing."""
    words, kept = cue_words("before_dates", language), list[Token]()
    for token in tokens:
        while _is_day(token) and kept and kept[-1].value in words:
            kept.pop()
        kept.append(token)
    return kept


def _orders(tokens: list[Token], language: str, *, swaps: bool) -> Iterator[list[Token]]:
    """A sentence as it stands, and with the phrase at its beginning moved to where else it may stand."""
    yield tokens
    if not tokens:
        return
    if _is_day(tokens[0]):
        yield [*tokens[1:], tokens[0]]
    elif tokens[0].value not in cue_words("fronted", language):
        return
    else:
        yield from (
            [*tokens[at:], *tokens[:at]]
            for at in _boundaries(tokens)
            if tokens[at].value not in cue_words("joins", language)
        )
    if not swaps:
        return
    for length in range(1, LONGEST_PHRASE + 1):
        phrase, verb, rest = tokens[:length], tokens[length : length + 1], tokens[length + 1 :]
        for subject in range(1, min(LONGEST_PHRASE, len(rest)) + 1):
            begin, end = [*rest[:subject], *verb], rest[subject:]
            yield [*begin, *phrase, *end]
            yield [*begin, *end, *phrase]
            yield [*begin, *end[:-1], *phrase, *end[-1:]]


def _boundaries(tokens: Sequence[Token]) -> list[int]:
    """Where a clause or a part of a list begins."""
    return [at for at in range(1, len(tokens)) if tokens[at].clause != tokens[at - 1].clause]


def _is_in(
    ours: Sequence[Token], theirs: Sequence[Token], language: str, same: Same, *, leaves_out: bool, goes_on: bool
) -> bool:
    """Whether our tokens are theirs in order, without phrases that may be left out."""
    ends = _phrases(theirs, language) if leaves_out else {}

    def skip(places: set[int]) -> set[int]:
        more = {end for place in places for end in ends.get(place, ())} - places
        return skip(places | more) if more else places

    reached = skip({0})
    for token in ours:
        reached = skip({at + 1 for at in reached if at < len(theirs) and same(token, theirs[at])})
    return len(theirs) in reached or (goes_on and bool(reached))


def _phrases(tokens: Sequence[Token], language: str) -> dict[int, set[int]]:
    """Where phrases end that may be left out, by where they begin."""
    found, boundaries, size = defaultdict[int, set[int]](set), _boundaries(tokens), len(tokens)
    for at, token in enumerate(tokens):
        agent = _end_of_agent(tokens, at + 1, language) if _is_day(token) else None
        if _is_day(token) and (not at or agent or at + 1 in (size, *boundaries)):  # "the tallest tower in 1890" goes on
            found[at].add(at + 1)
        elif end := _end_of_agent(tokens, at, language):
            found[at].add(end)
    for at in boundaries:
        if tokens[at].value in cue_words("relatives", language):
            found[at].update(end for end in (*boundaries, size) if end > at)
        elif _ends_before(tokens, at, language):
            found[at].add(size)
    return found


def _ends_before(tokens: Sequence[Token], at: int, language: str) -> bool:
    """Whether a sentence may end before a semicolon, or before "and" or "but" with what may be a sentence by itself.

    Behind a comma alone what was said may be taken back: "open every day, Mondays apart".
    """
    joins, jump = tokens[at].value in cue_words("joins", language), tokens[at].clause - tokens[at - 1].clause
    if not joins:
        return jump > 1
    behind = tokens[at + 1 : at + 2]
    begins = cue_words("light", language) | cue_words("pronouns", language)
    if not behind or not (behind[0].kind in ("name", "word") or behind[0].value in begins):
        return False  # "all, but not Anna"
    counted = any(each.kind == "number" and each.clause == tokens[at - 1].clause for each in tokens[:at])
    return jump > 1 or not (counted or tokens[at].value == "but")  # "30 men and women", "all but Spain"


def _end_of_agent(tokens: Sequence[Token], at: int, language: str) -> int | None:
    """Where "by Anna Bell" ends that begins there behind what was done; None where it doesn't."""
    if not 1 < at < len(tokens) or tokens[at].value not in cue_words("agents", language):
        return None
    done = [each for each in tokens[:at] if each.clause == tokens[at].clause and not _is_day(each)]
    passive = any(each.value in cue_words("passive", language) for each in done)
    return _end_of_name(tokens, at + 1) if passive and done[-1].kind == "word" else None


def _end_of_name(tokens: Sequence[Token], at: int) -> int | None:
    """Where a person's name ends that begins there and is nobody's; None where there is no such name."""
    start = at
    while at < len(tokens) and (tokens[at].kind == "name" or tokens[at].text.casefold() in TITLES):
        at += 1
    if at == start or tokens[at - 1].text.endswith(("'s", "’s", "'")):
        return None
    goes_on = at < len(tokens) and tokens[at].kind == "word" and tokens[at].clause == tokens[at - 1].clause
    return None if goes_on else at
